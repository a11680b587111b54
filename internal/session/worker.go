package session

import (
	"context"
	"errors"
	"sync"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/fault"
)

// newWorker returns a connection to a browser context of its own in the server's own browser. The
// caller holds mu.
func (s *Set) newWorker(id, owner string) *Connection {
	own := s.ownBrowser()
	session := own.WorkerSession(s.id, id)
	c := newConnection(id, Worker, own, func() *browser.Session { return session }, s.Refresh)
	c.owner = owner
	return c
}

// limitError returns a LimitError if the client has the maximum of workers or of other connections.
// The caller holds mu.
func (s *Set) limitError(workers bool) error {
	count := 0
	for _, c := range s.list {
		if (c.kind == Worker) == workers {
			count++
		}
	}
	switch {
	case workers && count >= maxWorkers:
		return &LimitError{Limit: maxWorkers, Worker: true}
	case !workers && count >= maxConnections:
		return &LimitError{Limit: maxConnections}
	}
	return nil
}

// CreateWorkers creates workers for a parallel run concurrently, each with an empty tab. None
// becomes the active connection, so that the client's next call runs where its last one did. Each
// id has a connection or an error, one of those of CreateWorker.
func (s *Set) CreateWorkers(ctx context.Context, w power.Window, owner string, ids []string) ([]*Connection, []error) {
	conns, errs := make([]*Connection, len(ids)), make([]error, len(ids))
	err := w.Check()
	if err == nil {
		err = s.lockChanges(ctx)
	}
	if err != nil {
		for i := range errs {
			errs[i] = err
		}
		return conns, errs
	}
	defer s.unlockChanges()
	var opening sync.WaitGroup
	for i, id := range ids {
		if errs[i] = s.reserveWorker(id, owner); errs[i] != nil {
			continue
		}
		s.mu.Lock()
		c := s.find(id)
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

// reserveWorker adds a worker to the list before it is opened, so that its id is taken.
func (s *Set) reserveWorker(id, owner string) error {
	if !validID(id) {
		return &InvalidIDError{ID: id}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.find(id) != nil {
		return &InUseError{ID: id}
	}
	if err := s.limitError(true); err != nil {
		return err
	}
	s.list = append(s.list, s.newWorker(id, owner))
	return nil
}

// Workers returns the open workers of a parallel run by id.
func (s *Set) Workers(owner string) map[string]*Connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]*Connection)
	for _, c := range s.list {
		if owner != "" && c.owner == owner {
			out[c.id] = c
		}
	}
	return out
}

// ClosedWorkers counts what CloseWorkers closed.
type ClosedWorkers struct{ Contexts, Tabs int }

// CloseWorkers ends the workers of a parallel run, and no worker of the same id that another run
// created since. It is safe to call twice.
func (s *Set) CloseWorkers(ctx context.Context, owner string) (ClosedWorkers, error) {
	var out ClosedWorkers
	if err := s.lockChanges(ctx); err != nil {
		return out, err
	}
	defer s.unlockChanges()
	workers := s.Workers(owner)
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
