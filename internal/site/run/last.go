package run

import (
	"encoding/json"
	"slices"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// lastActing returns the number of the step that a run does not make that stops before the last one. That is
// the last one that acts on the page and is made in any case: what follows it may wait for its effect, confirm
// it or read it. Where each step that acts is made under a condition, it is the first of them, and where none
// acts the last step.
func (c *call) lastActing(steps []recorder.Step) int {
	conditional := 0
	for _, s := range slices.Backward(steps) {
		step := c.step(s.Seq)
		if step == nil || !c.acts(step) {
			continue
		}
		if !step.Optional && step.When == nil {
			return s.Seq
		}
		conditional = s.Seq
	}
	if conditional > 0 || len(steps) == 0 {
		return conditional
	}
	return steps[len(steps)-1].Seq
}

// acts reports whether a step may have the effect that a tool is for. One that waits, reads, scrolls or loads
// an address has none that a click before it has not.
func (c *call) acts(step *Step) bool {
	if toolset.TraitsOf(step.Tool).Replay == toolset.ReplayNavigate {
		return false
	}
	if i, ok := c.Player.Registry.Lookup(step.Tool); ok && c.Player.Registry.Tools[i].Effects.ReadOnly {
		return false
	}
	type action struct {
		Action string `json:"action"`
	}
	var args struct {
		action
		Steps []action `json:"steps"`
	}
	if json.Unmarshal(step.Args, &args) != nil {
		return true
	}
	looks := func(a action) bool {
		return slices.Contains([]string{"wait", "scroll", "hover", "screenshot"}, a.Action)
	}
	if len(args.Steps) > 0 {
		return slices.ContainsFunc(args.Steps, func(a action) bool { return !looks(a) })
	}
	return !looks(args.action)
}
