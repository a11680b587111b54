package external

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/workflow/external/config"
)

// How long a server that cannot be started is left alone: minRetryDelay after the second failure in a row, twice as long
// after each further one, never longer than maxRetryDelay.
const (
	minRetryDelay = 500 * time.Millisecond
	maxRetryDelay = 30 * time.Second
)

// server is one server at run time. It has at most one connection.
type server struct {
	reg      *Registry
	entry    *config.Server
	redactor func() redactor // values of the entry in the registry's environment, for messages
	slots    chan struct{}   // one per call at a time; nil when there is no bound
	reserved chan struct{}   // full while a run has it for itself

	mu              sync.Mutex
	conn            *connection
	attempt         *attempt // a connection being made
	failures        int      // attempts that failed in a row
	retryAt         time.Time
	lastErr         error
	catalog         *Catalog // the newest known, filtered
	comparedCatalog *Catalog // the catalog that drifted is about
	driftErr        error
	needsLegacy     bool // the server died of the question for the modern era
	inUse           int  // calls and discoveries that need the connection
	idle            *time.Timer
}

// attempt is a connection being made; everybody who needs it waits for the same one.
type attempt struct {
	done chan struct{}
	conn *connection
	err  error
}

func newServer(r *Registry, entry *config.Server) *server {
	s := &server{reg: r, entry: entry, reserved: make(chan struct{}, 1)}
	n := entry.MaxConcurrency
	if n == 0 && entry.Stateful {
		n = 1
	}
	if n > 0 {
		s.slots = make(chan struct{}, n)
	}
	s.redactor = sync.OnceValue(func() redactor {
		resolved, err := s.resolve()
		if err != nil {
			return redactor{}
		}
		return newRedactor(resolved.Secrets)
	})
	return s
}

func (s *server) resolve() (config.Resolved, error) {
	lookup, err := s.reg.environment(s.entry.Dir)
	if err != nil {
		return config.Resolved{}, err
	}
	return s.entry.Resolve(lookup)
}

// newError makes the error of a call (tool "" for none) from what ended it.
func (s *server) newError(tool string, err error) error {
	if known, ok := errors.AsType[*Error](err); ok {
		if known.Tool == "" && tool != "" {
			return &Error{Alias: known.Alias, Tool: tool, Reason: known.Reason, Err: known.Err}
		}
		return known
	}
	kind := Unavailable
	switch {
	case s.reg.ctx.Err() != nil:
		kind, err = Closed, errors.New("the registry is closed")
	case errors.Is(err, context.Canceled):
		kind = Canceled
	case errors.Is(err, context.DeadlineExceeded):
		kind = Timeout
	}
	return &Error{Alias: s.entry.Alias, Tool: tool, Reason: kind, Err: s.redactor().redactError(err)}
}

// acquire gives the live connection, or makes one, but none for a caller that has given up already. Every use must be followed
// by one release.
func (s *server) acquire(ctx context.Context) (*connection, error) {
	s.mu.Lock()
	s.inUse++
	if s.idle != nil {
		s.idle.Stop()
	}
	if s.conn != nil && !s.conn.isClosed() {
		defer s.mu.Unlock()
		return s.conn, nil
	}
	a := s.attempt
	if a == nil {
		if wait := time.Until(s.retryAt); wait > 0 {
			defer s.mu.Unlock()
			return nil, &Error{Alias: s.entry.Alias, Reason: ReasonOf(s.lastErr),
				Err: fmt.Errorf("%w (failed %d times; tried again in %v)", causeOf(s.lastErr), s.failures, wait.Round(100*time.Millisecond))}
		}
		if s.reg.ctx.Err() != nil {
			defer s.mu.Unlock()
			return nil, errorf(s.entry.Alias, Closed, "the registry is closed")
		}
		if err := ctx.Err(); err != nil {
			s.mu.Unlock()
			return nil, s.newError("", err)
		}
		a = &attempt{done: make(chan struct{})}
		s.attempt = a
		s.reg.tasks.Go(func() { s.runConnection(a) })
	}
	s.mu.Unlock()
	select {
	case <-a.done:
		return a.conn, a.err
	case <-ctx.Done():
		return nil, s.newError("", ctx.Err())
	}
}

func causeOf(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Err
	}
	return err
}

// release says that a use is over. The last one starts the idle timer.
func (s *server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inUse--
	if s.inUse > 0 || s.entry.Idle == 0 || s.conn == nil {
		return
	}
	conn := s.conn
	s.idle = time.AfterFunc(s.entry.Idle, func() {
		s.mu.Lock()
		unused := s.inUse == 0 && s.conn == conn
		if unused {
			s.conn = nil
		}
		s.mu.Unlock()
		if unused {
			conn.close(errors.New("unused for its idle timeout"))
		}
	})
}

// runConnection makes the connection of an attempt and then stays until it ends.
func (s *server) runConnection(a *attempt) {
	conn, err := s.connect()
	s.mu.Lock()
	s.attempt = nil
	if err != nil {
		s.failures++
		if s.failures > 1 {
			s.retryAt = time.Now().Add(min(minRetryDelay<<min(s.failures-2, 10), maxRetryDelay))
		}
		err = s.newError("", err)
		s.lastErr = err
		a.err = err
	} else {
		s.failures, s.retryAt, s.lastErr = 0, time.Time{}, nil
		s.conn = conn
		a.conn = conn
	}
	s.mu.Unlock()
	if err != nil {
		s.reg.log.Warn("external server unavailable", "server", s.entry.Alias, "error", err)
		close(a.done)
		return
	}
	s.reg.log.Info("external server connected", "server", s.entry.Alias, "protocol", conn.protocol())
	close(a.done)
	if s.reg.ctx.Err() != nil { // Close has looked for connections before this one was there
		conn.close(errClosed)
	}
	why := conn.wait()
	s.mu.Lock()
	if s.conn == conn {
		s.conn = nil
	}
	s.mu.Unlock()
	s.reg.log.Info("external server gone", "server", s.entry.Alias, "why", s.redactor().redact(why.Error()))
}

var errClosed = errors.New("the registry is closed")

// connect starts or dials the server and learns its tools, all within its startup timeout.
func (s *server) connect() (*connection, error) {
	resolved, err := s.resolve()
	if err != nil {
		return nil, &Error{Alias: s.entry.Alias, Reason: BadEntry, Err: err}
	}
	ctx, cancel := context.WithTimeoutCause(s.reg.ctx, s.entry.StartupTimeout,
		fmt.Errorf("it did not answer within its startup timeout of %v", s.entry.StartupTimeout))
	defer cancel()
	conn, err := s.openConnection(ctx, resolved)
	if err != nil {
		return nil, err
	}
	if err := conn.refreshTools(ctx); err != nil {
		err = conn.withStderr(ctx, fmt.Errorf("list its tools: %w", err))
		conn.close(err)
		return nil, err
	}
	return conn, nil
}

// openConnection makes the connection. A process that dies of being asked for the modern era is started once more and not asked.
func (s *server) openConnection(ctx context.Context, resolved config.Resolved) (*connection, error) {
	if s.entry.Transport != config.Stdio {
		return s.dial(ctx, resolved)
	}
	s.mu.Lock()
	legacy := s.needsLegacy || s.entry.Protocol == config.Legacy
	s.mu.Unlock()
	conn, err := s.start(ctx, resolved, legacy)
	if err == nil || legacy || s.entry.Protocol != config.Auto || ctx.Err() != nil || !errors.Is(err, errExited) {
		return conn, err
	}
	if conn, second := s.start(ctx, resolved, true); second == nil {
		s.mu.Lock()
		s.needsLegacy = true
		s.mu.Unlock()
		return conn, nil
	}
	return nil, err
}

// stop ends the connection for good.
func (s *server) stop() {
	s.mu.Lock()
	conn := s.conn
	s.conn = nil
	if s.idle != nil {
		s.idle.Stop()
	}
	s.mu.Unlock()
	if conn != nil {
		s.reg.tasks.Go(func() { conn.close(errors.New("the registry is closed")) })
	}
}

// discover makes sure of a connection and asks for the tools again if it was there before.
func (s *server) discover(ctx context.Context) (Catalog, error) {
	s.mu.Lock()
	old := s.conn
	s.mu.Unlock()
	conn, err := s.acquire(ctx)
	defer s.release()
	if err != nil {
		return Catalog{}, err
	}
	if conn == old {
		ctx, cancel := context.WithTimeout(ctx, s.entry.StartupTimeout)
		defer cancel()
		if err := conn.refreshTools(ctx); err != nil {
			return Catalog{}, s.newError("", conn.withStderr(ctx, fmt.Errorf("list its tools: %w", err)))
		}
	}
	c, _ := s.knownCatalog()
	return c, nil
}
