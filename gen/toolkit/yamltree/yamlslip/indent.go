package yamlslip

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
)

// reach is how far a line may stand from where it belongs to be recognised as a slip.
const reach = 3

// IndentOf is how many spaces a line begins with; -1 when it is blank or a comment.
func IndentOf(line string) int {
	text := strings.TrimLeft(line, " ")
	if text == "" || text[0] == '#' || text[0] == '\r' {
		return -1
	}
	return len(line) - len(text)
}

// indentAbove is the indent of the next line above that has one, where its keys begin; -1 without one.
func (t *Text) indentAbove(line int) int {
	for n := line - 1; n >= 1; n-- {
		if indent := IndentOf(t.Lines[n-1]); indent >= 0 {
			return indent
		}
	}
	return -1
}

// indentBelow is the indent of the next line below that has one; -1 without one.
func (t *Text) indentBelow(line int) int {
	for n := line + 1; n <= len(t.Lines); n++ {
		if indent := IndentOf(t.Lines[n-1]); indent >= 0 {
			return indent
		}
	}
	return -1
}

// misindented finds a line at the fault, or next to it, that makes the file readable when it stands
// where lines above it do.
func (t *Text) misindented(at diag.Pos, _ string) *explanation {
	for _, n := range []int{at.Line, at.Line + 1, at.Line - 1} {
		if n < 2 || n > len(t.Lines) || IndentOf(t.Lines[n-1]) < 0 {
			continue
		}
		have := IndentOf(t.Lines[n-1])
		for _, want := range t.columnsNear(n, have) {
			e := &explanation{at: t.lineAt(n), message: fmt.Sprintf("this line is indented by %s, and belongs to those with %d", spaces(have), want),
				hint: fmt.Sprintf("indent it by %s", spaces(want))}
			for _, last := range []int{n, t.blockEnd(n, have)} {
				e.candidates = []map[int]string{t.Shifted(n, last, want-have)}
				if t.Certain(e.hint, e.candidates...) != nil {
					return e
				}
			}
		}
	}
	return nil
}

func spaces(n int) string {
	if n == 1 {
		return "1 space"
	}
	return fmt.Sprintf("%d spaces", n)
}

// columnsNear lists the columns at which lines above begin, and their keys behind a dash, the nearest
// first.
func (t *Text) columnsNear(line, have int) []int {
	const most = 40 // lines above
	var out []int
	add := func(column int) {
		if d := abs(column - have); d > 0 && d <= reach && !slices.Contains(out, column) {
			out = append(out, column)
		}
	}
	for n := line - 1; n >= max(1, line-most); n-- {
		indent := IndentOf(t.Lines[n-1])
		if indent < 0 {
			continue
		}
		add(indent)
		if strings.HasPrefix(t.Lines[n-1][indent:], "- ") {
			add(indent + len("- "))
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return abs(a-have) - abs(b-have) })
	return out
}

func abs(n int) int { return max(n, -n) }

// blockEnd is the last line that a line's indent, or a greater one, goes on to.
func (t *Text) blockEnd(line, indent int) int {
	last := line
	for n := line + 1; n <= len(t.Lines); n++ {
		switch have := IndentOf(t.Lines[n-1]); {
		case have >= indent:
			last = n
		case have >= 0:
			return last
		}
	}
	return last
}

// Shifted is the lines of a range with more or fewer spaces.
func (t *Text) Shifted(from, to, by int) map[int]string {
	out := map[int]string{}
	for n := from; n <= to; n++ {
		if line := t.Lines[n-1]; IndentOf(line) >= 0 {
			out[n] = strings.Repeat(" ", max(IndentOf(line)+by, 0)) + strings.TrimLeft(line, " ")
		}
	}
	return out
}
