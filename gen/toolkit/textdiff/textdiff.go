// Package textdiff shows how two texts differ, as the hunks of a unified diff.
//
// Its texts are short: it must not be asked to compare what no person would read. It knows nothing
// of files, diagnostics or YAML.
package textdiff

import (
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// context is the number of equal lines around a change.
const context = 2

// Unified returns the hunks without names of files; "" for equal texts.
func Unified(old, new string) string { return strings.Join(hunks(old, new), "\n") }

// hunks returns the lines of a diff, each with its mark.
func hunks(old, new string) []string {
	a, b := split(old), split(new)
	var out []string
	add := func(mark string, lines []string) {
		for _, l := range lines {
			out = append(out, mark+l)
		}
	}
	for _, group := range difflib.NewMatcherWithJunk(a, b, false, nil).GetGroupedOpCodes(context) {
		first, last := group[0], group[len(group)-1]
		out = append(out, fmt.Sprintf("@@ -%s +%s @@", span(first.I1, last.I2), span(first.J1, last.J2)))
		for _, op := range group {
			if op.Tag == 'e' {
				add(" ", a[op.I1:op.I2])
				continue
			}
			add("-", a[op.I1:op.I2])
			add("+", b[op.J1:op.J2])
		}
	}
	return out
}

// span writes the first line and the number of lines; of no lines, the line before them.
func span(from, to int) string {
	return fmt.Sprintf("%d,%d", min(from+1, to), to-from)
}

func split(text string) []string {
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// Excerpt is Unified of at most maxLines lines, each at most maxWidth characters wide. Long lines
// are shown from shortly before the first character in which they differ from their counterpart.
func Excerpt(old, new string, maxLines, maxWidth int) string {
	lines := hunks(old, new)
	for i := 0; i < len(lines); i++ {
		if lines[i][0] == '-' && i+1 < len(lines) && lines[i+1][0] == '+' {
			left, right := window(lines[i][1:], lines[i+1][1:], maxWidth)
			lines[i], lines[i+1] = "-"+left, "+"+right
			i++
		} else {
			lines[i], _ = window(lines[i], lines[i], 1+maxWidth)
		}
	}
	if len(lines) <= maxLines {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:maxLines], "\n") + fmt.Sprintf("\n… and %d more lines", len(lines)-maxLines)
}

// window cuts two lines to the part around their first difference.
func window(a, b string, width int) (string, string) {
	left, right := []rune(a), []rune(b)
	if len(left) <= width && len(right) <= width {
		return a, b
	}
	same := 0
	for same < len(left) && same < len(right) && left[same] == right[same] {
		same++
	}
	from := 0
	if a != b && same > width/2 {
		from = same - width/4
	}
	cut := func(r []rune) string {
		from, to := min(from, len(r)), min(from+width, len(r))
		text := string(r[from:to])
		if from > 0 {
			text = "…" + text
		}
		if to < len(r) {
			text += "…"
		}
		return text
	}
	return cut(left), cut(right)
}
