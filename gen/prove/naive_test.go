package prove_test

import (
	"slices"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/prove"
)

// naive is the prover's meaning written down as plainly as possible: sets of states in maps,
// fixpoints by repetition, no masks, no graph. The property tests hold the real thing against it.
type naive struct{ set *model.Toolset }

type states map[prove.State]bool

func (n naive) legal(s prove.State) bool {
	for _, i := range n.set.Invariants {
		if !i.Predicate.Holds(uint64(s)) {
			return false
		}
	}
	return true
}

func (n naive) steps() []prove.Step {
	var out []prove.Step
	for _, t := range n.set.Tools {
		out = append(out, prove.Step{Tool: t})
	}
	for _, e := range n.set.Events {
		out = append(out, prove.Step{Event: e})
	}
	return out
}

// combinations lists what a step may do to a state, legal or not, each with the facts that turn
// over by chance.
func (n naive) combinations(s prove.State, step prove.Step) map[prove.State]prove.State {
	c := step.Changes()
	for _, f := range c.Clears {
		s &^= prove.StateOf([]*model.Fact{f})
	}
	s |= prove.StateOf(c.Sets)
	out := map[prove.State]prove.State{s: 0}
	for _, f := range slices.Concat(c.MaySet, c.MayClear) {
		one := prove.StateOf([]*model.Fact{f})
		if s.Has(f) != slices.Contains(c.MayClear, f) {
			continue // what may be either afterwards only turns false
		}
		for t, turned := range out {
			if turned&one == 0 {
				out[t^one] = turned | one
			}
		}
	}
	return out
}

// next lists the legal states a step leads to, none when it cannot be taken.
func (n naive) next(s prove.State, step prove.Step) states {
	out := states{}
	if !step.When().Holds(uint64(s)) {
		return out
	}
	for t := range n.combinations(s, step) {
		if n.legal(t) {
			out[t] = true
		}
	}
	return out
}

// distances gives, for every state that can be reached from one, the least number of steps.
func (n naive) distances(from prove.State) map[prove.State]int {
	out := map[prove.State]int{}
	if n.legal(from) {
		out[from] = 0
	}
	for changed := true; changed; {
		changed = false
		for s, d := range out {
			for _, step := range n.steps() {
				for t := range n.next(s, step) {
					if had, ok := out[t]; !ok || d+1 < had {
						out[t] = d + 1
						changed = true
					}
				}
			}
		}
	}
	return out
}

// follow gives the states a path may lead to.
func (n naive) follow(from prove.State, path prove.Path) states {
	at := states{from: true}
	for _, step := range path {
		then := states{}
		for s := range at {
			for t := range n.next(s, step) {
				then[t] = true
			}
		}
		at = then
	}
	return at
}

// price is how bad a route is: events first, then length.
type price struct{ events, steps int }

func (p price) less(q price) bool {
	return p.events < q.events || p.events == q.events && p.steps < q.steps
}

// prices gives the best price of a route from each reachable state to one where goal holds.
func (n naive) prices(reached map[prove.State]int, goal model.Predicate) map[prove.State]price {
	out := map[prove.State]price{}
	for s := range reached {
		if goal.Holds(uint64(s)) {
			out[s] = price{}
		}
	}
	for changed := true; changed; {
		changed = false
		for s := range reached {
			for _, step := range n.steps() {
				for t := range n.next(s, step) {
					p, ok := out[t]
					if !ok {
						continue
					}
					p.steps++
					if step.Event != nil {
						p.events++
					}
					if had, ok := out[s]; !ok || p.less(had) {
						out[s] = p
						changed = true
					}
				}
			}
		}
	}
	return out
}

// breaks reports whether a step that can be taken in s has an effect without any legal outcome.
func (n naive) breaks(s prove.State, step prove.Step) bool {
	if !step.When().Holds(uint64(s)) {
		return false
	}
	var wanted, granted prove.State
	lawful := false
	for t, turned := range n.combinations(s, step) {
		wanted |= turned
		if n.legal(t) {
			granted |= turned
			lawful = true
		}
	}
	return !lawful || wanted != granted
}
