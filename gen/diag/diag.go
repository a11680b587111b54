// Package diag is the one vocabulary in which the compiler talks about mistakes: positions,
// diagnostics, lists of them, spelling suggestions and the printers.
//
// Every stage reports through it, so that all problems of a run come out in one sorted report. It
// must not know what a manifest is: it sees file names, lines and rule IDs only.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pos is a place in a source file. Line and Col count from 1, Col in characters; a zero Line means
// "the file as a whole". Len is the number of characters to underline (0 means one).
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"col,omitempty"`
	Len  int    `json:"len,omitempty"`
}

// IsZero reports whether the position names nothing.
func (p Pos) IsZero() bool { return p.File == "" && p.Line == 0 }

// String gives the clickable form file:line:col, or only the file when there is no line.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Severity says whether a diagnostic stops the run.
type Severity string

// The severities. Only errors keep output from being written; the compiler reports no Info, which is for
// comparisons.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Related points at a second place that explains the first, such as an earlier declaration.
type Related struct {
	Pos     Pos    `json:"pos"`
	Message string `json:"message"`
}

// Diagnostic is one problem. Message is lower case without a full stop and quotes what the author
// wrote; Hint says what was probably meant or how to mend it; Rule is the ID that "toolgen explain"
// knows.
type Diagnostic struct {
	Pos      Pos      `json:"pos"`
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"`
	Related  *Related `json:"related,omitempty"`
	Detail   string   `json:"detail,omitempty"` // lines that help to mend it, such as a diff or YAML to paste
	Also     []Pos    `json:"also,omitempty"`   // other places of the same cause
	Fix      *Fix     `json:"fix,omitempty"`    // nil when no edit mends it for certain

	// Cause names the mistake behind the diagnostic: Sorted merges diagnostics of one rule and one
	// cause. "" is a cause of its own.
	Cause string `json:"-"`
}

// List is a set of diagnostics. The zero value is empty and ready to use.
type List []Diagnostic

// Errorf appends an error.
func (l *List) Errorf(pos Pos, rule, format string, args ...any) *Diagnostic {
	return l.add(pos, Error, rule, format, args)
}

// Warnf appends a warning.
func (l *List) Warnf(pos Pos, rule, format string, args ...any) *Diagnostic {
	return l.add(pos, Warning, rule, format, args)
}

func (l *List) add(pos Pos, sev Severity, rule, format string, args []any) *Diagnostic {
	*l = append(*l, Diagnostic{Pos: pos, Severity: sev, Rule: rule, Message: fmt.Sprintf(format, args...)})
	return &(*l)[len(*l)-1]
}

// HasErrors reports whether anything in the list stops the run.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Text returns the sorted list with source lines, for people.
func (l List) Text(source Source) string {
	var b strings.Builder
	_ = l.Sorted().Fprint(&b, Text, source) // a strings.Builder cannot fail
	return strings.TrimSpace(b.String())
}

// Sorted returns the list ordered by file, line, column, rule and message, without duplicates and
// with one diagnostic for each cause, so that two runs over the same input print the same bytes.
func (l List) Sorted() List {
	out := slices.Clone(l)
	slices.SortStableFunc(out, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.CompactFunc(out, func(a, b Diagnostic) bool {
		return a.Pos == b.Pos && a.Rule == b.Rule && a.Message == b.Message
	}).merged()
}

// merged joins the diagnostics of one rule and one cause: the first one stands for all, with the
// places of the others. Its fix is that of all of them, or none when one has none.
func (l List) merged() List {
	type key struct{ rule, cause string }
	first := map[key]int{}
	out := make(List, 0, len(l))
	for _, d := range l {
		i, again := first[key{d.Rule, d.Cause}]
		if d.Cause == "" || !again {
			if d.Cause != "" {
				first[key{d.Rule, d.Cause}] = len(out)
			}
			out = append(out, d)
			continue
		}
		root := &out[i]
		root.Also = append(slices.Clip(root.Also), d.Pos)
		root.Also = append(root.Also, d.Also...)
		root.Fix = root.Fix.with(d.Fix)
	}
	return out
}
