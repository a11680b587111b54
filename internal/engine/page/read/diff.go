package read

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// diffReading replaces a reading by its difference to the last one of its kind in this document: by the
// lines that came where that is shorter. Without such a reading it stays whole, its topmost layer first.
func (rd *Reader) diffReading(ctx context.Context, o Options, got *readResult) error {
	kind, whole := o.kind(), got.Text
	if got.source = whole; o.Mode <= ModeFull {
		got.Text = topmostFirst(whole)
	}
	got.NoDiff = "there is no earlier reading of this kind to compare with"
	for i := len(rd.readings) - 1; i >= 0; i-- {
		r := &rd.readings[i]
		if r.kind != kind || r.loader != rd.doc.Loader() {
			continue
		}
		if err := rd.fetchRemainder(ctx, r); err != nil {
			return err
		}
		if r.remainder != 0 {
			return nil // the page no longer holds the remainder
		}
		text, ok := diffLines(r.source, whole)
		if !ok || len(text) >= len(whole) && text != "" {
			text = additions(r.source, whole)
		}
		got.Text = text
		got.Unchanged, got.IsDiff, got.NoDiff = text == "", true, ""
		return nil
	}
	return nil
}

// layers returns the ranges of lines of the outermost dialogs, the last one first, and the ranges between
// them. A later dialog lies above an earlier one.
func layers(text []string) (dialogs, rest [][2]int) {
	from := 0
	for i := 0; i < len(text); i++ {
		line := strings.TrimLeft(text[i], " ")
		if !strings.HasPrefix(line, "- dialog") && !strings.HasPrefix(line, "- alertdialog") {
			continue
		}
		end := i + 1
		for end < len(text) && depthOf(text[end]) > depthOf(text[i]) {
			end++
		}
		dialogs, rest = slices.Insert(dialogs, 0, [2]int{i, end}), append(rest, [2]int{from, i})
		from, i = end, end-1
	}
	return dialogs, append(rest, [2]int{from, len(text)})
}

// topmostFirst puts the dialogs of an outline before what lies behind them.
func topmostFirst(text string) string {
	all := lines(text)
	dialogs, rest := layers(all)
	var b strings.Builder
	for _, part := range dialogs {
		for _, line := range all[part[0]:part[1]] {
			b.WriteString(line[depthOf(all[part[0]]):])
		}
	}
	for _, part := range rest {
		b.WriteString(strings.Join(all[part[0]:part[1]], ""))
	}
	return b.String()
}

// additions lists the lines that came, those of the topmost layer first, and how many went.
func additions(before, after string) string {
	went := map[string]int{}
	left := 0
	for _, line := range lines(before) {
		went[line]++
		left++
	}
	all := lines(after)
	came := make([]bool, len(all))
	for i, line := range all {
		if came[i] = went[line] == 0; !came[i] {
			went[line]--
			left--
		}
	}
	d := differ{newLines: all}
	dialogs, rest := layers(all)
	for _, part := range append(dialogs, rest...) {
		d.lastContext = -1
		for i := part[0]; i < part[1]; i++ {
			if came[i] {
				d.write("+", all[i], i)
			}
		}
	}
	if left > 0 {
		fmt.Fprintf(&d.out, "- … %d lines\n", left)
	}
	return d.out.String()
}

// maxDiffLines bounds the lines that are compared with each other.
const maxDiffLines = 3000

// diffLines lists the removed (-) and added (+) lines, each group under the unchanged line that
// contains it. ok is false when there are too many lines to compare.
func diffLines(before, after string) (text string, ok bool) {
	a, b := lines(before), lines(after)
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	enda, endb := len(a), len(b)
	for enda > start && endb > start && a[enda-1] == b[endb-1] {
		enda--
		endb--
	}
	if enda-start > maxDiffLines || endb-start > maxDiffLines {
		return "", false
	}
	d := differ{newLines: b, lastContext: -1}
	d.compare(a[start:enda], b[start:endb], start)
	return d.out.String(), true
}

func lines(text string) []string { return slices.Collect(strings.Lines(text)) }

// differ writes a difference.
type differ struct {
	newLines    []string // of the newer text
	lastContext int      // the index in all of the holder written last
	out         strings.Builder
}

// compare walks a longest common subsequence; at is where b begins in d.newLines.
func (d *differ) compare(a, b []string, at int) {
	width := len(b) + 1
	common := make([]uint16, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i++
			j++
		case i < len(a) && (j == len(b) || common[(i+1)*width+j] >= common[i*width+j+1]):
			d.write("-", a[i], at+j)
			i++
		default:
			d.write("+", b[j], at+j)
			j++
		}
	}
}

// write adds a line, after the line of the newer text that contains it.
func (d *differ) write(sign, line string, at int) {
	depth := depthOf(line)
	for i := min(at, len(d.newLines)) - 1; i >= 0 && depth > 0; i-- {
		if depthOf(d.newLines[i]) >= depth {
			continue
		}
		if i > d.lastContext {
			d.lastContext = i
			d.out.WriteString("  " + strings.TrimSuffix(d.newLines[i], "\n") + "\n")
		}
		break
	}
	if sign == "+" {
		d.lastContext = max(d.lastContext, at) // a line that came is itself shown
	}
	d.out.WriteString(sign + " " + line)
}

func depthOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
