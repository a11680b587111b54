package prove

import (
	"math/bits"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// invariantBroken reports each pair of step and invariant once, in the nearest state where it
// breaks.
func (p *Proof) invariantBroken(report diag.Report) {
	type breach struct {
		step Step
		rule *model.Invariant
	}
	reported := map[breach]bool{}
	find := func(step Step, from, to State) {
		for _, rule := range broken(p.set, to) {
			if reported[breach{step, rule}] {
				continue
			}
			reported[breach{step, rule}] = true
			d := report(step.changePos(), "%s %q leads from %s to %s, which breaks the invariant %q%s",
				step.kind(), step.name(), p.describe(from), p.describe(to), rule.Text, p.pathTo(from))
			d.Related = related(rule.Pos, "the invariant")
		}
	}
	for _, s := range p.space.states {
		for _, by := range p.space.actors {
			if !holds(by.when, s) {
				continue
			}
			for _, to := range p.breaches(by.effect, s) {
				find(by.step, s, to)
			}
		}
	}
}

// breaches lists an illegal outcome for each effect that has no legal one: the certain effects
// taken together, then each fact that may turn over.
func (p *Proof) breaches(e effect, s State) []State {
	base, open := e.from(s)
	var fine State // facts that turn over in a legal outcome
	lawful := false
	for flipped := range subsets(open) {
		if p.space.legal[base^flipped] {
			fine |= flipped
			lawful = true
		}
		if lawful && fine == open {
			return nil
		}
	}
	if !lawful {
		return []State{p.leastBroken(base, open, 0)}
	}
	var out []State
	for rest := open &^ fine; rest != 0; rest &= rest - 1 {
		out = append(out, p.leastBroken(base, open, rest&-rest))
	}
	return out
}

// leastBroken picks, among the outcomes in which the facts of must turn over, the one that breaks
// the fewest invariants and turns over the most facts: the outcome whose defect is hardest to
// excuse.
func (p *Proof) leastBroken(base, open, must State) State {
	worst := func(flipped State) (int, int) {
		return len(broken(p.set, base^flipped)), -bits.OnesCount64(uint64(flipped))
	}
	best := must
	for more := range subsets(open &^ must) {
		n, turned := worst(must | more)
		if m, had := worst(best); n < m || n == m && turned < had {
			best = must | more
		}
	}
	return base ^ best
}
