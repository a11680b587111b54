// Package plan implements the tool of area plan: recordings that were made into plans are run as a
// whole, with what is to happen when a step fails.
//
// It finds the plan and tells how it went; how steps are played and branches taken is
// internal/record/replay's.
package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/planapi"
	"github.com/callsheet/callsheet/generated/toolset/types"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/record/script"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/database"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions session.Lookup
	shelf    *script.Store
}

// New makes the handlers on a store.
func New(sessions session.Lookup, s *database.Store) *Tools {
	return &Tools{sessions: sessions, shelf: script.NewStore(s)}
}

var _ planapi.Handlers = (*Tools)(nil)

// ExecutePlan runs a plan.
func (t *Tools) ExecutePlan(ctx context.Context, call *toolkit.Call, in planapi.ExecutePlanParams, powers planapi.ExecutePlanPowers) (out planapi.ExecutePlanResult, err error) {
	params, err := replay.ParseParameters(in.Params)
	if err != nil {
		return out, toolkit.Refuse(toolkit.InvalidArguments, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	e, err := t.shelf.Get(ctx, script.Plan, in.PlanID)
	if errors.Is(err, script.ErrNotFound) {
		return out, t.unknown(ctx, in.PlanID)
	}
	if err != nil {
		return out, err
	}
	if in.TabID.Set {
		if _, err := t.sessions.Tab(ctx, call, in.TabID); err != nil {
			return out, err
		}
	}
	report, err := replay.ForCall(call, t.sessions.Set(call)).Play(ctx, e.Script, replay.Options{
		Params: params, Tab: in.TabID.Value, Window: powers.Window(),
		Progress: func(done, total int, message string) { call.Progress(float64(done), float64(total), message) },
	})
	if err != nil {
		return out, err
	}
	if err := t.shelf.RecordRun(ctx, e.ID, report.Contract == "pass", report.Summary()); err != nil {
		return out, err
	}
	return planResult(call, e, report)
}

// planResult makes the answer. Only what a contract has passed is a success: without a contract nothing is proved, and
// a plan that did not complete is refused unless its contract is inconclusive.
func planResult(call *toolkit.Call, e script.Entry, r replay.Report) (out planapi.ExecutePlanResult, err error) {
	room, message := call.ResultBytes()/3, r.Summary()
	r.Steps, r.OmittedSteps = replay.ClipSteps(r.Steps, room)
	r.Data = shares(r.Data, room)
	status := planapi.ExecutePlanResultStatusSUCCESS
	switch {
	case r.Status != replay.StatusCompleted && r.Contract == string(types.VerdictInconclusive):
		status = planapi.ExecutePlanResultStatusINCONCLUSIVE
	case r.Status != replay.StatusCompleted:
		return out, refusal(e, r)
	case r.Contract == "":
		status = planapi.ExecutePlanResultStatusINCONCLUSIVE
		message += "; the plan has no contract, so nothing proves that it did what it is for"
	}
	content := toolkit.Text(string(status) + " " + message)
	for _, name := range result.Sorted(r.Data) {
		content.Content = append(content.Content, toolkit.Content{Text: name + ": " + r.Data[name]})
	}
	call.SetContent(content)
	return planapi.ExecutePlanResult{
		Status: status, PlanID: e.Name, StepsExecuted: r.PlayedSteps, TotalSteps: r.TotalSteps, DurationMs: int(r.Millis),
		Contract: toolkit.NonZero(types.Verdict(r.Contract)), Recovered: r.RecoveredSteps, Data: r.Data,
		Steps: result.PlayedSteps(r.Steps), StepsLeft: toolkit.NonZero(r.OmittedSteps), Drift: result.Drift(r.Drift), Message: message,
	}, nil
}

// refusal is the answer of a plan that failed, with the members of the output in its envelope.
func refusal(e script.Entry, r replay.Report) error {
	fields := []toolkit.Field{
		{Name: "status", Value: "FAILED"}, {Name: "planId", Value: e.Name}, {Name: "stepsExecuted", Value: r.PlayedSteps},
		{Name: "totalSteps", Value: r.TotalSteps}, {Name: "durationMs", Value: r.Millis}, {Name: "steps", Value: r.Steps},
	}
	add := func(set bool, name string, value any) {
		if set {
			fields = append(fields, toolkit.Field{Name: name, Value: value})
		}
	}
	add(r.Contract != "", "contract", r.Contract)
	add(len(r.RecoveredSteps) > 0, "recovered", r.RecoveredSteps)
	add(len(r.Data) > 0, "data", r.Data)
	add(r.OmittedSteps > 0, "stepsLeft", r.OmittedSteps)
	add(r.Drift != nil, "drift", r.Drift)
	return toolkit.Refuse(toolkit.Failed, r.Summary(), fields...)
}

// shares shortens answers so that together they fit into a number of bytes.
func shares(data map[string]string, room int) map[string]string {
	if len(data) == 0 {
		return nil
	}
	names := result.Sorted(data)
	sizes := slicesx.List(names, func(name string) int { return len(data[name]) })
	for i, most := range result.Shares(sizes, room) {
		if text := data[names[i]]; most < len(text) {
			data[names[i]] = strings.ToValidUTF8(text[:most], "") + "…"
		}
	}
	return data
}

// unknown lists the plans there are.
func (t *Tools) unknown(ctx context.Context, id string) error {
	all, err := t.shelf.List(ctx, script.Plan, "")
	if err != nil {
		return err
	}
	names := slicesx.List(all, func(e script.Entry) string { return e.Name })
	message := fmt.Sprintf("there is no plan %q", id)
	if near := toolkit.Nearest(id, names); near != "" {
		message += fmt.Sprintf(", did you mean %q?", near)
	} else if len(names) == 0 {
		message += "; callsheet replay plan RECORDING makes one"
	}
	return toolkit.Refuse(codes.NotFound, message, toolkit.Field{Name: "availablePlans", Value: names})
}
