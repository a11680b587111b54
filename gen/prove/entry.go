package prove

import (
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// conditional lists the prompts and resources that have a predicate.
func conditional(set *model.Toolset) []model.Declared {
	return slicesx.Filter(set.Entries(), func(x model.Declared) bool { return !model.EntryOf(x).Visible.Always() })
}

// entryNeverTrue reports prompts and resources that no legal state shows.
func (p *Proof) entryNeverTrue(report diag.Report) {
	for _, x := range conditional(p.set) {
		if e := model.EntryOf(x); !p.space.isPossible(e.Visible) {
			report(e.Pos, "the condition of %s %q is false in every legal state: %s", x.Kind(), e.Name, e.Visible.Text).Cause = e.Visible.Text
		}
	}
}

// entryAlwaysTrue reports conditions of prompts and resources that decide nothing.
func (p *Proof) entryAlwaysTrue(report diag.Report) {
	for _, x := range conditional(p.set) {
		e := model.EntryOf(x)
		if p.space.holdsSomewhere(func(s State) bool { return !holds(e.Visible, s) }) {
			continue
		}
		d := report(e.Pos, "the condition of %s %q is true in every legal state: %s", x.Kind(), e.Name, e.Visible.Text)
		d.Hint, d.Cause = "write always", e.Visible.Text
	}
}

// unreachableEntry reports prompts and resources that no reachable state shows, unless that follows from
// a fact whose root another rule reports.
func (p *Proof) unreachableEntry(report diag.Report) {
	for _, x := range conditional(p.set) {
		e := model.EntryOf(x)
		if p.space.isShown(e.Visible) || !p.space.isPossible(e.Visible) || p.waitsFor(e.Visible, p.causes().absent)&p.reported() != 0 {
			continue
		}
		d := report(e.VisiblePos, "%s %q is visible in no reachable state: it needs %s", x.Kind(), e.Name, e.Visible.Text)
		d.Hint, d.Cause = p.missing(mentioned(e.Visible.Expr)), e.Visible.Text
	}
}
