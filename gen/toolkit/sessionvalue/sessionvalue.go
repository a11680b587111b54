// Package sessionvalue keeps a value of the server's own for each session: made when a call first needs it, and closed when the
// session ends.
//
// Whoever serves the sessions calls End, such as mcpserver.Options.SessionEnded.
package sessionvalue

import (
	"context"
	"io"
	"log/slog"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Store has the values of one type. It is safe for concurrent use; its fields are set before the first call.
type Store[T any] struct {
	// Make makes the value of a session. ctx is that of the call which needs it first, and ends with the call. After an error the
	// next call tries again.
	Make func(ctx context.Context, session *toolkit.Session) (T, error)
	Log  *slog.Logger // where errors of Close go; nil discards them

	mu     sync.Mutex
	values map[string]*entry[T] // by the ID of the session
}

type entry[T any] struct {
	mu          sync.Mutex // held while the value is made or closed
	value       T
	made, ended bool
}

// Of returns the value of the session of a call. Calls of one session get the same value.
func (s *Store[T]) Of(ctx context.Context, call *toolkit.Call) (T, error) {
	e := s.entry(call.Session.ID)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.made {
		return e.value, nil
	}
	var none T
	if e.ended {
		return none, toolkit.Refuse(toolkit.Failed, "the session has ended")
	}
	value, err := s.Make(ctx, call.Session)
	if err != nil {
		return none, err
	}
	e.value, e.made = value, true
	return value, nil
}

func (s *Store[T]) entry(session string) *entry[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.values[session]
	if e == nil {
		e = new(entry[T])
		if s.values == nil {
			s.values = make(map[string]*entry[T])
		}
		s.values[session] = e
	}
	return e
}

// End closes the value of a session where it is an io.Closer, and forgets it.
func (s *Store[T]) End(session string) {
	s.mu.Lock()
	e := s.values[session]
	delete(s.values, session)
	s.mu.Unlock()
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
	closer, ok := any(e.value).(io.Closer)
	if !e.made || !ok {
		return
	}
	if err := closer.Close(); err != nil && s.Log != nil {
		s.Log.Error("the value of a session was not closed", "session", session, "error", err)
	}
}
