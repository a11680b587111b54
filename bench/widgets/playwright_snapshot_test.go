package widgets

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// snapshot is the lines of a reading of @playwright/mcp that have a ref, and those above them.
type snapshot []snapshotLine

// snapshotLine is one element: `- role "name" [attributes] [ref=e1]: text`.
type snapshotLine struct {
	depth           int
	role, name, ref string
	text            string // the whole line
}

var snapshotPattern = regexp.MustCompile(`^( *)- '?([\w/]+)(?: "((?:[^"\\]|\\.)*)")?(.*)$`)
var refPattern = regexp.MustCompile(`\[ref=(\w+)\]`)

func parseSnapshot(reading string) snapshot {
	var lines snapshot
	for line := range strings.Lines(reading) {
		match := snapshotPattern.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if match == nil {
			continue
		}
		parsed := snapshotLine{depth: len(match[1]), role: match[2], name: match[3], text: line}
		if ref := refPattern.FindStringSubmatch(match[4]); ref != nil {
			parsed.ref = ref[1]
		}
		if _, text, ok := strings.Cut(match[4], ": "); ok && parsed.name == "" {
			parsed.name = strings.Trim(text, `"'`)
		}
		lines = append(lines, parsed)
	}
	return lines
}

// find returns the line that a reader of the snapshot would choose for a name: the element of
// exactly that name, before one that contains it. "X in row Y" is looked for inside that row.
func (s snapshot) find(name string) (snapshotLine, bool) {
	if wanted, row, ok := strings.Cut(name, " in row "); ok {
		for i, line := range s {
			if line.role == "row" && s.contains(i, row) {
				return s.inside(i).find(wanted)
			}
		}
	}
	match := []func(snapshotLine) bool{
		func(l snapshotLine) bool { return strings.EqualFold(l.name, name) },
		func(l snapshotLine) bool { return strings.Contains(l.text, name) },
		func(l snapshotLine) bool { return l.role == name },
		func(l snapshotLine) bool {
			role, rest, ok := strings.Cut(name, " ")
			return ok && l.role == role && strings.Contains(l.name, rest)
		},
	}
	for _, fits := range match {
		for i, line := range s {
			if fits(line) {
				return s.withRef(i)
			}
		}
	}
	return snapshotLine{}, false
}

// withRef returns a line, or the nearest one above it that has a ref: text has none of its own.
func (s snapshot) withRef(i int) (snapshotLine, bool) {
	for depth := s[i].depth; i >= 0; i-- {
		if s[i].ref != "" && s[i].depth <= depth {
			return s[i], true
		}
	}
	return snapshotLine{}, false
}

// inside returns the lines under a line.
func (s snapshot) inside(i int) snapshot {
	end := i + 1
	for end < len(s) && s[end].depth > s[i].depth {
		end++
	}
	return s[i+1 : end]
}

// contains reports whether a line or one under it contains a text.
func (s snapshot) contains(i int, text string) bool {
	fits := func(l snapshotLine) bool { return strings.Contains(l.text, text) }
	return fits(s[i]) || slices.ContainsFunc(s.inside(i), fits)
}

var fieldRoles = []string{"textbox", "searchbox", "spinbutton", "slider", "combobox", "checkbox", "switch", "radio", "listbox"}

// findField returns the control of a name: one that bears it, or the first one after the line that
// does, as a label stands before its control.
func (s snapshot) findField(name string) (line snapshotLine, ok bool) {
	for _, exact := range []bool{true, false} {
		for _, line := range s {
			fits := line.name == name || !exact && strings.Contains(line.text, name)
			if fits && line.ref != "" && slices.Contains(fieldRoles, line.role) {
				return line, true
			}
		}
	}
	for i, line := range s {
		if !strings.Contains(line.text, name) {
			continue
		}
		for _, after := range s[i+1 : min(len(s), i+8)] {
			if after.ref != "" && slices.Contains(fieldRoles, after.role) {
				return after, true
			}
		}
	}
	if cell, ok := s.findCell(name); ok {
		return cell, true
	}
	return s.find(name)
}

// findCell returns the cell of "ROW COLUMN": in the row that contains the first words, at the
// place of the column whose header is the last word.
func (s snapshot) findCell(name string) (snapshotLine, bool) {
	cut := strings.LastIndexByte(name, ' ')
	if cut < 0 {
		return snapshotLine{}, false
	}
	row, column := name[:cut], name[cut+1:]
	place := -1
	for i, line := range s {
		if !strings.HasSuffix(line.role, "row") {
			continue
		}
		cells := s.inside(i).cells()
		if place < 0 {
			place = slices.IndexFunc(cells, func(l snapshotLine) bool { return strings.Contains(l.text, column) })
			continue
		}
		if s.contains(i, row) && place < len(cells) {
			return cells[place], cells[place].ref != ""
		}
	}
	return snapshotLine{}, false
}

func (s snapshot) cells() []snapshotLine {
	var cells []snapshotLine
	for _, line := range s {
		if slices.Contains([]string{"cell", "gridcell", "columnheader", "rowheader"}, line.role) {
			cells = append(cells, line)
		}
	}
	return cells
}

const gridReading = `- generic [ref=e1]:
  - generic [ref=e2]: Country
  - combobox [ref=e3]:
    - option "Norway"
  - grid [ref=e8]:
    - row [ref=e10]:
      - columnheader "Name" [ref=e13]
      - columnheader "Qty" [ref=e21]
    - row [ref=e30]:
      - gridcell "Name 1" [ref=e33]
      - gridcell "3" [ref=e35]:
        - checkbox "Select" [ref=e36]
`

func TestSnapshotFindsFieldsAndCells(t *testing.T) {
	lines := parseSnapshot(gridReading)
	for name, want := range map[string]string{"Country": "e3", "Name 1 Qty": "e35", "checkbox in row Name 1": "e36", "Norway": "e3"} {
		if got, ok := lines.findField(name); !ok || got.ref != want {
			t.Errorf("findField(%q) is %q, %v; want %s", name, got.ref, ok, want)
		}
	}
	if got, ok := lines.find("Lima"); ok {
		t.Errorf("find(Lima) is %+v, want none", got)
	}
}
