package oracle

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// table counts what was compared and keeps the differences by cause.
type table struct {
	pages, controls int
	byCause         map[string][]string
	deliberate      map[string]int
	unmeant         int
}

// add compares the controls of one page.
func (t *table) add(page string, tree, reading []control) {
	if t.byCause == nil {
		t.byCause, t.deliberate = map[string][]string{}, map[string]int{}
	}
	t.pages++
	for _, c := range tree {
		if !c.Unseen {
			t.controls++
		}
	}
	for _, d := range compare(tree, reading) {
		row := page + ": "
		switch {
		case d.Reading == nil:
			row += fmt.Sprintf("%v <%s>%v", d.Tree, d.Tree.Node, d.Tree.Traits)
		case d.Tree == nil:
			row += "- " + d.Reading.Line
		default:
			row += fmt.Sprintf("%v <%s>, read as - %s", d.Tree, d.Tree.Node, d.Reading.Line)
		}
		t.byCause[d.Cause] = append(t.byCause[d.Cause], row)
		if d.Deliberate {
			t.deliberate[d.Cause]++
		} else {
			t.unmeant++
		}
	}
}

// unexplained returns the percentage of controls that differ without a reason.
func (t *table) unexplained() float64 {
	return 100 * float64(t.unmeant) / float64(max(1, t.controls))
}

// print writes the differences by cause, those without a reason first.
func (t *table) print(w io.Writer, all bool) {
	for _, cause := range slices.Sorted(maps.Keys(t.byCause)) {
		if t.deliberate[cause] > 0 {
			continue
		}
		fmt.Fprintf(w, "%s: %d\n", cause, len(t.byCause[cause]))
		for _, row := range t.byCause[cause] {
			fmt.Fprintf(w, "  %s\n", row)
		}
	}
	for _, cause := range slices.Sorted(maps.Keys(t.deliberate)) {
		fmt.Fprintf(w, "deliberate: %s: %d\n", cause, t.deliberate[cause])
		if all {
			for _, row := range t.byCause[cause] {
				fmt.Fprintf(w, "  %s\n", row)
			}
		}
	}
	fmt.Fprintf(w, "pages=%d controls=%d unexplained=%d (%.2f %%)\n", t.pages, t.controls, t.unmeant, t.unexplained())
}
