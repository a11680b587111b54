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
		u := &Upstream{Pos: m.key.Pos}
		w.fields(m.value, "upstream", m.key.Pos,
			field{"command", false, w.intoTexts(&u.Command)},
			field{"environment", false, w.intoTexts(&u.Environment)},
			field{"url", false, w.intoText(&u.URL)},
			field{"headers", false, w.rows(&u.Headers)})
		*dst = u
	}
}

// rows reads a mapping of texts to texts.
func (w rootWalker) rows(dst *[]Header) func(member) {
	return w.each(func(m member) {
		h := Header{Name: m.key}
		w.intoText(&h.Value)(m)
		*dst = append(*dst, h)
	})
}

// notRequired returns the fields with one that may be left out.
func notRequired(fields []field, name string) []field {
	for i := range fields {
		if fields[i].name == name {
			fields[i].required = false
		}
	}
	return fields
}
