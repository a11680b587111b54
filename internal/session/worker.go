package session

import (
	"context"
	"errors"
	"sync"

	"github.com/callsheet/callsheet/internal/engine/browser"
)

// newWorker makes a connection to a part of the server's own browser that shares nothing with the others.
func (s *Set) newWorker(id, owner string) *Connection {
	session := s.registry.own.WorkerSession(s.id, id)
	c := newConnection(id, Worker, s.registry.own, func() *browser.Session { return session }, s.Refresh)
	c.owner = owner
	return c
}

// limitError is the error of a client that has all it may have, of workers or of the others. The caller holds mu.
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

// CreateWorkers makes workers for a piece of work, all at once, each with an empty tab. None of them becomes the active connection:
// nobody should find the next call in another browser context than the last. For each id there is a connection or an error,
// one of those of Work.
func (s *Set) CreateWorkers(ctx context.Context, owner string, ids []string) ([]*Connection, []error) {
	conns, errs := make([]*Connection, len(ids)), make([]error, len(ids))
	if err := s.lockChanges(ctx); err != nil {
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
		if ended && c != nil { // the client has gone meanwhile, and nobody else will end them
			conns[i], errs[i] = nil, errors.Join(errors.New("the session has ended"), s.discard(ctx, c))
		}
	}
	s.Refresh()
	return conns, errs
}

// reserveWorker gives a worker its place in the list before it is opened, so that its name is taken.
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

// Workers lists the workers that were made for a piece of work and have not been ended, by id.
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

// ClosedWorkers counts what Dismiss has closed.
type ClosedWorkers struct{ Contexts, Tabs int }

// CloseWorkers ends the workers that were made for a piece of work, and nothing else. A worker of the same name that somebody
// made since is not one of them. It is safe to call twice.
func (s *Set) CloseWorkers(ctx context.Context, owner string) (ClosedWorkers, error) {
	var out ClosedWorkers
	if err := s.lockChanges(ctx); err != nil {
		return out, err
	}
	defer s.unlockChanges()
	hired := s.Workers(owner)
	s.mu.Lock()
	for _, c := range hired {
		s.remove(c)
	}
	s.mu.Unlock()
	if len(hired) == 0 {
		return out, nil
	}
	s.Refresh()
	var ending sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for _, c := range hired {
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
	_, err := s.registry.own.CloseIfUnused(ctx)
	s.Refresh()
	return out, errors.Join(append(errs, err)...)
}
