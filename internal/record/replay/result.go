package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Summary returns the result of a replay in one line, and its drift in a second one.
func (r *Report) Summary() string {
	text := fmt.Sprintf("%s: %d of %d steps in %d ms", r.Status, r.PlayedSteps, r.TotalSteps, r.Millis)
	if r.Contract != "" {
		text += ", contract " + r.Contract
	}
	if len(r.RecoveredSteps) > 0 {
		text += fmt.Sprintf(", recovered at %v", r.RecoveredSteps)
	}
	if r.Drift != nil {
		text += "\n" + r.Drift.String()
	}
	return text
}

// Text returns the result of a replay and its differences from the recording, for readers.
func (r *Report) Text() string {
	var b strings.Builder
	b.WriteString(r.Summary())
	for _, v := range r.Verdicts {
		fmt.Fprintf(&b, "\nstep %d: verdict %s, recorded %s", v.Step, v.Now, v.Recorded)
	}
	for _, s := range r.Steps {
		for _, n := range s.Notes {
			fmt.Fprintf(&b, "\nstep %d (%s): %s", s.Seq, s.Tool, n)
		}
	}
	return b.String()
}

// ClipSteps returns the steps that fit into a number of bytes as JSON, and how many it left out:
// first those that ended as recorded, then the earlier ones. The first and the last step with a tab
// always stay.
func ClipSteps(steps []PlayedStep, most int) (told []PlayedStep, left int) {
	size := func(s []PlayedStep) int {
		data, err := json.Marshal(s)
		if err != nil { // a step has nothing that cannot be written
			return 0
		}
		return len(data)
	}
	if size(steps) <= most {
		return steps, 0
	}
	first, last := -1, -1
	for i, s := range steps {
		if s.Tab != "" {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	for i, s := range steps {
		if i == first || i == last || s.Outcome != "ok" || len(s.Notes) > 0 || s.BranchOf > 0 || s.Attempt > 0 {
			told = append(told, s)
		}
	}
	for len(told) > 2 && size(told) > most {
		told = slices.Delete(told, 1, 1+len(told)/2)
	}
	return told, len(steps) - len(told)
}

// Clip leaves out of the report the steps that an answer of about most bytes has no room for.
func (r *Report) Clip(most int) { r.Steps, r.OmittedSteps = ClipSteps(r.Steps, most/2) }

// Refusal returns the refusal of a replay that did not complete, with the report in its envelope; nil for one that did.
func (r *Report) Refusal() error {
	if r.Status == StatusCompleted {
		return nil
	}
	return toolkit.Refuse(toolkit.Failed, r.Summary(),
		toolkit.Field{Name: "status", Value: r.Status}, toolkit.Field{Name: "drift", Value: r.Drift},
		toolkit.Field{Name: "played", Value: r.PlayedSteps}, toolkit.Field{Name: "total", Value: r.TotalSteps},
		toolkit.Field{Name: "steps", Value: r.Steps}, toolkit.Field{Name: "stepsLeft", Value: r.OmittedSteps}, toolkit.Field{Name: "verdicts", Value: r.Verdicts},
		toolkit.Field{Name: "contract", Value: r.Contract}, toolkit.Field{Name: "recovered", Value: r.RecoveredSteps})
}
