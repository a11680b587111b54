package spec

import "github.com/callsheet/callsheet/gen/diag"

// ListStyle is the section list of the root file: how lists are written. What is not written has its
// usual value.
type ListStyle struct {
	Pos                          diag.Pos
	Titles, Annotations, Schemas Text
}

func (w rootWalker) listStyle(dst *ListStyle) func(member) {
	return func(m member) {
		dst.Pos = m.Key.Pos
		w.Fields(m.Value, "list", m.Key.Pos,
			optional("titles", w.IntoText(&dst.Titles)),
			optional("annotations", w.IntoText(&dst.Annotations)),
			optional("schemas", w.IntoText(&dst.Schemas)))
	}
}
