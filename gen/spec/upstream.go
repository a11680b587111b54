package spec

import "github.com/callsheet/callsheet/gen/diag"

// Upstream is the section upstream of the root file: the server that forwarded tools pass their calls
// to. One of Command and URL is meant to be written.
type Upstream struct {
	Pos         diag.Pos
	Command     []Text   // program and arguments of a server on standard input and output
	Environment []Text   // names of variables that the program gets beside a few of the system
	URL         Text     // address of a server over HTTP
	Headers     []Header // sent with each HTTP request
}

// Header is a header of HTTP requests, in whose Value ${NAME} stands for an environment variable.
type Header struct{ Name, Value Text }

func (w rootWalker) upstream(dst **Upstream) func(member) {
	return func(m member) {
		u := &Upstream{Pos: m.Key.Pos}
		w.Fields(m.Value, "upstream", m.Key.Pos,
			optional("command", w.IntoTexts(&u.Command)),
			optional("environment", w.IntoTexts(&u.Environment)),
			optional("url", w.IntoText(&u.URL)),
			optional("headers", w.rows(&u.Headers)))
		*dst = u
	}
}

// rows reads a mapping of texts to texts.
func (w rootWalker) rows(dst *[]Header) func(member) {
	return w.Each(func(m member) {
		h := Header{Name: m.Key}
		w.IntoText(&h.Value)(m)
		*dst = append(*dst, h)
	})
}

// notRequired returns the fields with one that may be left out.
func notRequired(fields []field, name string) []field {
	for i := range fields {
		if fields[i].Name == name {
			fields[i].Required = false
		}
	}
	return fields
}
