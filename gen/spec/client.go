package spec

// Client is an entry of clients: a language in which a typed client of the tools is generated.
type Client struct {
	Language Text // go, typescript or python
	Package  Text
}

func (w *walker) clients(dst *[]Client) func(member) {
	return w.each(func(m member) {
		c := Client{Language: m.key}
		w.fields(m.value, "client "+quoted(m.key), m.key.Pos,
			field{"package", true, w.intoText(&c.Package)})
		*dst = append(*dst, c)
	})
}
