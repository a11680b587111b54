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
		dst.Pos = m.key.Pos
		w.fields(m.value, "list", m.key.Pos,
			field{"titles", false, w.intoText(&dst.Titles)},
			field{"annotations", false, w.intoText(&dst.Annotations)},
			field{"schemas", false, w.intoText(&dst.Schemas)})
	}
}
