package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// unreachableTool leaves out tools whose predicate never-true has already reported: the cause is
// named once.
func (p *Proof) unreachableTool(report diag.Report) {
	for _, t := range p.set.Tools {
		if p.isShown(t.Visible) || !p.isPossible(t.Visible) {
			continue
		}
		d := report(t.Pos, "tool %q is visible in no reachable state: it needs %s", t.Name, t.Visible.Text)
		d.Hint = p.missing(t.Visible)
	}
}

// isShown reports whether the condition holds in any reachable state.
func (p *Proof) isShown(when model.Predicate) bool {
	return slices.ContainsFunc(p.space.states, func(s State) bool { return holds(when, s) })
}

// missing says why a condition never comes true: which of its facts no reachable state has, and
// what became of those that should set them. It is "" when every fact is true somewhere and only
// the combination is not.
func (p *Proof) missing(when model.Predicate) string {
	var seen State
	for _, s := range p.space.states {
		seen |= s
	}
	absent := mentioned(when.Expr) &^ seen
	var out []string
	for _, f := range p.set.Facts {
		if !absent.Has(f) {
			continue
		}
		if setters := p.setters(f); len(setters) > 0 {
			out = append(out, fmt.Sprintf("%s is true in no reachable state: %s", f.Name, p.settersHint(setters)))
		} else {
			out = append(out, fmt.Sprintf("nothing sets %s", f.Name))
		}
	}
	return strings.Join(out, "; ")
}

// settersHint says why steps that set a fact never did.
func (p *Proof) settersHint(setters []Step) string {
	hidden := slices.DeleteFunc(slices.Clone(setters), func(s Step) bool { return p.isShown(s.When()) })
	if len(hidden) == len(setters) {
		return fmt.Sprintf("only %s can set it, and that needs a state that is never reached", quoted(setters))
	}
	return fmt.Sprintf("%s can set it, but never to a legal state", quoted(setters))
}

// hiddenUnlocker reports each fact once, in the state that is nearest to the beginning.
func (p *Proof) hiddenUnlocker(report diag.Report) {
	for _, f := range p.set.Facts {
		setters := p.setters(f)
		if len(setters) == 0 || slices.ContainsFunc(setters, func(s Step) bool { return s.Event != nil }) {
			continue
		}
		hopeful := p.space.leadingTo(func(s State) bool {
			return s.Has(f) || slices.ContainsFunc(setters, func(step Step) bool { return holds(step.When(), s) })
		})
		if i := slices.Index(hopeful, false); i >= 0 {
			s := p.space.states[i]
			d := report(f.Pos, "only %s can set %q, and nothing leads from %s to a state that shows it%s",
				quoted(setters), f.Name, p.describe(s), p.pathTo(s))
			d.Related = related(setters[0].pos(), fmt.Sprintf("%q needs %s", setters[0].name(), setters[0].When().Text))
		}
	}
}

// trapState reports each step that leads into a trap once, in the nearest state where it does; what
// lies beyond is part of the trap.
func (p *Proof) trapState(report diag.Report) {
	home := p.space.leadingTo(func(s State) bool { return s == Initial })
	if !slices.Contains(home, false) {
		return
	}
	reported := map[Step]bool{}
	for i, s := range p.space.states {
		for a := range p.space.actors {
			by := &p.space.actors[a]
			for to := range p.space.outcomes(by, s) {
				if home[i] && !home[p.space.index[to]] && !reported[by.step] {
					reported[by.step] = true
					p.trap(report, s, by.step, to)
				}
			}
		}
	}
}

func (p *Proof) trap(report diag.Report, from State, step Step, to State) {
	way := append(p.space.Witness(from), step)
	d := report(step.changePos(), "%s %q leads into a trap: from %s there is no way back to the initial state (%s)",
		step.kind(), step.name(), p.describe(to), way)
	if stuck := p.stuckState(p.space.index[to]); stuck != 0 {
		d.Hint = "nothing that can happen there ever clears " + joined(stuck.Names(p.set.Facts), "or")
	}
}

// stuckState gives the facts that are true in every state that can be reached from state i on.
func (p *Proof) stuckState(i int32) State {
	facts := p.space.states[i]
	seen := map[int32]bool{i: true}
	for queue := []int32{i}; len(queue) > 0; queue = queue[1:] {
		facts &= p.space.states[queue[0]]
		for _, e := range p.space.out.group(queue[0]) {
			if !seen[e.to] {
				seen[e.to] = true
				queue = append(queue, e.to)
			}
		}
	}
	return facts
}

func (p *Proof) scenarioUnreachable(report diag.Report) {
	for _, sc := range p.set.Scenarios {
		s := StateOf(sc.Facts)
		if p.space.Has(s) || len(broken(p.set, s)) > 0 {
			continue
		}
		report(sc.Pos, "scenario %q can never happen: nothing leads to %s", sc.Name, p.describe(s))
	}
}

// describe names a state in a message.
func (p *Proof) describe(s State) string {
	if s == Initial {
		return "the initial state"
	}
	return "{" + strings.Join(s.Names(p.set.Facts), ", ") + "}"
}

// pathTo ends a message with the shortest way to a state.
func (p *Proof) pathTo(s State) string {
	if s == Initial {
		return ""
	}
	return fmt.Sprintf(" (after %s)", p.space.Witness(s))
}

func related(pos diag.Pos, message string) *diag.Related {
	return &diag.Related{Pos: pos, Message: message}
}
