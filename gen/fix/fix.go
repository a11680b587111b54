// Package fix edits source files as diagnostics say that mends them for certain.
//
// It replaces characters at positions and leaves everything else as it is, comments and layout
// included. It must not know what the files mean: whether an edit mends anything is for the caller
// to check.
package fix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
)

// Plan chooses, in the order of the list, the diagnostics whose fixes can be made together: an edit
// that overlaps one that is chosen already waits for the next run. Editable says which files may be
// edited.
func Plan(diags diag.List, editable func(file string) bool) diag.List {
	var chosen diag.List
	var edits []diag.Edit
	for _, d := range diags {
		if d.Fix == nil || len(d.Fix.Edits) == 0 {
			continue
		}
		fits := !slices.ContainsFunc(d.Fix.Edits, func(e diag.Edit) bool {
			return !editable(e.File) || slices.ContainsFunc(edits, func(other diag.Edit) bool { return overlap(e, other) })
		})
		if fits {
			chosen = append(chosen, d)
			edits = append(edits, d.Fix.Edits...)
		}
	}
	return chosen
}

// overlap reports whether two edits touch the same characters, or insert at the same place.
func overlap(a, b diag.Edit) bool {
	if a.File != b.File {
		return false
	}
	if compare(a.Line, a.Col, b.Line, b.Col) == 0 {
		return true
	}
	return compare(a.Line, a.Col, b.EndLine, b.EndCol) < 0 && compare(b.Line, b.Col, a.EndLine, a.EndCol) < 0
}

func compare(line, col, otherLine, otherCol int) int {
	return cmp.Or(cmp.Compare(line, otherLine), cmp.Compare(col, otherCol))
}

// Edits lists the edits of one file that the fixes of a list make, from its end to its beginning.
func Edits(diags diag.List, file string) []diag.Edit {
	var out []diag.Edit
	for _, d := range diags {
		if d.Fix == nil {
			continue
		}
		for _, e := range d.Fix.Edits {
			if e.File == file {
				out = append(out, e)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b diag.Edit) int { return compare(b.Line, b.Col, a.Line, a.Col) })
	return out
}

// Apply makes edits that do not overlap. It fails on one that lies outside the text.
func Apply(data []byte, edits []diag.Edit) ([]byte, error) {
	type span struct {
		from, to int
		text     string
	}
	var spans []span
	for _, e := range edits {
		from, ok := offset(data, e.Line, e.Col)
		to, ok2 := offset(data, e.EndLine, e.EndCol)
		if !ok || !ok2 || to < from {
			return nil, fmt.Errorf("edit %s:%d:%d: there is no such place", e.File, e.Line, e.Col)
		}
		spans = append(spans, span{from, to, e.Text})
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var out strings.Builder
	at := 0
	for _, s := range spans {
		if s.from < at {
			return nil, fmt.Errorf("two edits overlap at byte %d", s.from)
		}
		out.Write(data[at:s.from])
		out.WriteString(s.text)
		at = s.to
	}
	out.Write(data[at:])
	return []byte(out.String()), nil
}

// offset is the byte at which a line and column begin; a column may be one past the last character
// of its line, and a line one past the last.
func offset(data []byte, line, col int) (int, bool) {
	at := 0
	for n := range line - 1 {
		i := slices.Index(data[at:], '\n')
		if i < 0 {
			return len(data), col == 1 && n == line-2
		}
		at += i + 1
	}
	rest := string(data[at:])
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	for i := range rest {
		if col--; col == 0 {
			return at + i, true
		}
	}
	return at + len(rest), col == 1
}
