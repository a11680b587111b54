package parallel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/generated/toolset/parallelapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/work/parallel"
)

// loadPatience is the time for which a page may go on loading after its document is there.
const loadPatience = 5 * time.Second

// pageLoad is the navigation of a worker's tab to its first page.
type pageLoad struct {
	done chan struct{}
	nav  browser.Navigation // after done
	err  error
}

func (p *pageLoad) isOver() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// pageLoad is the page of a worker that was sent for, or nil.
func (t *Tools) pageLoad(work, worker string) *pageLoad {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.loading[work][worker]
}

// WorkflowInit opens a context and a page for each worker.
func (t *Tools) WorkflowInit(ctx context.Context, call *toolkit.Call, in parallelapi.WorkflowInitParams, powers parallelapi.WorkflowInitPowers) (toolkit.Result, error) {
	plan := parallel.Spec{
		Session: call.Session.ID, Name: t.redact(in.Name), StaleAfter: in.MaxStaleIterations,
		WorkerTimeout: time.Duration(in.WorkerTimeoutMs) * time.Millisecond, Timeout: time.Duration(in.GlobalTimeoutMs) * time.Millisecond,
	}
	var bad toolkit.Violations
	named := make(map[string]bool)
	for i, x := range in.Workers {
		if named[x.Name] {
			bad = append(bad, toolkit.Violation{Path: fmt.Sprintf("/workers/%d/name", i), Problem: fmt.Sprintf("another worker is called %q", x.Name)})
		}
		named[x.Name] = true
		plan.Workers = append(plan.Workers, parallel.Worker{
			Name: x.Name, URL: t.redact(x.URL), Task: t.redact(x.Task), Criteria: t.redact(x.SuccessCriteria.Value),
		})
	}
	if len(bad) > 0 {
		return toolkit.Result{}, bad
	}
	w, err := t.works.Start(ctx, plan)
	if err != nil {
		return toolkit.Result{}, err
	}
	waiting, err := t.openPages(ctx, call, powers, w, in.Workers)
	if err != nil {
		return toolkit.Result{}, err
	}
	awaitLoads(ctx, call, waiting, time.Duration(in.WaitMs)*time.Millisecond)
	if w, err = t.load(ctx, call, w.ID, false); err != nil {
		return toolkit.Result{}, err
	}
	return t.handles(call, w)
}

// openPages creates the contexts concurrently and starts each worker's page. A context that fails
// fails its worker alone.
func (t *Tools) openPages(
	ctx context.Context, call *toolkit.Call, powers parallelapi.WorkflowInitPowers, w *parallel.Run, workers []parallelapi.WorkflowInitWorkersItem,
) ([]*pageLoad, error) {
	ids := make([]string, len(workers))
	for i, x := range workers {
		ids[i] = x.Name + "-" + w.ID[:6] // two workflows may have workers of one name
	}
	conns, errs := t.sessions.Set(call).RunWorkers(w.ID).Create(ctx, powers.Window(), ids)
	var waiting []*pageLoad
	sent := make(map[string]*pageLoad)
	t.mu.Lock()
	t.loading[w.ID] = sent
	t.mu.Unlock()
	for i, x := range workers {
		var tab *browser.Tab
		err := errs[i]
		if err == nil {
			tab, err = conns[i].Session().Tab(ctx, "")
		}
		if err != nil {
			if err := t.works.MarkFailed(ctx, w.ID, x.Name, "its browser context could not be opened: "+err.Error()); err != nil {
				return nil, err
			}
			continue
		}
		a := t.startLoad(powers.Navigation(), tab, x.URL, w.Workers[i].Deadline)
		t.mu.Lock()
		sent[x.Name] = a
		t.mu.Unlock()
		waiting = append(waiting, a)
		if err := t.works.SetTab(ctx, w.ID, x.Name, conns[i].ID(), tab.ID()); err != nil {
			return nil, err
		}
	}
	return waiting, nil
}

// startLoad navigates a tab in the background. The navigation may outlive the call; it ends at the
// worker's deadline.
func (t *Tools) startLoad(p power.Navigation, tab *browser.Tab, address string, until time.Time) *pageLoad {
	a := &pageLoad{done: make(chan struct{})}
	release := p.Hold()
	go func() {
		defer release()
		ctx, cancel := context.WithDeadline(context.Background(), until)
		defer cancel()
		defer t.notifyReport()
		defer close(a.done)
		a.nav, a.err = tab.Navigate(ctx, p, address, browser.NavigateOptions{LoadTimeout: loadPatience})
		if late := (*browser.TimeoutError)(nil); errors.As(a.err, &late) && late.Ready {
			a.err = nil // it can be read
		}
	}()
	return a
}

// awaitLoads waits for pages, for a while.
func awaitLoads(ctx context.Context, call *toolkit.Call, waiting []*pageLoad, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for i, a := range waiting {
		select {
		case <-a.done:
			call.Progress(float64(i+1), float64(len(waiting)), "pages are loaded")
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// handle identifies a worker.
type handle struct {
	Name       string          `json:"name"`
	Status     parallel.Status `json:"status"`
	Why        string          `json:"why,omitempty"`
	Connection string          `json:"connection_id,omitempty"`
	TabID      string          `json:"tabId,omitempty"`
	URL        string          `json:"url,omitempty"`
	HTTP       int             `json:"httpStatus,omitempty"`
	Task       string          `json:"task"`
	Criteria   string          `json:"successCriteria,omitempty"`
}

// handles answers with what each worker needs, and with one line on how to go on.
func (t *Tools) handles(call *toolkit.Call, w *parallel.Run) (toolkit.Result, error) {
	out := struct {
		Workflow string          `json:"workflow"`
		Status   parallel.Status `json:"status"`
		Next     string          `json:"next"`
		Workers  []handle        `json:"workers"`
	}{Workflow: w.ID, Status: w.Status()}
	out.Next = "work on each tabId, in parallel if you can"
	if call.Session.Surface().Allows(toolset.ToolWorkerComplete) {
		out.Next += "; report with " + toolset.ToolWorkerUpdate + " and " + toolset.ToolWorkerComplete
	}
	for _, x := range w.Workers {
		h := handle{
			Name: x.Name, Status: x.Status, Why: x.Reason, Connection: x.Connection, TabID: x.Tab, Task: text.ClipBytes(x.Task, maxText), Criteria: text.ClipBytes(x.Criteria, maxText),
		}
		if a := t.pageLoad(w.ID, x.Name); a != nil && a.isOver() && a.err == nil {
			h.URL = text.ClipBytes(a.nav.URL, maxText)
			if a.nav.Status >= 400 {
				h.HTTP = a.nav.Status
			}
		}
		out.Workers = append(out.Workers, h)
	}
	return jsonResult(out)
}

// maxText bounds a text of a result, in bytes. The client wrote it and knows the rest.
const maxText = 300

// jsonResult is a value as JSON.
func jsonResult(v any) (toolkit.Result, error) {
	data, err := parallel.Encode(v)
	if err != nil {
		return toolkit.Result{}, fmt.Errorf("encode the answer: %w", err)
	}
	return toolkit.Text(string(data)), nil
}
