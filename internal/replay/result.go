package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Line says in one line how a replay ended.
func (r *Report) Line() string {
	text := fmt.Sprintf("%s: %d of %d steps in %d ms", r.Status, r.Played, r.Total, r.Millis)
	if r.Contract != "" {
		text += ", contract " + r.Contract
	}
	if len(r.Recovered) > 0 {
		text += fmt.Sprintf(", recovered at %v", r.Recovered)
	}
	if r.Drift != nil {
		text += "\n" + r.Drift.String()
	}
	return text
}

// Text tells a replay for a reader: how it ended, and what was other than recorded.
func (r *Report) Text() string {
	var b strings.Builder
	b.WriteString(r.Line())
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

// Result is a tool's answer: a result when the replay has completed, else a refusal with the report in its envelope.
func (r *Report) Result() (toolkit.Result, error) {
	if r.Status != Completed {
		return toolkit.Result{}, toolkit.Refuse(toolkit.Failed, r.Line(),
			toolkit.Field{Name: "status", Value: r.Status}, toolkit.Field{Name: "drift", Value: r.Drift},
			toolkit.Field{Name: "played", Value: r.Played}, toolkit.Field{Name: "total", Value: r.Total},
			toolkit.Field{Name: "steps", Value: r.Steps}, toolkit.Field{Name: "verdicts", Value: r.Verdicts},
			toolkit.Field{Name: "contract", Value: r.Contract}, toolkit.Field{Name: "recovered", Value: r.Recovered})
	}
	data, err := json.Marshal(r)
	if err != nil {
		return toolkit.Result{}, fmt.Errorf("encode the report: %w", err)
	}
	out := toolkit.Text(r.Text())
	out.Structured = data
	return out, nil
}

// Refusal turns what is wrong with parameters into one; other errors pass.
func Refusal(err error) error {
	var missing *MissingError
	var unknown *UnknownError
	switch {
	case errors.As(err, &missing):
		return toolkit.Refuse(toolkit.InvalidArguments, missing.Error(), toolkit.Field{Name: "missing", Value: missing.Names})
	case errors.As(err, &unknown):
		return toolkit.Refuse(toolkit.InvalidArguments, unknown.Error(), toolkit.Field{Name: "parameters", Value: unknown.Known})
	}
	return err
}
