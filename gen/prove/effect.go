package prove

import (
	"iter"

	"github.com/callsheet/callsheet/gen/model"
)

// effect is a change as bit masks.
type effect struct{ sets, clears, maySet, mayClear State }

func effectOf(c model.Change) effect {
	return effect{StateOf(c.Sets), StateOf(c.Clears), StateOf(c.MaySet), StateOf(c.MayClear)}
}

// none reports whether the change leaves every state as it is.
func (e effect) none() bool { return e == effect{} }

// from splits the effects in state s into the state that the certain ones lead to and the facts that
// may turn over from there.
//
// A fact that may be either afterwards only turns false here. A tool says so when it changes the
// subject, to another connection, whose facts came about by the same rules: the states it
// shows are reached in their own right. If changing the subject counted as a way to a fact, it
// would excuse hiding the tool that brings the fact about, and refusals would advise it.
func (e effect) from(s State) (sure, open State) {
	sure = s&^e.clears | e.sets
	return sure, e.maySet&^e.mayClear&^sure | e.mayClear&sure
}

// subsets yields every subset of mask, the empty one first and mask itself last.
func subsets(mask State) iter.Seq[State] {
	return func(yield func(State) bool) {
		for sub := State(0); ; sub = (sub - mask) & mask {
			if !yield(sub) || sub == mask {
				return
			}
		}
	}
}
