// Package parallel implements the tools of area parallel. A workflow here is several workers, each
// with a task, a page and a browser context of its own; agents do the work and report, the server
// stores what they collect.
//
// The package joins internal/work/parallel, which stores the runs, with internal/session, which
// owns the browser contexts. It must not know how either works.
package parallel

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/parallelapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/work/parallel"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions session.Lookup
	works    *parallel.Store
	kept     *artifact.Store
	redact   func(string) string

	mu      sync.Mutex
	loading map[string]map[string]*pageLoad // by work and worker: the pages that were sent for, until it is cleaned up
	changed chan struct{}                   // closed at the next report
}

// New makes the handlers on a store; redact, unless it is nil, takes out of what workers collect
// what must not be kept.
func New(sessions session.Lookup, s *database.Store, kept *artifact.Store, redact func(string) string) *Tools {
	if redact == nil {
		redact = func(text string) string { return text }
	}
	return &Tools{
		sessions: sessions, works: parallel.New(s), kept: kept, redact: redact,
		loading: make(map[string]map[string]*pageLoad), changed: make(chan struct{}),
	}
}

var _ parallelapi.Handlers = (*Tools)(nil)

// set is the connections of the client that began a piece of work.
func (t *Tools) set(call *toolkit.Call, w *parallel.Run) *session.Set {
	if w.Session == call.Session.ID {
		return t.sessions.Set(call)
	}
	return t.sessions(w.Session)
}

// find reads the work that a call means, as it is now.
func (t *Tools) find(ctx context.Context, call *toolkit.Call, id string, steps bool) (*parallel.Run, error) {
	id, err := t.works.Find(ctx, call.Session.ID, id, "")
	if err != nil {
		return nil, err
	}
	return t.load(ctx, call, id, steps)
}

// load reads a piece of work after having looked at its pages.
func (t *Tools) load(ctx context.Context, call *toolkit.Call, id string, steps bool) (*parallel.Run, error) {
	w, err := t.works.Load(ctx, id, false)
	if err != nil {
		return nil, err
	}
	moved, err := t.checkPages(ctx, call, w)
	if err == nil && (moved || steps) {
		w, err = t.works.Load(ctx, id, steps)
	}
	return w, err
}

// checkPages updates the stored status of workers from their pages: loaded, or lost. Only the
// process that opened the pages can check them. It reports whether a status changed.
func (t *Tools) checkPages(ctx context.Context, call *toolkit.Call, w *parallel.Run) (moved bool, err error) {
	if !t.works.IsOwn(w) || !w.Closed.IsZero() {
		return false, nil
	}
	conns := t.set(call, w).RunWorkers(w.ID).List()
	for _, x := range w.Workers {
		if x.Status.IsFinal() {
			continue
		}
		why, arrived := t.workerState(ctx, w, x, conns[x.Connection])
		switch {
		case why != "":
			err = t.works.MarkFailed(ctx, w.ID, x.Name, why)
		case arrived && x.Status == parallel.StatusPending:
			err = t.works.MarkLoaded(ctx, w.ID, x.Name)
		default:
			continue
		}
		if err != nil {
			return moved, err
		}
		moved = true
	}
	return moved, nil
}

// workerState says why a worker cannot go on, or "", and whether its page is there.
func (t *Tools) workerState(ctx context.Context, w *parallel.Run, x parallel.Worker, c *session.Connection) (why string, arrived bool) {
	if a := t.pageLoad(w.ID, x.Name); a != nil && !a.isOver() {
		return "", false
	} else if a != nil && a.err != nil && x.Status == parallel.StatusPending { // one at work has gone to a page of its own since
		return a.err.Error(), false
	}
	switch {
	case x.Connection == "":
		return "", false // it is being opened
	case c == nil:
		return "its browser context was closed", false
	case !c.Session().Connected():
		return "the browser exited", false
	}
	tab, err := c.Session().Tab(ctx, x.Tab)
	var unknown *browser.UnknownTabError
	switch {
	case errors.As(err, &unknown) && unknown.Closed != "":
		return fmt.Sprintf("its tab was closed: %s", unknown.Closed), false
	case err != nil:
		return "its tab is gone", false
	}
	if err := tab.CrashError(); err != nil {
		return err.Error(), false
	}
	return "", true
}

// notifyReport wakes the calls that wait for reports.
func (t *Tools) notifyReport() {
	t.mu.Lock()
	close(t.changed)
	t.changed = make(chan struct{})
	t.mu.Unlock()
}

// nextReport returns a channel that is closed at the next report.
func (t *Tools) nextReport() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}
