package prove

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// causes says why facts are true in no reachable state. A fact is missing because nothing sets it,
// because its setters lead to no legal state, or because a state that shows one is never reached; and
// then often for want of another missing fact. Only the roots of such chains are reported.
type causes struct {
	absent State // facts that no reachable state has
	known  State // those of them whose root is reported
	loops  []loop
}

// loop is a root: facts that wait for each other. Tools are those that would set one.
type loop struct {
	facts State
	tools []*model.Tool
}

// causesOf finds the roots.
func (p *Proof) causesOf() causes {
	c := causes{absent: p.all()}
	for _, s := range p.space.states {
		c.absent &^= s
	}
	needs := map[*model.Fact]State{} // what the setters of an absent fact wait for
	for _, f := range p.set.Facts {
		if !c.absent.Has(f) {
			continue
		}
		setters := p.setters(f)
		for _, s := range setters {
			needs[f] |= p.waitsFor(s.When(), c.absent)
			if p.space.isShown(s.When()) || s.Tool != nil && !p.isExplained(s.When(), c.absent) {
				c.known |= bit(f) // as a broken invariant, or as an unreachable tool
			}
		}
		if len(setters) == 0 {
			c.known |= bit(f) // as a fact that nothing sets
		}
	}
	c.close(p.set.Facts, needs)
	for _, f := range p.set.Facts {
		if c.absent.Has(f) && !c.known.Has(f) && c.isRoot(p.set.Facts, needs, f) {
			group := closure(p.set.Facts, needs, bit(f))
			c.loops = append(c.loops, loop{group, p.hiddenSetters(group)})
			c.known |= group
			c.close(p.set.Facts, needs)
		}
	}
	return c
}

// all is the state in which every fact is true.
func (p *Proof) all() State { return StateOf(p.set.Facts) }

// waitsFor gives the absent facts that a condition needs: those of the legal states that meet it with
// the fewest absent facts. It is 0 when the condition needs none.
func (p *Proof) waitsFor(when model.Predicate, absent State) State {
	var out State
	fewest := len(p.set.Facts) + 1
	for s, legal := range p.space.legal {
		if !legal || !holds(when, State(s)) {
			continue
		}
		need := State(s) & absent
		switch n := bits.OnesCount64(uint64(need)); {
		case n < fewest:
			fewest, out = n, need
		case n == fewest:
			out |= need
		}
	}
	return out
}

// isExplained reports whether a condition is false for want of absent facts: no legal state without
// any of them meets it.
func (p *Proof) isExplained(when model.Predicate, absent State) bool {
	return !p.space.holdsSomewhere(func(s State) bool { return s&absent == 0 && holds(when, s) })
}

// close takes every fact for known that waits for a known one.
func (c *causes) close(facts []*model.Fact, needs map[*model.Fact]State) {
	for changed := true; changed; {
		changed = false
		for _, f := range facts {
			if c.absent.Has(f) && !c.known.Has(f) && needs[f]&c.known != 0 {
				c.known |= bit(f)
				changed = true
			}
		}
	}
}

// isRoot reports whether all that a fact waits for waits for it in turn.
func (c *causes) isRoot(facts []*model.Fact, needs map[*model.Fact]State, f *model.Fact) bool {
	group := closure(facts, needs, bit(f))
	return !slices.ContainsFunc(facts, func(g *model.Fact) bool {
		return group.Has(g) && !closure(facts, needs, bit(g)).Has(f)
	})
}

// closure adds to facts all facts that they wait for, directly or not.
func closure(facts []*model.Fact, needs map[*model.Fact]State, from State) State {
	for {
		next := from
		for _, f := range facts {
			if from.Has(f) {
				next |= needs[f]
			}
		}
		if next == from {
			return from
		}
		from = next
	}
}

// hiddenSetters lists the tools that would set one of the facts.
func (p *Proof) hiddenSetters(facts State) []*model.Tool {
	var out []*model.Tool
	for _, f := range p.set.Facts {
		if !facts.Has(f) {
			continue
		}
		for _, s := range p.setters(f) {
			if s.Tool != nil && !slices.Contains(out, s.Tool) {
				out = append(out, s.Tool)
			}
		}
	}
	return out
}

// dependents adds to facts the absent ones of which a setter waits for one of them.
func (p *Proof) dependents(facts State) State {
	absent := p.causes().absent
	for more := facts; ; facts = more {
		for _, f := range p.set.Facts {
			if absent.Has(f) && slices.ContainsFunc(p.setters(f), func(s Step) bool { return p.waitsFor(s.When(), absent)&facts != 0 }) {
				more |= bit(f)
			}
		}
		if more == facts {
			return facts
		}
	}
}

// hiddenFor lists the tools that are unreachable because a root is: all that wait for one of its
// facts or for a dependent one.
func (p *Proof) hiddenFor(facts State) []*model.Tool {
	facts = p.dependents(facts)
	return slices.DeleteFunc(slices.Clone(p.set.Tools), func(t *model.Tool) bool {
		return p.space.isShown(t.Visible) || !p.space.isPossible(t.Visible) || p.waitsFor(t.Visible, p.causes().absent)&facts == 0
	})
}

// reported gives the absent facts whose root another rule reports: all but those that only events
// set and no tool waits for.
func (p *Proof) reported() State {
	c := p.causes()
	known := c.known
	for _, l := range c.loops {
		if len(l.tools) == 0 && len(p.hiddenFor(l.facts)) == 0 {
			known &^= p.dependents(l.facts)
		}
	}
	return known
}

// causes is causesOf, once for all rules.
func (p *Proof) causes() causes {
	if p.found == nil {
		c := p.causesOf()
		p.found = &c
	}
	return *p.found
}

// hides ends a hint with the tools that a root hides; "" when it hides none beside the one that is
// reported.
func hides(tools []*model.Tool, reported *model.Tool) string {
	const most = 4
	var names []string
	for _, t := range tools {
		if t != reported {
			names = append(names, strconv.Quote(t.Name))
		}
	}
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	if len(names) == 0 {
		return ""
	}
	verb := "are"
	if len(names) == 1 {
		verb = "is"
	}
	return fmt.Sprintf("so %s %s visible in no reachable state", joined(names, "and"), verb)
}

// unreachableTool reports the roots: tools that wait for no other missing fact, and one tool for
// facts that wait for each other. It leaves out tools whose predicate never-true has already
// reported.
func (p *Proof) unreachableTool(report diag.Report) {
	c := p.causes()
	unreachable := func(t *model.Tool, want State) *diag.Diagnostic {
		d := report(t.Pos, "tool %q is visible in no reachable state: it needs %s", t.Name, t.Visible.Text)
		d.Hint = p.missing(want)
		return d
	}
	for _, t := range p.set.Tools {
		if !p.space.isShown(t.Visible) && p.space.isPossible(t.Visible) && !p.isExplained(t.Visible, c.absent) {
			unreachable(t, mentioned(t.Visible.Expr)).Cause = t.Visible.Text
		}
	}
	for _, l := range c.loops {
		hidden := p.hiddenFor(l.facts)
		first := slices.Concat(l.tools, hidden)
		if len(first) == 0 {
			continue // events alone, which are nothing that is promised
		}
		d := unreachable(first[0], l.facts)
		if more := hides(hidden, first[0]); more != "" {
			d.Hint += "; " + more
		}
	}
}
