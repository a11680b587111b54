package external

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/workflow/external/config"
)

// Delay before the next attempt to start a server that failed: minRetryDelay after the second
// failure in a row, doubled after each further one, up to maxRetryDelay.
const (
	minRetryDelay = 500 * time.Millisecond
	maxRetryDelay = 30 * time.Second
)

// server is the runtime state of one server. It has at most one connection.
type server struct {
	reg      *Registry
	entry    *config.Server
	redactor func() redactor // secret values of the entry
	slots    chan struct{}   // one element per running call; nil without a limit
	reserved chan struct{}   // full while a run has reserved the server

	mu              sync.Mutex
	conn            *connection
	attempt         *attempt // the connection attempt in progress
	failures        int      // consecutive failed attempts
	retryAt         time.Time
	lastErr         error
	catalog         *Catalog // latest known tools, filtered
	comparedCatalog *Catalog // the catalog that driftErr is about
	driftErr        error
	needsLegacy     bool // the process exits on server/discover
	inUse           int  // users of the connection
	idle            *time.Timer
}

// attempt is a connection attempt that concurrent callers share.
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

// newError returns the error of a call (tool "" for none) from its cause.
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

// acquire returns the connection, or opens one unless ctx has ended. Each acquire must be followed
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
				Err: fmt.Errorf("%w (failed %d times; next attempt in %v)", causeOf(s.lastErr), s.failures,
					wait.Round(100*time.Millisecond))}
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

// release ends a use of the connection. The last one starts the idle timer.
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
		isIdle := s.inUse == 0 && s.conn == conn
		if isIdle {
			s.conn = nil
		}
		s.mu.Unlock()
		if isIdle {
			conn.close(errors.New("idle timeout"))
		}
	})
}

// runConnection opens the connection of an attempt and returns when it has ended.
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
	if s.reg.ctx.Err() != nil { // Close ran before s.conn was set
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

// connect starts or dials the server and fetches its tools within its startup timeout.
func (s *server) connect() (*connection, error) {
	resolved, err := s.resolve()
	if err != nil {
		return nil, &Error{Alias: s.entry.Alias, Reason: BadEntry, Err: err}
	}
	ctx, cancel := context.WithTimeoutCause(s.reg.ctx, s.entry.StartupTimeout,
		fmt.Errorf("no response within the startup timeout of %v", s.entry.StartupTimeout))
	defer cancel()
	conn, err := s.openConnection(ctx, resolved)
	if err != nil {
		return nil, err
	}
	if err := conn.refreshTools(ctx); err != nil {
		err = conn.withStderr(ctx, fmt.Errorf("list the tools: %w", err))
		conn.close(err)
		return nil, err
	}
	return conn, nil
}

// openConnection opens the connection. It restarts a process that exits on server/discover with the
// older handshake.
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
	if conn, retryErr := s.start(ctx, resolved, true); retryErr == nil {
		s.mu.Lock()
		s.needsLegacy = true
		s.mu.Unlock()
		return conn, nil
	}
	return nil, err
}

// stop closes the connection.
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

// discover opens a connection, or fetches the tools again over an open one.
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
			return Catalog{}, s.newError("", conn.withStderr(ctx, fmt.Errorf("list the tools: %w", err)))
		}
	}
	c, _ := s.knownCatalog()
	return c, nil
}
