package toolkit

import (
	"fmt"
	"strings"
)

// Advice is how to get from a state to one where a predicate holds, for all tools that share it.
// The compiler computes it, so that a refusal advises only what is proven to help.
type Advice struct {
	Requires string // the predicate, as in Tool.Requires
	Mask     Facts  // the facts the advice depends on
	Ways     []Way
}

// Way is the shortest way from the states that agree with Facts on the mask.
type Way struct {
	Facts Facts
	Steps []Step
}

// Step is a tool to call, or an event, which cannot be called, only awaited.
type Step struct{ Tool, Event string }

// via finds the way to a predicate from a state. It is nil when there is none, or none that this
// surface allows: part of a way is no advice.
func (s *Surface) via(requires string, facts Facts) []Step {
	for _, a := range s.table().reg.Advice {
		if a.Requires != requires {
			continue
		}
		for _, w := range a.Ways {
			if w.Facts == facts&a.Mask && s.allows(w.Steps) {
				return w.Steps
			}
		}
	}
	return nil
}

func (s *Surface) allows(steps []Step) bool {
	for _, step := range steps {
		if step.Tool != "" && !s.Allows(step.Tool) {
			return false
		}
	}
	return true
}

// advise says the way in words, and gives the tools on it.
func advise(steps []Step) (text string, tools []string) {
	var b strings.Builder
	for i, step := range steps {
		switch {
		case i > 0:
			b.WriteString(", then ")
		case step.Tool != "":
			b.WriteString("; ")
		default:
			b.WriteString("; it can be called after you ")
		}
		if step.Tool != "" {
			fmt.Fprintf(&b, "call %s", step.Tool)
			tools = append(tools, step.Tool)
		} else {
			fmt.Fprintf(&b, "wait for %s", step.Event)
		}
	}
	return b.String(), tools
}
