// Package textdiff shows how two texts differ, as the hunks of a unified diff.
//
// Its texts are short: it must not be asked to compare what no person would read. It knows nothing
// of files, diagnostics or YAML.
package textdiff

import (
	"fmt"
	"slices"
	"strings"
)

// The number of equal lines around a change, and the most lines on either side of which every pairing
// is looked at. Beyond, everything between the first and the last difference is one change.
const (
	context  = 2
	maxTable = 1500
)

// line is one line of a diff: '-' of the old text, '+' of the new one, ' ' of both.
type line struct {
	mark     byte
	text     string
	old, new int // its number in either text, from 1; of a line that is not there, that of the next
}

// Unified returns the hunks without names of files; "" for equal texts.
func Unified(old, new string) string { return join(hunks(compare(split(old), split(new)))) }

// Excerpt is Unified of at most maxLines lines, each at most maxWidth characters wide. Long lines
// are shown from shortly before the first character in which they differ from their counterpart.
func Excerpt(old, new string, maxLines, maxWidth int) string {
	lines := hunks(compare(split(old), split(new)))
	for i := 0; i < len(lines); i++ {
		if lines[i].mark == '-' && i+1 < len(lines) && lines[i+1].mark == '+' {
			lines[i].text, lines[i+1].text = window(lines[i].text, lines[i+1].text, maxWidth)
			i++
		} else {
			lines[i].text, _ = window(lines[i].text, lines[i].text, maxWidth)
		}
	}
	if len(lines) <= maxLines {
		return join(lines)
	}
	return join(lines[:maxLines]) + fmt.Sprintf("\n… and %d more lines", len(lines)-maxLines)
}

func split(text string) []string {
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func join(lines []line) string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.text
		if l.mark != '@' {
			out[i] = string(l.mark) + l.text
		}
	}
	return strings.Join(out, "\n")
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

// compare pairs the equal lines of two texts, as many as possible.
func compare(old, new []string) []line {
	head := 0
	for head < len(old) && head < len(new) && old[head] == new[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(new)-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	var out []line
	i, j := 0, 0
	add := func(mark byte, text string) {
		out = append(out, line{mark, text, i + 1, j + 1})
		if mark != '+' {
			i++
		}
		if mark != '-' {
			j++
		}
	}
	for _, text := range old[:head] {
		add(' ', text)
	}
	middle(old[head:len(old)-tail], new[head:len(new)-tail], add)
	for _, text := range old[len(old)-tail:] {
		add(' ', text)
	}
	return out
}

// middle compares what is left between a common beginning and a common end, by the table of longest
// common subsequences.
func middle(old, new []string, add func(byte, string)) {
	var table [][]int
	if len(old) <= maxTable && len(new) <= maxTable {
		table = make([][]int, len(old)+1)
		for i := range table {
			table[i] = make([]int, len(new)+1)
		}
		for i := range slices.Backward(old) {
			for j := range slices.Backward(new) {
				if table[i][j] = max(table[i+1][j], table[i][j+1]); old[i] == new[j] {
					table[i][j] = table[i+1][j+1] + 1
				}
			}
		}
	}
	i, j := 0, 0
	for i < len(old) || j < len(new) {
		switch {
		case table != nil && i < len(old) && j < len(new) && old[i] == new[j]:
			add(' ', old[i])
			i, j = i+1, j+1
		case i < len(old) && (table == nil || j == len(new) || table[i+1][j] >= table[i][j+1]):
			add('-', old[i])
			i++
		default:
			add('+', new[j])
			j++
		}
	}
}

// hunks keeps the changes with their context, each hunk under its heading.
func hunks(all []line) []line {
	var out []line
	for i := 0; i < len(all); i++ {
		if all[i].mark == ' ' {
			continue
		}
		from, to := max(0, i-context), i+1
		for k := i; k < len(all) && k < to+2*context; k++ {
			if all[k].mark != ' ' {
				to = k + 1
			}
		}
		to = min(len(all), to+context)
		hunk := all[from:to]
		olds, news := count(hunk, '+'), count(hunk, '-')
		out = append(out, line{mark: '@', text: fmt.Sprintf("@@ -%s +%s @@", span(hunk[0].old, olds), span(hunk[0].new, news))})
		out = append(out, hunk...)
		i = to - 1
	}
	return out
}

// span writes the first line and the number of lines; of no lines, the line before them.
func span(first, lines int) string {
	if lines == 0 {
		first--
	}
	return fmt.Sprintf("%d,%d", first, lines)
}

// count counts the lines of a hunk that one text has: all but those with the mark.
func count(hunk []line, without byte) int {
	n := 0
	for _, l := range hunk {
		if l.mark != without {
			n++
		}
	}
	return n
}
