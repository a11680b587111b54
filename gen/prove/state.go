package prove

import (
	"slices"

	"github.com/callsheet/callsheet/gen/model"
)

// MaxFacts is the largest number of facts whose combinations are enumerated.
const MaxFacts = model.MaxFacts

// State is a set of facts, with bit Fact.Bit for each one that is true. The zero value is the state
// a session begins in.
type State uint64

// Initial is the state a session begins in: no fact is true.
const Initial State = 0

// StateOf gives the state in which exactly these facts are true.
func StateOf(facts []*model.Fact) State {
	var s State
	for _, f := range facts {
		s |= bit(f)
	}
	return s
}

// Has reports whether the fact is true in the state.
func (s State) Has(f *model.Fact) bool { return s&bit(f) != 0 }

// Names lists the facts that are true in the state, in manifest order.
func (s State) Names(facts []*model.Fact) []string {
	var out []string
	for _, f := range facts {
		if s.Has(f) {
			out = append(out, f.Name)
		}
	}
	return out
}

func bit(f *model.Fact) State { return 1 << f.Bit }

func holds(p model.Predicate, s State) bool { return p.Holds(uint64(s)) }

// broken lists the invariants that are false in the state.
func broken(set *model.Toolset, s State) []*model.Invariant {
	return slices.DeleteFunc(slices.Clone(set.Invariants), func(i *model.Invariant) bool { return holds(i.Predicate, s) })
}

// legalStates marks, per state, whether every invariant holds there.
func legalStates(set *model.Toolset) []bool {
	legal := make([]bool, 1<<len(set.Facts))
	for s := range legal {
		legal[s] = !slices.ContainsFunc(set.Invariants, func(i *model.Invariant) bool { return !holds(i.Predicate, State(s)) })
	}
	return legal
}
