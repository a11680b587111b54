package session

import (
	"context"
	"errors"
	"sync"
	"time"
)

// closeTimeout bounds how long Stop waits for pages to close.
const closeTimeout = 5 * time.Second

// StopResult counts the tabs and connections that Stop ended, and describes the end of the server's own browser.
type StopResult struct {
	Tabs          int  // in every connection
	Connections   int  // with a running browser
	OwnEnded      bool // the server's own browser exited
	OwnInUse      bool // the server's own browser keeps running for other clients
	OwnWasRunning bool // the server's own browser ran before
}

// Stop ends everything of the client: its tabs, its connections, the browsers launched for it, and
// the server's own browser unless other clients use it or keep is set. The set is then as new: the
// next call that needs a browser starts one.
func (s *Set) Stop(ctx context.Context, keep bool) (StopResult, error) {
	if err := s.changes.lock(ctx); err != nil {
		return StopResult{}, err
	}
	defer s.changes.unlock()
	own := s.own()
	s.mu.Lock()
	list := s.list
	s.active = s.newOwnConnection()
	s.list, s.activeChanged = connectionList{s.active}, nil
	s.mu.Unlock()
	out := StopResult{OwnWasRunning: own.Status().Running}
	for _, c := range list {
		if c.Session().Connected() {
			out.Connections++
			out.Tabs += len(c.Session().TabIDs())
		}
	}
	errs := make([]error, len(list)+1)
	var wg sync.WaitGroup
	closing, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	for i, c := range list {
		wg.Go(func() { errs[i] = c.end(closing, s.id) })
	}
	wg.Wait()
	if !keep {
		out.OwnEnded, errs[len(list)] = own.CloseIfUnused(ctx)
		out.OwnInUse = out.OwnWasRunning && !out.OwnEnded
	}
	s.Refresh()
	return out, errors.Join(errs...)
}
