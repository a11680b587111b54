// Package plan implements the tool of area plan: recordings that were made into plans are run as a
// whole, with what is to happen when a step fails.
//
// It finds the plan and tells how it went; how steps are played and branches taken is
// internal/record/replay's.
package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/planapi"
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

// How a plan ended. Without a contract nothing is proved, and it is never a success.
const (
	success      = "SUCCESS"
	failed       = "FAILED"
	inconclusive = "INCONCLUSIVE"
)

// outcome is the structured result of a plan's run.
type outcome struct {
	Status        string              `json:"status"`
	PlanID        string              `json:"planId"`
	StepsExecuted int                 `json:"stepsExecuted"`
	TotalSteps    int                 `json:"totalSteps"`
	DurationMs    int64               `json:"durationMs"`
	Contract      string              `json:"contract,omitempty"`
	Recovered     []int               `json:"recovered,omitempty"`
	Data          map[string]string   `json:"data,omitempty"`
	Steps         []replay.PlayedStep `json:"steps"`
	StepsLeft     int                 `json:"stepsLeft,omitempty"` // that the answer has no room for
	Drift         *replay.Drift       `json:"drift,omitempty"`
	Message       string              `json:"message"`
}

// ExecutePlan runs a plan.
func (t *Tools) ExecutePlan(ctx context.Context, call *toolkit.Call, in planapi.ExecutePlanParams, powers planapi.ExecutePlanPowers) (toolkit.Result, error) {
	params, err := replay.ParseParameters(in.Params)
	if err != nil {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	e, err := t.shelf.Get(ctx, script.Plan, in.PlanID)
	if errors.Is(err, script.ErrNotFound) {
		return toolkit.Result{}, t.unknown(ctx, in.PlanID)
	}
	if err != nil {
		return toolkit.Result{}, err
	}
	if in.TabID.Set {
		if _, err := t.sessions.Tab(ctx, call, in.TabID); err != nil {
			return toolkit.Result{}, err
		}
	}
	report, err := replay.ForCall(call, t.sessions.Set(call)).Play(ctx, e.Script, replay.Options{
		Params: params, Tab: in.TabID.Value, Window: powers.Window(),
		Progress: func(done, total int, message string) { call.Progress(float64(done), float64(total), message) },
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	if err := t.shelf.RecordRun(ctx, e.ID, report.Contract == "pass", report.Summary()); err != nil {
		return toolkit.Result{}, err
	}
	return tell(e, report, call.Tool.ResultBytes)
}

// tell makes the answer, in at most so many bytes. Only what a contract has passed is a success.
func tell(e script.Entry, r replay.Report, most int) (toolkit.Result, error) {
	out := outcome{
		Status: success, PlanID: e.Name, StepsExecuted: r.PlayedSteps, TotalSteps: r.TotalSteps, DurationMs: r.Millis, Contract: r.Contract,
		Recovered: r.RecoveredSteps, Data: shares(r.Data, most/3), Drift: r.Drift, Message: r.Summary(),
	}
	out.Steps, out.StepsLeft = replay.ClipSteps(r.Steps, most/3)
	switch {
	case r.Status != replay.StatusCompleted && r.Contract == "inconclusive":
		out.Status = inconclusive
	case r.Status != replay.StatusCompleted:
		out.Status = failed
	case r.Contract == "":
		out.Status = inconclusive
		out.Message += "; the plan has no contract, so nothing proves that it did what it is for"
	}
	data, err := json.Marshal(out)
	if err != nil {
		return toolkit.Result{}, fmt.Errorf("encode the outcome: %w", err)
	}
	if out.Status == failed {
		return toolkit.Result{}, toolkit.Refuse(toolkit.Failed, out.Message, fields(data)...)
	}
	res := toolkit.Text(out.Status + " " + out.Message)
	for _, name := range result.Sorted(out.Data) {
		res.Content = append(res.Content, toolkit.Content{Text: name + ": " + out.Data[name]})
	}
	res.Structured = data
	return res, nil
}

// shares shortens answers to what there is room for, in bytes.
func shares(data map[string]string, room int) map[string]string {
	names := result.Sorted(data)
	sizes := make([]int, len(names))
	for i, name := range names {
		sizes[i] = len(data[name])
	}
	for i, most := range result.Shares(sizes, room) {
		if text := data[names[i]]; most < len(text) {
			data[names[i]] = strings.ToValidUTF8(text[:most], "") + "…"
		}
	}
	return data
}

// fields are an outcome's members for an envelope, which has a message of its own.
func fields(outcome []byte) (out []toolkit.Field) {
	var members map[string]json.RawMessage
	if json.Unmarshal(outcome, &members) != nil {
		return nil
	}
	delete(members, "message")
	for _, name := range result.Sorted(members) {
		var value any
		if json.Unmarshal(members[name], &value) == nil {
			out = append(out, toolkit.Field{Name: name, Value: value})
		}
	}
	return out
}

// unknown lists the plans there are.
func (t *Tools) unknown(ctx context.Context, id string) error {
	all, err := t.shelf.List(ctx, script.Plan, "")
	if err != nil {
		return err
	}
	names := []string{}
	for _, e := range all {
		names = append(names, e.Name)
	}
	message := fmt.Sprintf("there is no plan %q", id)
	if near := toolkit.Nearest(id, names); near != "" {
		message += fmt.Sprintf(", did you mean %q?", near)
	} else if len(names) == 0 {
		message += "; callsheet replay plan RECORDING makes one"
	}
	return toolkit.Refuse(codes.NotFound, message, toolkit.Field{Name: "availablePlans", Value: names})
}
