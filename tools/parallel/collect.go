package parallel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/parallelapi"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/work/parallel"
)

// pollInterval is the time between checks of the pages while a call waits: a crash sends no report.
const pollInterval = 500 * time.Millisecond

// runStatus is the structured result of the tools that report on a run.
type runStatus struct {
	Workflow   string          `json:"workflow"`
	Name       string          `json:"name"`
	Status     parallel.Status `json:"status"`
	Contexts   string          `json:"contexts"`
	Counts     counts          `json:"counts"`
	Unfinished []string        `json:"unfinished"`
	AgeMs      int64           `json:"ageMs"`
	Workers    []workerStatus  `json:"workers,omitempty"`
	Whole      string          `json:"whole,omitempty"` // all data, when some did not fit
}

type counts struct {
	Total     int `json:"total"`
	Pending   int `json:"pending"`
	Running   int `json:"running"`
	Succeeded int `json:"succeeded"`
	Partial   int `json:"partial"`
	Failed    int `json:"failed"`
	TimedOut  int `json:"timed_out"`
}

type workerStatus struct {
	Name       string                     `json:"name"`
	Status     parallel.Status            `json:"status"`
	Why        string                     `json:"why,omitempty"`
	Late       bool                       `json:"late,omitempty"`
	Stale      string                     `json:"stale,omitempty"`
	TabID      string                     `json:"tabId,omitempty"`
	Iterations int                        `json:"iterations"`
	Collected  int                        `json:"collected"` // names in its data
	Summary    string                     `json:"summary,omitempty"`
	Steps      []string                   `json:"steps,omitempty"`
	Data       map[string]json.RawMessage `json:"data,omitempty"`
	DataBytes  int                        `json:"dataBytes,omitempty"` // when it is cut
	Preview    string                     `json:"preview,omitempty"`
}

// statusOf describes a run without the data of its workers.
func (t *Tools) statusOf(w *parallel.Run) runStatus {
	s := runStatus{Workflow: w.ID, Name: w.Name, Status: w.Status(), Contexts: "open", Unfinished: w.Unfinished(), AgeMs: time.Since(w.Created).Milliseconds()}
	switch {
	case !w.Closed.IsZero():
		s.Contexts = "closed"
	case !t.works.IsOwn(w):
		s.Contexts = "gone: the server that opened them is another or was restarted"
	}
	s.Counts.Total = len(w.Workers)
	for _, x := range w.Workers {
		switch x.Status {
		case parallel.StatusPending:
			s.Counts.Pending++
		case parallel.StatusRunning:
			s.Counts.Running++
		case parallel.StatusSucceeded:
			s.Counts.Succeeded++
		case parallel.StatusPartial:
			s.Counts.Partial++
		case parallel.StatusFailed:
			s.Counts.Failed++
		case parallel.StatusTimedOut:
			s.Counts.TimedOut++
		}
	}
	return s
}

func workerStatusOf(w *parallel.Run, x parallel.Worker) workerStatus {
	return workerStatus{
		Name: x.Name, Status: x.Status, Why: text.ClipBytes(x.Reason, maxText), Late: x.IsLate(), Stale: staleWarning(w, x), TabID: x.Tab, Iterations: x.Iterations,
		Collected: len(x.Data), Summary: text.ClipBytes(x.Summary, maxText),
	}
}

// maxSteps is how many steps of a worker a status shows: the latest.
const maxSteps = 5

// WorkflowStatus says how far the workers are.
func (t *Tools) WorkflowStatus(ctx context.Context, call *toolkit.Call, in parallelapi.WorkflowStatusParams) (toolkit.Result, error) {
	w, err := t.find(ctx, call, in.Workflow.Value, in.IncludeWorkerDetails)
	if err != nil {
		return toolkit.Result{}, err
	}
	s := t.statusOf(w)
	for _, x := range w.Workers {
		m := workerStatusOf(w, x)
		for _, step := range x.Steps[max(0, len(x.Steps)-maxSteps):] {
			m.Steps = append(m.Steps, text.ClipBytes(step.Text, maxText))
		}
		if !in.IncludeWorkerDetails {
			m.Summary = ""
		}
		s.Workers = append(s.Workers, m)
	}
	return jsonResult(s)
}

// WorkflowCollect waits for the workers and returns what all of them have collected.
func (t *Tools) WorkflowCollect(ctx context.Context, call *toolkit.Call, in parallelapi.WorkflowCollectParams) (toolkit.Result, error) {
	w, err := t.find(ctx, call, in.Workflow.Value, false)
	if err != nil {
		return toolkit.Result{}, err
	}
	until := time.Now().Add(time.Duration(in.WaitMs) * time.Millisecond)
	for told := -1; w.Status() == parallel.StatusRunning && time.Now().Before(until) && ctx.Err() == nil; {
		changed := t.nextReport()
		if over := len(w.Workers) - len(w.Unfinished()); over != told {
			told = over
			call.Progress(float64(over), float64(len(w.Workers)), strings.Join(w.Unfinished(), ", "))
		}
		timer := time.NewTimer(min(pollInterval, time.Until(until)))
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		next, err := t.load(context.WithoutCancel(ctx), call, w.ID, false)
		if err != nil {
			return toolkit.Result{}, err
		}
		w = next
	}
	return t.collectedResult(ctx, call, w, w.Workers)
}

// WorkflowCollectPartial returns what the workers that are over have collected.
func (t *Tools) WorkflowCollectPartial(ctx context.Context, call *toolkit.Call, in parallelapi.WorkflowCollectPartialParams) (toolkit.Result, error) {
	w, err := t.find(ctx, call, in.Workflow.Value, false)
	if err != nil {
		return toolkit.Result{}, err
	}
	var over []parallel.Worker
	for _, x := range w.Workers {
		if x.Status == parallel.StatusSucceeded || x.Status.IsFinal() && !in.OnlySuccessful {
			over = append(over, x)
		}
	}
	return t.collectedResult(ctx, call, w, over)
}

// collectedResult renders the data of workers. Data that does not fit is cut in fair shares, and
// the whole is an artifact.
func (t *Tools) collectedResult(ctx context.Context, call *toolkit.Call, w *parallel.Run, workers []parallel.Worker) (toolkit.Result, error) {
	s := t.statusOf(w)
	s.Workers = make([]workerStatus, len(workers))
	texts, sizes := make([]string, len(workers)), make([]int, len(workers))
	for i, x := range workers {
		s.Workers[i] = workerStatusOf(w, x)
		data, err := parallel.Encode(x.Data)
		if err != nil {
			return toolkit.Result{}, fmt.Errorf("encode the data of %q: %w", x.Name, err)
		}
		texts[i], sizes[i] = string(data), len(data)
	}
	bare, err := parallel.Encode(s)
	if err != nil {
		return toolkit.Result{}, fmt.Errorf("encode the answer: %w", err)
	}
	const frame = 200 // bytes for the note that data is cut and the address of the whole
	shares := result.Shares(sizes, call.ResultBytes()-len(bare)-frame-64*len(workers))
	var links []toolkit.Link
	for i, x := range workers {
		if shares[i] >= sizes[i] {
			s.Workers[i].Data = x.Data
			continue
		}
		s.Workers[i].DataBytes = sizes[i]
		s.Workers[i].Preview = preview(texts[i], shares[i])
	}
	for _, m := range s.Workers {
		if m.DataBytes == 0 {
			continue
		}
		kept, err := t.storeData(ctx, call, w, workers)
		if err != nil {
			return toolkit.Result{}, err
		}
		s.Whole, links = kept.URI(), []toolkit.Link{result.Link(kept)}
		break
	}
	res, err := jsonResult(s)
	res.Links = links
	return res, err
}

// preview is the beginning of a text that has at most that many bytes once it is a JSON string.
func preview(text string, most int) string {
	for n := min(len(text), max(0, most-2)); n > 0; n = n * 3 / 4 {
		for n > 0 && n < len(text) && text[n]&0xC0 == 0x80 {
			n--
		}
		if as, err := parallel.Encode(text[:n]); err == nil && len(as) <= most {
			return text[:n]
		}
	}
	return ""
}

// storeData makes an artifact of what workers have collected.
func (t *Tools) storeData(ctx context.Context, call *toolkit.Call, w *parallel.Run, workers []parallel.Worker) (artifact.Artifact, error) {
	type one struct {
		Name    string                     `json:"name"`
		Status  parallel.Status            `json:"status"`
		Summary string                     `json:"summary,omitempty"`
		Data    map[string]json.RawMessage `json:"data"`
	}
	all := slicesx.List(workers, func(x parallel.Worker) one { return one{x.Name, x.Status, x.Summary, x.Data} })
	data, err := parallel.Encode(all)
	if err != nil {
		return artifact.Artifact{}, fmt.Errorf("encode what was collected: %w", err)
	}
	meta := artifact.Meta{Name: "workflow-" + w.ID + ".json", MIME: "application/json", Session: call.Session.ID}
	return t.kept.Put(context.WithoutCancel(ctx), meta, strings.NewReader(string(data)))
}

// WorkflowCleanup closes what a piece of work has opened.
func (t *Tools) WorkflowCleanup(ctx context.Context, call *toolkit.Call, in parallelapi.WorkflowCleanupParams) (toolkit.Result, error) {
	w, err := t.find(ctx, call, in.Workflow.Value, false)
	if err != nil {
		return toolkit.Result{}, err
	}
	gone, closing := t.set(call, w).RunWorkers(w.ID).Close(ctx)
	err = errors.Join(closing, t.works.MarkClosed(ctx, w.ID))
	t.mu.Lock()
	delete(t.loading, w.ID)
	t.mu.Unlock()
	t.notifyReport()
	if err != nil {
		return toolkit.Result{}, err
	}
	if w, err = t.load(ctx, call, w.ID, false); err != nil {
		return toolkit.Result{}, err
	}
	s := t.statusOf(w)
	return jsonResult(struct {
		Workflow string          `json:"workflow"`
		Status   parallel.Status `json:"status"`
		Contexts int             `json:"closedContexts"`
		Tabs     int             `json:"closedTabs"`
		Counts   counts          `json:"counts"`
	}{w.ID, s.Status, gone.Contexts, gone.Tabs, s.Counts})
}
