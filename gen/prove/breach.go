package prove

import (
	"math/bits"
	"slices"
	"strconv"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// breach is a step that breaks an invariant, in the nearest state where it does.
type breach struct {
	step     Step
	rule     *model.Invariant
	from, to State
}

// invariantBroken reports each pair of step and invariant once. Several invariants that one step
// breaks are one mistake, and so are several steps that break one invariant: the larger group first.
func (p *Proof) invariantBroken(report diag.Report) {
	for left := p.allBreaches(); len(left) > 0; {
		var group []breach
		for _, b := range left {
			byStep := slices.DeleteFunc(slices.Clone(left), func(o breach) bool { return o.step != b.step })
			byRule := slices.DeleteFunc(slices.Clone(left), func(o breach) bool { return o.rule != b.rule })
			for _, g := range [][]breach{byStep, byRule} {
				if len(g) > len(group) {
					group = g
				}
			}
		}
		p.reportBreaches(report, group)
		left = slices.DeleteFunc(left, func(b breach) bool { return slices.Contains(group, b) })
	}
}

// reportBreaches reports breaches of one step or of one invariant as one.
func (p *Proof) reportBreaches(report diag.Report, group []breach) {
	first := group[0]
	var rules []string
	for _, b := range group {
		if b.step == first.step {
			rules = append(rules, strconv.Quote(b.rule.Text))
		}
	}
	what := "invariant"
	if len(rules) > 1 {
		what = "invariants"
	}
	d := report(first.step.changePos(), "%s %q leads from %s to %s, which breaks the %s %s%s", first.step.kind(), first.step.name(),
		p.describe(first.from), p.describe(first.to), what, joined(rules, "and"), p.pathTo(first.from))
	d.Hint = "let the change keep the invariant, or correct the invariant"
	d.Related = related(first.rule.Pos, "the invariant")
	for _, b := range group[1:] {
		if at := b.step.changePos(); b.step != first.step {
			d.Also = append(d.Also, at)
		}
	}
}

// allBreaches finds the pairs of step and invariant.
func (p *Proof) allBreaches() []breach {
	var out []breach
	for _, s := range p.space.states {
		for _, by := range p.space.actors {
			if !holds(by.when, s) {
				continue
			}
			for _, to := range p.breaches(by.effect, s) {
				for _, rule := range broken(p.set, to) {
					if !slices.ContainsFunc(out, func(b breach) bool { return b.step == by.step && b.rule == rule }) {
						out = append(out, breach{by.step, rule, s, to})
					}
				}
			}
		}
	}
	return out
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
