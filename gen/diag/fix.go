package diag

import (
	"slices"

	"github.com/callsheet/callsheet/gen/spelling"
)

// Fix is a change of source files that mends a diagnostic for certain: "toolgen fix" makes it
// without asking. What is only likely is a hint.
type Fix struct {
	Title string `json:"title"` // what the edits do, as an imperative
	Edits []Edit `json:"edits"` // none overlaps another
}

// Edit replaces the characters from Line and Col up to EndLine and EndCol by Text. Lines and columns
// count from 1, columns in characters. An edit whose end is its beginning inserts.
type Edit struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	EndLine int    `json:"end_line"`
	EndCol  int    `json:"end_col"`
	Text    string `json:"text"`
}

// Replace is the edit that replaces what a position underlines.
func Replace(at Pos, text string) Edit {
	return Edit{at.File, at.Line, at.Col, at.Line, at.Col + max(at.Len, 1), text}
}

// Insert is the edit that inserts text before a position.
func Insert(at Pos, text string) Edit {
	return Edit{at.File, at.Line, at.Col, at.Line, at.Col, text}
}

// FixBy is the fix of these edits.
func FixBy(title string, edits ...Edit) *Fix { return &Fix{title, edits} }

// with is the fix that makes the edits of both; nil when either is nil.
func (f *Fix) with(other *Fix) *Fix {
	if f == nil || other == nil {
		return nil
	}
	return &Fix{f.Title, slices.Concat(f.Edits, other.Edits)}
}

// Misspelt gives the diagnostic the hint that offers the nearest candidate, if one is near, and the
// fix that writes it where it is the only one that can be meant. At is the place of the name, which
// stands there as it is. It reports whether it found a candidate.
func (d *Diagnostic) Misspelt(at Pos, name string, candidates []string) bool {
	near := Nearest(name, candidates)
	if near == "" {
		return false
	}
	d.Hint = DidYouMean(name, candidates)
	if at.Line > 0 && at.Len == len([]rune(name)) && spelling.Certain(name, candidates) {
		d.Fix = FixBy("write "+near, Replace(at, near))
	}
	return true
}
