package prove

import (
	"cmp"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// idleListing reports each listed and joins condition that changes no list that a client can be sent.
func (p *Proof) idleListing(report diag.Report) {
	p.idleJoining(report)
	for _, t := range p.set.Tools {
		if t.Listed == nil || !p.space.isShown(t.Visible) {
			continue
		}
		shown, listed := p.countLists(t)
		switch {
		case listed == 0 && p.waitsFor(both(t), p.causes().absent)&p.reported() != 0: // follows from what is reported
		case listed == 0:
			d := report(t.At.Listed, "no reachable state lists %q: it is visible %s and listed %s", t.Name, inWords(t.Visible), inWords(*t.Listed))
			d.Hint, d.Cause = cmp.Or(p.missing(mentioned(t.Listed.Expr)), "write a condition that can hold where the tool is visible"), t.Visible.Text+" and "+t.Listed.Text
		case t.Listed.Always():
			report(t.At.Listed, "%q is listed always", t.Name).Hint = "write tier: 1 instead"
		case t.Tier == 1 && listed == shown:
			report(t.At.Listed, "%q is listed wherever it is visible, as tier 1 is anyway", t.Name).Hint = "leave listed out"
		}
	}
}

// idleJoining reports each joins condition that adds the tool to no core list, or to the first one.
func (p *Proof) idleJoining(report diag.Report) {
	for _, t := range p.set.Tools {
		if t.Joins == nil || !p.space.isShown(t.Visible) {
			continue
		}
		joined := slices.IndexFunc(p.space.states, func(s State) bool { return t.JoinsIn(uint64(s)) && holds(t.Visible, s) })
		switch {
		case t.Tier == 1:
			report(t.At.Joins, "%q is in the core list, which is tier 1", t.Name).Hint = "leave joins out, or write tier: 2"
		case joined < 0:
			report(t.At.Joins, "no reachable state adds %q to the core list: it is visible %s and joins %s", t.Name, inWords(t.Visible), inWords(*t.Joins)).Hint =
				"write a condition that can hold where the tool is visible"
		case t.JoinsIn(0):
			report(t.At.Joins, "%q joins the core list in the first state of a session, so it never is the core list alone", t.Name).Hint =
				"write tier: 1, or a condition that does not hold before the first call"
		}
	}
}

// both is the condition under which a tool is visible and listed.
func both(t *model.Tool) model.Predicate {
	switch {
	case t.Visible.Always():
		return *t.Listed
	case t.Listed.Always():
		return t.Visible
	}
	return model.Predicate{Text: t.Visible.Text + " && " + t.Listed.Text, Expr: model.AndExpr{X: t.Visible.Expr, Y: t.Listed.Expr}}
}

// countLists counts the reachable states in which the tool is visible, and those in which it is listed.
func (p *Proof) countLists(t *model.Tool) (shown, listed int) {
	for _, s := range p.space.states {
		if holds(t.Visible, s) {
			shown++
		}
		if t.ListedIn(uint64(s)) {
			listed++
		}
	}
	return shown, listed
}

func inWords(p model.Predicate) string {
	if p.Always() {
		return "always"
	}
	return "when " + p.InWords()
}
