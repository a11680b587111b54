package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// missing says why facts never come true together: which of them no reachable state has, and what
// became of the steps that should set them. It is "" when every fact is true somewhere and only the
// combination is not.
func (p *Proof) missing(facts State) string {
	var seen State
	for _, s := range p.space.states {
		seen |= s
	}
	absent := facts &^ seen
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
	hidden := slices.DeleteFunc(slices.Clone(setters), func(s Step) bool { return p.space.isShown(s.When()) })
	if len(hidden) == len(setters) {
		return fmt.Sprintf("only %s can set it, and that needs a state that is never reached", quoted(setters))
	}
	return fmt.Sprintf("%s can set it, but never to a legal state", quoted(setters))
}

// lockout is a fact that can no longer come true in a state.
type lockout struct {
	fact    *model.Fact
	setters []Step
	in      State
	stuck   State // facts that stay true from there on
}

// lockouts finds each fact that some state makes unreachable, with the state that is nearest to the
// beginning. A fact that no state has is not locked out: it is missing everywhere.
func (p *Proof) lockouts() []lockout {
	var out []lockout
	for _, f := range p.set.Facts {
		setters := p.setters(f)
		if p.causes().absent.Has(f) || slices.ContainsFunc(setters, func(s Step) bool { return s.Event != nil }) {
			continue
		}
		hopeful := p.space.leadingTo(func(s State) bool {
			return s.Has(f) || slices.ContainsFunc(setters, func(step Step) bool { return holds(step.When(), s) })
		})
		if i := slices.Index(hopeful, false); i >= 0 {
			out = append(out, lockout{f, setters, p.space.states[i], p.space.stuckState(int32(i))})
		}
	}
	return out
}

// hiddenUnlocker reports each fact that is locked out; of several that the same facts lock out, the
// first.
func (p *Proof) hiddenUnlocker(report diag.Report) {
	for _, l := range p.lockouts() {
		d := report(l.fact.Pos, "only %s can set %q, and nothing leads from %s to a state that shows it%s",
			quoted(l.setters), l.fact.Name, p.describe(l.in), p.pathTo(l.in))
		d.Related = related(l.setters[0].pos(), fmt.Sprintf("%q needs %s", l.setters[0].name(), l.setters[0].When().Text))
		if l.stuck != 0 {
			d.Hint = p.neverCleared(l.stuck)
			d.Cause = d.Hint
		}
	}
}

// trapState reports each way into a trap, in the nearest state where it leads there; what lies beyond
// is part of the trap. Traps that the same facts hold are one, and one of hiddenUnlocker's is not
// reported again.
func (p *Proof) trapState(report diag.Report) {
	home := p.space.leadingTo(func(s State) bool { return s == Initial })
	if !slices.Contains(home, false) {
		return
	}
	held := slicesx.Map(p.lockouts(), func(l lockout) State { return l.stuck })
	locked := len(held)
	reported := map[Step]bool{}
	for i, s := range p.space.states {
		for a := range p.space.actors {
			by := &p.space.actors[a]
			for to := range p.space.outcomes(by, s) {
				if !home[i] || home[p.space.index[to]] || reported[by.step] {
					continue
				}
				reported[by.step] = true
				stuck := p.space.stuckState(p.space.index[to])
				same := slices.IndexFunc(held, func(h State) bool { return h != 0 && (h&stuck == h || h&stuck == stuck && stuck != 0) })
				switch {
				case same >= 0 && same < locked:
				case same >= 0:
					p.trap(report, s, by.step, to).Cause = p.neverCleared(held[same])
				default:
					held = append(held, stuck)
					if d := p.trap(report, s, by.step, to); stuck != 0 {
						d.Cause = d.Hint
					}
				}
			}
		}
	}
}

func (p *Proof) neverCleared(stuck State) string {
	return "nothing that can happen there ever clears " + joined(stuck.Names(p.set.Facts), "or")
}

func (p *Proof) trap(report diag.Report, from State, step Step, to State) *diag.Diagnostic {
	way := append(p.space.Witness(from), step)
	d := report(step.changePos(), "%s %q leads into a trap: from %s there is no way back to the initial state (%s)",
		step.kind(), step.name(), p.describe(to), way)
	if stuck := p.space.stuckState(p.space.index[to]); stuck != 0 {
		d.Hint = p.neverCleared(stuck)
	}
	return d
}

// scenarioUnreachable leaves out scenarios for whose facts another rule has found the root.
func (p *Proof) scenarioUnreachable(report diag.Report) {
	for _, sc := range p.set.Scenarios {
		s := StateOf(sc.Facts)
		if p.space.Has(s) || len(broken(p.set, s)) > 0 || s&p.reported() != 0 {
			continue
		}
		if slices.ContainsFunc(p.set.Tools, func(t *model.Tool) bool { return !p.space.isShown(t.Visible) && holds(t.Visible, s) }) {
			continue // reported as a tool that no reachable state shows
		}
		report(sc.Pos, "scenario %q can never happen: nothing leads to %s", sc.Name, p.describe(s)).Hint = "delete it, or let a tool or an event lead there"
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
