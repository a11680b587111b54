package result

import (
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
)

// Match renders an element that was found by words, with the place it is in.
func Match(m locate.Match) string {
	line := Element(document.Element{Ref: m.Ref, Role: m.Role, Name: m.Name})
	if m.Path != "" {
		line += " in " + m.Path
	}
	return line
}

// Matches renders what a search found, one element a line, and how many more there are.
func Matches(found locate.Found) string {
	lines := make([]string, len(found.Matches))
	for i, m := range found.Matches {
		lines[i] = Match(m)
	}
	if n := len(found.Matches); found.Total > n {
		lines = append(lines, fmt.Sprintf("[%d of %d]", n, found.Total))
	}
	return strings.Join(lines, "\n")
}
