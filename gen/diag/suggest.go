package diag

import (
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/spelling"
)

// Nearest returns the candidate closest to name, or "" when none is close. Compiler and server
// suggest alike.
func Nearest(name string, candidates []string) string { return spelling.Nearest(name, candidates) }

// Unknown appends an error about a name that is not in a closed set. Its hint is the nearest valid name, or the
// valid ones.
func (l *List) Unknown(at Pos, rule, what, name string, valid []string) *Diagnostic {
	d := l.Errorf(at, rule, "unknown %s %q", what, name)
	switch {
	case d.Misspelt(at, name, valid):
	case len(valid) == 0:
		d.Hint = "there is none to choose from"
	case len(valid) <= 12:
		d.Hint = "valid here: " + strings.Join(valid, ", ")
	}
	return d
}

// DidYouMean is the hint that offers the nearest candidate, or "" when there is none.
func DidYouMean(name string, candidates []string) string {
	if near := Nearest(name, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}
