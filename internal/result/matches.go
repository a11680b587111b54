package result

import (
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
)

// Matches renders what a search found, one element a line, and how many more there are.
func Matches(found locate.Found) string {
	lines := slicesx.List(found.Matches, func(m locate.Match) string { return m.String() })
	if n := len(found.Matches); found.Total > n {
		lines = append(lines, fmt.Sprintf("[%d of %d]", n, found.Total))
	}
	return strings.Join(lines, "\n")
}
