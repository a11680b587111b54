package prove

import (
	"cmp"
	"container/heap"
	"math"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// Via gives the way from a state to one where the tool is visible, as advice for a client that
// called it too early. It is nil when the tool is visible in s already, when s cannot be reached
// and when there is no way.
//
// Of all ways it takes one with the fewest events, because a client cannot cause those; of these a
// shortest one; of these one whose calls most surely have the wanted outcome; of these the one
// whose tool may change the fewest facts, because the others were not asked for; of these the one
// whose tool has the lowest tier, because a client has seen it; of these the one whose tool is
// declared first, so that a manifest's author decides which of two equally good tools is advised.
func (sp *Space) Via(tool *model.Tool, s State) Path {
	if !sp.Has(s) {
		return nil
	}
	return sp.routesTo(tool.Visible).from(sp.index[s])
}

// cost orders routes by events, then length, then uncertain calls, packed so that costs add and
// compare as numbers. A shortest route visits a state once at most, so no part can exceed MaxFacts
// bits plus one: 21 bits each.
type cost uint64

const (
	costBits         = MaxFacts + 1
	unreachable cost = math.MaxUint64
)

func (k kind) cost() cost {
	const step = 1 << costBits
	switch k {
	case sure:
		return step
	case maybe:
		return step + 1
	}
	return step + 1<<(2*costBits)
}

// routes holds, for one predicate, the best next edge from every state.
type routes struct {
	sp   *Space
	next []int32 // per index: the edge to take; -1 where the predicate holds or there is no way
}

func (sp *Space) routesTo(goal model.Predicate) routes {
	costs := sp.costsTo(goal)
	r := routes{sp, make([]int32, len(sp.states))}
	for i := range r.next {
		r.next[i] = -1
		if costs[i] == 0 || costs[i] == unreachable {
			continue
		}
		best := unreachable
		for e := sp.out.first[i]; e < sp.out.first[i+1]; e++ {
			to := &sp.out.edges[e]
			if costs[to.to] == unreachable {
				continue
			}
			if c := to.kind.cost() + costs[to.to]; c < best || c == best && sp.before(to, &sp.out.edges[r.next[i]]) {
				best, r.next[i] = c, e
			}
		}
	}
	return r
}

// before breaks ties between equally good edges from one state, in a way that does not depend on
// which state it is: states that differ only in facts that do not matter then get the same advice.
func (sp *Space) before(a, b *edge) bool {
	if a.actor != b.actor {
		one, other := sp.actors[a.actor].step, sp.actors[b.actor].step
		return cmp.Or(cmp.Compare(one.reach(), other.reach()), cmp.Compare(one.tier(), other.tier()), inSource(one.pos(), other.pos()), cmp.Compare(a.actor, b.actor)) < 0
	}
	from := sp.states[a.from]
	return sp.states[a.to]^from < sp.states[b.to]^from // the same actor has led to two states, so both are numbered
}

// inSource compares two places by where they stand in the manifest.
func inSource(a, b diag.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// costsTo gives the cost of the best route from each state to one where the predicate holds
// (Dijkstra's algorithm, backwards from there).
func (sp *Space) costsTo(goal model.Predicate) []cost {
	costs := make([]cost, len(sp.states))
	var queue frontier
	for i, s := range sp.states {
		costs[i] = unreachable
		if holds(goal, s) {
			costs[i] = 0
			queue = append(queue, waiting{0, int32(i)})
		}
	}
	for len(queue) > 0 {
		w := heap.Pop(&queue).(waiting)
		if w.cost > costs[w.state] {
			continue
		}
		for _, e := range sp.in.group(w.state) {
			if c := w.cost + e.kind.cost(); c < costs[e.from] {
				costs[e.from] = c
				heap.Push(&queue, waiting{c, e.from})
			}
		}
	}
	return costs
}

func (r routes) from(i int32) Path {
	var path Path
	for at := r.next[i]; at >= 0; {
		e := r.sp.out.edges[at]
		path = append(path, r.sp.actors[e.actor].step)
		at = r.next[e.to]
	}
	return path
}

// waiting is a state with the cost of a route from it; frontier is a heap of them, cheapest first.
type waiting struct {
	cost  cost
	state int32
}

type frontier []waiting

func (f frontier) Len() int           { return len(f) }
func (f frontier) Less(i, j int) bool { return f[i].cost < f[j].cost }
func (f frontier) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(w any)        { *f = append(*f, w.(waiting)) }
func (f *frontier) Pop() any {
	old := *f
	last := old[len(old)-1]
	*f = old[:len(old)-1]
	return last
}
