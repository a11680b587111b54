package diag

import (
	"fmt"

	"github.com/callsheet/callsheet/gen/spelling"
)

// Nearest returns the candidate closest to name, or "" when none is close. Compiler and server
// suggest alike.
func Nearest(name string, candidates []string) string { return spelling.Nearest(name, candidates) }

// DidYouMean is the hint that offers the nearest candidate, or "" when there is none.
func DidYouMean(name string, candidates []string) string {
	if near := Nearest(name, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}
