// Package prove is the prover of visibility rules: it enumerates every state a session can be in
// and shows, before anything is built, that no tool, prompt or resource is hidden for ever, that no state is a trap and
// that no promise about states breaks.
//
// Predicates are boolean expressions over a handful of facts, so the state space is finite and
// small; the proof is exhaustive and its verdicts are exact, each with the shortest sequence of
// calls and events that shows the problem. The same walk yields the advice a refusal gives
// ("call this first"), so the advice is proven too.
//
// It must not know how a manifest is written, how output looks or what a tool does: it sees
// predicates and changes only.
package prove

import (
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// Options are the sizes and limits of the list-budget rule, which the model does not hold. The zero value
// skips that rule.
type Options struct {
	// Sizes gives the bytes of a tool's entry in tools/list. A tool that is not listed (another
	// scope, another tier) has size 0 and does not count.
	Sizes func(*model.Tool) int
	// CoreSizes is the same of the entry in the core list, which says what state a tool needs. Nil is Sizes.
	CoreSizes func(*model.Tool) int
	// ListBytes is the most bytes the array of a tools/list may take in any reachable state; 0 is
	// no limit.
	ListBytes int
	// DefaultListBytes is the same for the lists that a client is sent before anything is revealed: the core list, and
	// those that follow the state.
	DefaultListBytes int
}

// stage says how much must be known before a rule can be asked. A rule whose stage is not reached
// stays silent, because its verdicts would only repeat the error that stopped the proof.
type stage int

const (
	written stage = iota // the tool set as it is written
	bounded              // few enough facts to enumerate their combinations
	walked               // the initial state is legal, so the walk took place
)

// Proof is one run of the rules over one tool set.
type Proof struct {
	set   *model.Toolset
	opt   Options
	space *Space
	found *causes // nil until a rule asks for it
}

// Rule is a rule about a proof.
type Rule = diag.Rule[*Proof]

// from makes a check silent before its stage.
func from(needs stage, check func(*Proof, diag.Report)) func(*Proof, diag.Report) {
	return func(p *Proof, report diag.Report) {
		if p.stage() >= needs {
			check(p, report)
		}
	}
}

// Check holds the tool set against every rule and returns what it found, sorted. It reports errors
// only. The set must be resolved: each fact's Bit is its index in Facts.
func Check(set *model.Toolset, opt Options) diag.List {
	return diag.Check(Rules(), &Proof{set: set, opt: opt, space: Walk(set)}).Sorted()
}

func (p *Proof) stage() stage {
	switch {
	case len(p.set.Facts) > MaxFacts:
		return written
	case len(p.space.states) == 0:
		return bounded
	}
	return walked
}
