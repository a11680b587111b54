package spec

// Surface is an entry of surfaces in the root file: a kind of dangerous thing that policies speak of.
type Surface struct {
	Name, Description Text
	Flag              Text // the flag that takes the powers of the surface away; not written when there is none
}

func (w rootWalker) surfaces(dst *[]Surface) func(member) {
	return w.each(func(m member) {
		s := Surface{Name: m.key}
		w.fields(m.value, "surface "+quoted(m.key), m.key.Pos,
			field{"description", true, w.intoText(&s.Description)},
			field{"flag", false, w.intoText(&s.Flag)})
		*dst = append(*dst, s)
	})
}
