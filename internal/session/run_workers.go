package session

import (
	"context"
	"errors"
	"sync"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/fault"
)

// RunWorkers are the workers of one parallel run of a client.
type RunWorkers struct {
	set *Set
	run string // its id
}

// RunWorkers returns the workers of the parallel run with this id.
func (s *Set) RunWorkers(run string) RunWorkers { return RunWorkers{s, run} }

// Create creates workers concurrently, each with an empty tab. None becomes the active connection, so
// that the client's next call runs where its last one did. Each id has a connection or an error, one of
// those of Set.CreateWorker.
func (w RunWorkers) Create(ctx context.Context, p power.Window, ids []string) ([]*Connection, []error) {
	s := w.set
	conns, errs := make([]*Connection, len(ids)), make([]error, len(ids))
	err := p.Check()
	if err == nil {
		err = s.changes.lock(ctx)
	}
	if err != nil {
		for i := range errs {
			errs[i] = err
		}
		return conns, errs
	}
	defer s.changes.unlock()
	var opening sync.WaitGroup
	for i, id := range ids {
		if errs[i] = w.reserve(id); errs[i] != nil {
			continue
		}
		s.mu.Lock()
		c := s.list.find(id)
		s.mu.Unlock()
		opening.Go(func() {
			if _, err := c.Session().EnsureTab(ctx); err != nil {
				s.mu.Lock()
				s.remove(c)
				s.mu.Unlock()
				errs[i] = errors.Join(err, s.discard(ctx, c))
				return
			}
			conns[i] = c
		})
	}
	opening.Wait()
	s.mu.Lock()
	ended := s.ended
	s.mu.Unlock()
	for i, c := range conns {
		if ended && c != nil { // the client ended meanwhile, and its end did not see this worker
			conns[i], errs[i] = nil, errors.Join(fault.New(codes.Failed, "the session has ended"), s.discard(ctx, c))
		}
	}
	s.Refresh()
	return conns, errs
}

// reserve adds a worker to the list before it is opened, so that its id is taken.
func (w RunWorkers) reserve(id string) error {
	s := w.set
	if !validID(id) {
		return invalidID(id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list.find(id) != nil {
		return inUse(id)
	}
	if err := s.list.checkLimit(true); err != nil {
		return err
	}
	s.list = append(s.list, s.newWorker(id, w.run))
	return nil
}

// List returns the open workers by id.
func (w RunWorkers) List() map[string]*Connection {
	w.set.mu.Lock()
	defer w.set.mu.Unlock()
	return w.set.list.ofRun(w.run)
}

// ClosedWorkers counts the tabs and contexts that RunWorkers.Close closed.
type ClosedWorkers struct{ Contexts, Tabs int }

// Close ends the workers, and no worker of the same id that another run created since. It is safe to
// call twice.
func (w RunWorkers) Close(ctx context.Context) (ClosedWorkers, error) {
	s := w.set
	var out ClosedWorkers
	if err := s.changes.lock(ctx); err != nil {
		return out, err
	}
	defer s.changes.unlock()
	workers := w.List()
	s.mu.Lock()
	for _, c := range workers {
		s.remove(c)
	}
	s.mu.Unlock()
	if len(workers) == 0 {
		return out, nil
	}
	s.Refresh()
	var ending sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for _, c := range workers {
		if session := c.Session(); session.Connected() {
			out.Contexts++
			out.Tabs += len(session.TabIDs())
		}
		ending.Go(func() {
			err := c.end(ctx, s.id)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	ending.Wait()
	_, err := s.own().CloseIfUnused(ctx)
	s.Refresh()
	return out, errors.Join(append(errs, err)...)
}
