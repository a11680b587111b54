package prove

import (
	"iter"
	"slices"

	"github.com/callsheet/callsheet/gen/model"
)

// Space is the exact set of states that a session can reach, and how. It is immutable and safe for
// concurrent use.
//
// A state leads to another when a tool that is visible there, or an event whose condition holds,
// may change the facts that way and the outcome is legal. Facts that may change do so in every
// combination that respects the invariants.
type Space struct {
	set    *model.Toolset
	legal  []bool  // per state: whether it respects every invariant; nil when there are too many facts
	actors []actor // what changes facts: tools by name, then events in manifest order
	states []State // reachable, breadth first
	index  []int32 // per state: its index in states, or -1
	parent []int32 // per index: the edge by which the state was first reached; -1 for the initial one
	out    graph   // edges grouped by from
	in     graph   // the same edges grouped by to
}

// actor is a step that changes facts.
type actor struct {
	step   Step
	when   model.Predicate
	effect effect
}

// edge is one transition. Of several between the same two states only the one a client would rather
// take is kept.
type edge struct {
	from, to int32 // indexes of states
	actor    int32
	kind     kind
}

// kind grades a transition by how much a client can rely on it: lower is better.
type kind uint8

const (
	sure  kind = iota // a call with this one outcome
	maybe             // a call that may have other outcomes
	event             // nothing a client can call
)

// graph is a list of edges in groups: group i is edges[first[i]:first[i+1]].
type graph struct {
	edges []edge
	first []int32
}

func (g *graph) group(i int32) []edge { return g.edges[g.first[i]:g.first[i+1]] }

// Walk finds every state that can be reached from the initial one. The space is empty when the
// initial state breaks an invariant or there are more than MaxFacts facts; Check says so.
func Walk(set *model.Toolset) *Space {
	sp := &Space{set: set}
	if len(set.Facts) > MaxFacts {
		return sp
	}
	sp.legal = legalStates(set)
	sp.index = slices.Repeat([]int32{-1}, len(sp.legal))
	if !sp.legal[Initial] {
		return sp
	}
	for _, s := range steps(set) {
		if e := effectOf(s.Changes()); !e.none() {
			sp.actors = append(sp.actors, actor{s, s.When(), e})
		}
	}
	sp.explore()
	sp.in = sp.reversed()
	return sp
}

// explore is the breadth-first search: the first path found to a state is one of the shortest.
func (sp *Space) explore() {
	sp.add(Initial, -1)
	sp.out.first = []int32{0}
	latest := slices.Repeat([]int32{-1}, len(sp.legal)) // per state: the latest edge to it
	for i := int32(0); int(i) < len(sp.states); i++ {
		start := int32(len(sp.out.edges))
		for a := range sp.actors {
			sp.act(i, int32(a), start, latest)
		}
		for e := start; int(e) < len(sp.out.edges); e++ {
			next := &sp.out.edges[e]
			if to := State(next.to); sp.index[to] < 0 {
				sp.add(to, e)
			}
			next.to = sp.index[next.to]
		}
		sp.out.first = append(sp.out.first, int32(len(sp.out.edges)))
	}
}

func (sp *Space) add(s State, by int32) {
	sp.index[s] = int32(len(sp.states))
	sp.states = append(sp.states, s)
	sp.parent = append(sp.parent, by)
}

// act adds the edges of one actor from state i, whose edges begin at start. Until explore has
// numbered the targets, an edge's to is the state itself.
func (sp *Space) act(i, a, start int32, latest []int32) {
	from, by := sp.states[i], &sp.actors[a]
	grade := event
	if by.step.Tool != nil {
		grade = sp.certainty(by, from)
	}
	for to := range sp.outcomes(by, from) {
		if to == from {
			continue
		}
		next := edge{from: i, to: int32(to), actor: a, kind: grade}
		switch at := latest[to]; {
		case at < start:
			latest[to] = int32(len(sp.out.edges))
			sp.out.edges = append(sp.out.edges, next)
		case grade < sp.out.edges[at].kind, grade == sp.out.edges[at].kind && sp.before(&next, &sp.out.edges[at]):
			sp.out.edges[at] = next
		}
	}
}

// outcomes yields the legal states that one step of the actor can lead to from s, s itself included
// when it may change nothing; none where its condition is false.
func (sp *Space) outcomes(by *actor, s State) iter.Seq[State] {
	return func(yield func(State) bool) {
		if !holds(by.when, s) {
			return
		}
		base, open := by.effect.from(s)
		for flipped := range subsets(open) {
			if to := base ^ flipped; sp.legal[to] && !yield(to) {
				return
			}
		}
	}
}

// certainty grades a call by the number of its outcomes.
func (sp *Space) certainty(by *actor, s State) kind {
	n := 0
	for range sp.outcomes(by, s) {
		if n++; n > 1 {
			return maybe
		}
	}
	return sure
}

// reversed groups the edges by the state they lead to, by counting.
func (sp *Space) reversed() graph {
	n := len(sp.states)
	g := graph{edges: make([]edge, len(sp.out.edges)), first: make([]int32, n+1)}
	for _, e := range sp.out.edges {
		g.first[e.to+1]++
	}
	for i := range n {
		g.first[i+1] += g.first[i]
	}
	fill := slices.Clone(g.first)
	for _, e := range sp.out.edges {
		g.edges[fill[e.to]] = e
		fill[e.to]++
	}
	return g
}

// States lists the reachable states, the initial one first and then by the length of the shortest
// way to them. The order is the same in every run.
func (sp *Space) States() []State { return slices.Clone(sp.states) }

// Legal lists the states that respect every invariant, reachable or not, in ascending order.
func (sp *Space) Legal() []State {
	var out []State
	for s, ok := range sp.legal {
		if ok {
			out = append(out, State(s))
		}
	}
	return out
}

// Has reports whether the state can be reached.
func (sp *Space) Has(s State) bool { return s < State(len(sp.index)) && sp.index[s] >= 0 }

// Visible lists the tools whose predicate holds in the state, sorted by name. It takes any state,
// reachable or not.
func (sp *Space) Visible(s State) []*model.Tool {
	return slices.DeleteFunc(slices.Clone(sp.set.Tools), func(t *model.Tool) bool { return !holds(t.Visible, s) })
}

// Witness gives a shortest path from the initial state to s: no steps for the initial state, nil
// when s cannot be reached.
func (sp *Space) Witness(s State) Path {
	if !sp.Has(s) {
		return nil
	}
	path := Path{}
	for at := sp.parent[sp.index[s]]; at >= 0; {
		e := sp.out.edges[at]
		path = append(path, sp.actors[e.actor].step)
		at = sp.parent[e.from]
	}
	slices.Reverse(path)
	return path
}

// Transition is a pair of different reachable states with everything that leads from one to the
// other.
type Transition struct {
	From, To State
	Steps    []Step // tools by name, then events in manifest order
}

// Transitions lists how the reachable states hang together, grouped by From in the order of States.
func (sp *Space) Transitions() []Transition {
	var out []Transition
	for _, from := range sp.states {
		at := map[State]int{}
		for a := range sp.actors {
			for to := range sp.outcomes(&sp.actors[a], from) {
				if to == from {
					continue
				}
				i, ok := at[to]
				if !ok {
					i = len(out)
					at[to] = i
					out = append(out, Transition{From: from, To: to})
				}
				out[i].Steps = append(out[i].Steps, sp.actors[a].step)
			}
		}
	}
	return out
}

// leadingTo marks the states, by index, from which one that goal accepts can be reached.
func (sp *Space) leadingTo(goal func(State) bool) []bool {
	marked := make([]bool, len(sp.states))
	var queue []int32
	for i, s := range sp.states {
		if goal(s) {
			marked[i] = true
			queue = append(queue, int32(i))
		}
	}
	if len(queue) == len(sp.states) {
		return marked
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, e := range sp.in.group(i) {
			if !marked[e.from] {
				marked[e.from] = true
				queue = append(queue, e.from)
			}
		}
	}
	return marked
}

// isPossible reports whether the predicate is true in any legal state.
func (sp *Space) isPossible(when model.Predicate) bool {
	return sp.holdsSomewhere(func(s State) bool { return holds(when, s) })
}

// holdsSomewhere reports whether ok accepts any legal state.
func (sp *Space) holdsSomewhere(ok func(State) bool) bool {
	for s, legal := range sp.legal {
		if legal && ok(State(s)) {
			return true
		}
	}
	return false
}

// isShown reports whether the condition holds in any reachable state.
func (sp *Space) isShown(when model.Predicate) bool {
	return slices.ContainsFunc(sp.states, func(s State) bool { return holds(when, s) })
}

// stuckState gives the facts that are true in every state that can be reached from state i on.
func (sp *Space) stuckState(i int32) State {
	facts := sp.states[i]
	seen := map[int32]bool{i: true}
	for queue := []int32{i}; len(queue) > 0; queue = queue[1:] {
		facts &= sp.states[queue[0]]
		for _, e := range sp.out.group(queue[0]) {
			if !seen[e.to] {
				seen[e.to] = true
				queue = append(queue, e.to)
			}
		}
	}
	return facts
}
