package spec

// Surface is an entry of surfaces in the root file: a kind of dangerous thing that policies speak of.
type Surface struct {
	Name, Description Text
	Flag              Text // the flag that takes the powers of the surface away; not written when there is none
}

func (w rootWalker) surfaces(dst *[]Surface) func(member) {
	return w.Each(func(m member) {
		s := Surface{Name: m.Key}
		w.Fields(m.Value, "surface "+quoted(m.Key), m.Key.Pos,
			required("description", w.IntoText(&s.Description)),
			optional("flag", w.IntoText(&s.Flag)))
		*dst = append(*dst, s)
	})
}
