package parallel

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/parallelapi"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/work/parallel"
)

// reportResult is the answer to a worker's report.
type reportResult struct {
	Workflow    string          `json:"workflow"`
	Worker      string          `json:"worker"`
	Status      parallel.Status `json:"status"`
	Why         string          `json:"why,omitempty"`
	Iterations  int             `json:"iterations"`
	Collected   int             `json:"collected"` // names in its data
	RemainingMs int64           `json:"remainingMs,omitempty"`
	Stale       string          `json:"stale,omitempty"`
	Late        bool            `json:"late,omitempty"`
	Again       bool            `json:"again,omitempty"` // it had been completed before, and counts once
	Unfinished  []string        `json:"unfinished,omitempty"`
}

// WorkerUpdate notes a worker's progress.
func (t *Tools) WorkerUpdate(ctx context.Context, call *toolkit.Call, in parallelapi.WorkerUpdateParams) (toolkit.Result, error) {
	data, err := t.data(in.ExtractedData)
	if err != nil {
		return toolkit.Result{}, err
	}
	id, err := t.works.Find(ctx, call.Session.ID, in.Workflow.Value, in.WorkerName)
	if err != nil {
		return toolkit.Result{}, err
	}
	step := t.redact(in.Action.Value)
	if in.Error.Set {
		if step != "" {
			step += ": "
		}
		step += "error: " + t.redact(in.Error.Value)
	}
	x, w, err := t.works.Update(ctx, id, in.WorkerName, parallel.Report{Data: data, Step: step, Iteration: in.Iteration.Value})
	if err != nil {
		return toolkit.Result{}, err
	}
	t.notifyReport()
	out := reportResult{
		Workflow: id, Worker: x.Name, Status: x.Status, Why: x.Reason, Iterations: x.Iterations, Collected: len(x.Data), Stale: staleWarning(w, x),
	}
	if !x.Status.IsFinal() {
		out.RemainingMs = max(0, time.Until(x.Deadline).Milliseconds())
	}
	return jsonResult(out)
}

// WorkerComplete notes how a worker ended.
func (t *Tools) WorkerComplete(ctx context.Context, call *toolkit.Call, in parallelapi.WorkerCompleteParams) (toolkit.Result, error) {
	data, err := t.data(in.ExtractedData)
	if err != nil {
		return toolkit.Result{}, err
	}
	id, err := t.works.Find(ctx, call.Session.ID, in.Workflow.Value, in.WorkerName)
	if err != nil {
		return toolkit.Result{}, err
	}
	x, w, again, err := t.works.Complete(ctx, id, in.WorkerName, parallel.Completion{
		Status: parallel.Status(in.Status), Summary: t.redact(in.ResultSummary.Value), Data: data,
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	t.notifyReport()
	return jsonResult(reportResult{
		Workflow: id, Worker: x.Name, Status: x.Status, Iterations: x.Iterations, Collected: len(x.Data), Late: x.IsLate(), Again: again,
		Unfinished: w.Unfinished(),
	})
}

// data reads what a worker has collected, without what must not be kept.
func (t *Tools) data(raw []byte) (map[string]json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var out map[string]json.RawMessage
	if err := json.Unmarshal(secret.JSON(t.redact, raw), &out); err != nil {
		return nil, toolkit.Refuse(toolkit.InvalidArguments, fmt.Sprintf("extractedData cannot be read: %v", err))
	}
	return out, nil
}

// staleWarning returns a warning for a worker whose updates bring nothing new. It has no other
// effect.
func staleWarning(w *parallel.Run, x parallel.Worker) string {
	if x.Status.IsFinal() || x.UnchangedUpdates < w.StaleAfter {
		return ""
	}
	return fmt.Sprintf("%d updates in a row brought nothing new", x.UnchangedUpdates)
}
