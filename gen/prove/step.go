package prove

import (
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// Step is one thing that takes a session from a state to another: a call of a visible tool or an
// event. Exactly one of the fields is set.
type Step struct {
	Tool  *model.Tool
	Event *model.Event
}

// String gives the tool's name, or the event's in brackets: an event cannot be called, only
// awaited.
func (s Step) String() string {
	if s.Tool != nil {
		return s.Tool.Name
	}
	return "[" + s.Event.Name + "]"
}

// When is the condition under which the step can be taken.
func (s Step) When() model.Predicate {
	if s.Tool != nil {
		return s.Tool.Visible
	}
	return s.Event.When
}

// Changes returns the facts that the step sets and clears.
func (s Step) Changes() model.Change {
	if s.Tool != nil {
		return s.Tool.Changes
	}
	return s.Event.Changes
}

// kind and name say in messages what the step is.
func (s Step) kind() string {
	if s.Tool != nil {
		return "tool"
	}
	return "event"
}

func (s Step) name() string {
	if s.Tool != nil {
		return s.Tool.Name
	}
	return s.Event.Name
}

// reach counts the facts that the step may change.
func (s Step) reach() int {
	c := s.Changes()
	return len(c.Sets) + len(c.Clears) + len(c.MaySet) + len(c.MayClear)
}

// tier is the tool's; an event is before all.
func (s Step) tier() int {
	if s.Tool != nil {
		return s.Tool.Tier
	}
	return 0
}

// pos is where the step is declared; changePos where its changes are, when that is known.
func (s Step) pos() diag.Pos {
	if s.Tool != nil {
		return s.Tool.Pos
	}
	return s.Event.Pos
}

func (s Step) changePos() diag.Pos {
	if p := s.Changes().Pos; !p.IsZero() {
		return p
	}
	return s.pos()
}

// Path is a sequence of steps.
type Path []Step

// String gives the form "connect > enable > [machine.paused]", "" for no steps.
func (p Path) String() string {
	names := slicesx.List(p, func(s Step) string { return s.String() })
	return strings.Join(names, " > ")
}

// steps lists every tool, by name, then every event, in manifest order.
func steps(set *model.Toolset) []Step {
	out := make([]Step, 0, len(set.Tools)+len(set.Events))
	for _, t := range set.Tools {
		out = append(out, Step{Tool: t})
	}
	for _, e := range set.Events {
		out = append(out, Step{Event: e})
	}
	return out
}
