package session

import (
	"context"
	"errors"
	"sync"
	"time"
)

// closeTimeout bounds how long a stop waits for pages to close; a browser that is about to end takes them with it.
const closeTime = 5 * time.Second

// Stopped is what a stop has ended.
type Stopped struct {
	Tabs        int  // of the client, in every connection
	Connections int  // those that were in use
	Ended       bool // the server's own browser
	InUse       bool // it goes on: other clients use it
	Running     bool // the server's own browser ran before
}

// Stop ends everything that the client has: its tabs, its connections, the browsers that were launched for it, and the
// server's own unless other clients use it or keep says so. The set is then as it was at first, and the next call that
// needs a browser starts one.
func (s *Set) Stop(ctx context.Context, keep bool) (Stopped, error) {
	if err := s.take(ctx); err != nil {
		return Stopped{}, err
	}
	defer s.release()
	s.mu.Lock()
	list := s.list
	s.active = s.own()
	s.list, s.moved = []*Connection{s.active}, nil
	s.mu.Unlock()
	out := Stopped{Running: s.board.own.Status().Running}
	for _, c := range list {
		if c.Session().Connected() {
			out.Connections++
			out.Tabs += len(c.Session().IDs())
		}
	}
	errs := make([]error, len(list)+1)
	var wg sync.WaitGroup
	closing, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	for i, c := range list {
		wg.Go(func() { errs[i] = c.end(closing, s.id) })
	}
	wg.Wait()
	if !keep {
		out.Ended, errs[len(list)] = s.board.own.Rest(ctx)
		out.InUse = out.Running && !out.Ended
	}
	s.Refresh()
	return out, errors.Join(errs...)
}
