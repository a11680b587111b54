package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Op is what a connection is for.
type Op string

// The operations: to be served, to hear how the daemon is, to end it.
const (
	OpServe  Op = "serve"
	OpStatus Op = "status"
	OpStop   Op = "stop"
)

// Hello is the first line of a client. Identity names the program's build; a daemon of another build does not serve it.
type Hello struct {
	Identity string `json:"identity"`
	Op       Op     `json:"op"`
	// Scope and Session say what is to be served; they mean nothing to this package.
	Scope   string `json:"scope,omitempty"`
	Session string `json:"session,omitempty"`
}

// Status is the daemon's answer.
type Status struct {
	Identity    string        `json:"identity"`
	PID         int           `json:"pid"`
	Since       time.Time     `json:"since"`
	Idle        time.Duration `json:"idle"` // after how long without a connection it ends, in ns
	Connections int           `json:"connections"`
	Foreign     bool          `json:"foreign,omitempty"` // it is of another build, and says no more
}

// Options are a daemon's.
type Options struct {
	Identity string
	Idle     time.Duration // it ends when it had no connection for so long; 0 is never
	// Busy, if set, reports whether there is work that nobody waits for at a connection; with any it does not end.
	Busy func() bool
	// Handle serves one connection; it must end when ctx is done. The connection is closed after it.
	Handle func(ctx context.Context, conn io.ReadWriteCloser, hello Hello)
}

// ErrRunning says that another process is the daemon of this place.
var ErrRunning = errors.New("a daemon is running already")

// How long a client may take for its first line, and how often a claim is tried anew.
const (
	helloTime  = 5 * time.Second
	claimEvery = 5 * time.Millisecond
)

// Server is the one daemon of a place. Claim makes it.
type Server struct {
	place  Place
	lock   *os.File
	listen *net.UnixListener
	since  time.Time

	mu     sync.Mutex
	open   int // connections that are served
	timer  *time.Timer
	serves sync.WaitGroup
	stops  []net.Conn // of clients that wait for the end of the process
}

// Claim makes this process the daemon of the place. It waits for one that is just ending, and fails with ErrRunning when
// there is one that answers.
func Claim(ctx context.Context, p Place) (*Server, error) {
	for {
		lock, err := claim(p.lock())
		if err == nil {
			return newServer(p, lock)
		}
		if conn, _, err := p.dial(ctx, Hello{Op: OpStatus}); err == nil {
			_ = conn.Close()
			return nil, ErrRunning
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the daemon's lock: %w", err)
		case <-time.After(claimEvery):
		}
	}
}

func newServer(p Place, lock *os.File) (*Server, error) {
	_ = os.Remove(p.Socket()) // left by a daemon that was killed: the lock is ours, so nobody listens there
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket(), Net: "unix"})
	if err == nil {
		err = os.Chmod(p.Socket(), 0o600)
	}
	if err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("listen for commands: %w", err)
	}
	return &Server{place: p, lock: lock, listen: l, since: time.Now()}, nil
}

// Serve serves connections until ctx is done, a client stops the daemon, or nobody has needed it for opt.Idle. It returns
// when every handler has.
func (s *Server) Serve(ctx context.Context, opt Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = s.listen.Close() })()
	s.mu.Lock()
	if opt.Idle > 0 {
		s.timer = time.AfterFunc(opt.Idle, func() { s.idle(cancel, opt) })
	}
	s.mu.Unlock()
	for {
		conn, err := s.listen.AcceptUnix()
		if ctx.Err() != nil {
			if err == nil {
				_ = conn.Close()
			}
			s.serves.Wait()
			return nil
		}
		if err != nil {
			return fmt.Errorf("accept a command: %w", err)
		}
		s.serves.Go(func() { s.serve(ctx, cancel, conn, opt) })
	}
}

// idle ends the daemon, unless somebody came at the last moment or it has work to do.
func (s *Server) idle(end func(), opt Options) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.open > 0: // the timer begins anew with the last of them
	case opt.Busy != nil && opt.Busy():
		s.timer.Reset(opt.Idle)
	default:
		end()
	}
}

func (s *Server) count(n int, idle time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open += n; s.open == 0 && s.timer != nil {
		s.timer.Reset(idle)
	}
}

// serve answers a client's first line and does what it asks for. A stopping client's connection stays open, and tells it
// by its end that the process has ended.
func (s *Server) serve(ctx context.Context, stop func(), conn *net.UnixConn, opt Options) {
	_ = conn.SetReadDeadline(time.Now().Add(helloTime))
	in := bufio.NewReader(conn)
	var hello Hello
	if err := readLine(in, &hello); err != nil {
		_ = conn.Close()
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	foreign := hello.Op == OpServe && hello.Identity != opt.Identity
	if hello.Op == OpServe && !foreign { // to be asked how it is does not keep a daemon
		s.count(1, opt.Idle)
		defer s.count(-1, opt.Idle)
	}
	if ctx.Err() != nil { // it is ending: the client starts the next one
		_ = conn.Close()
		return
	}
	s.mu.Lock()
	status := Status{Identity: opt.Identity, PID: os.Getpid(), Since: s.since, Idle: opt.Idle, Connections: s.open, Foreign: foreign}
	s.mu.Unlock()
	if err := json.NewEncoder(conn).Encode(status); err == nil && hello.Op == OpStop {
		s.mu.Lock()
		s.stops = append(s.stops, conn)
		s.mu.Unlock()
		stop()
		return
	} else if err == nil && hello.Op == OpServe && !status.Foreign {
		defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
		opt.Handle(ctx, wire{in, conn}, hello)
	}
	_ = conn.Close()
}

// Close gives the place up. What the process has open must have ended by then, as the next daemon may start at once.
func (s *Server) Close() error {
	_ = s.listen.Close()
	return s.lock.Close()
}

// wire is a connection whose first line has been read.
type wire struct {
	*bufio.Reader
	net.Conn
}

func (w wire) Read(p []byte) (int, error) { return w.Reader.Read(p) }

// readLine reads a first line, which the reader's buffer bounds.
func readLine(in *bufio.Reader, into any) error {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}
