package prove

import (
	"cmp"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// idleListing reports each listed condition that changes no list that a client can be sent.
func (p *Proof) idleListing(report diag.Report) {
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
