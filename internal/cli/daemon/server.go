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
	"strconv"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/storage/filelock"
)

// Op is the purpose of a connection.
type Op string

// The operations: serve the connection, report the status, stop the daemon, answer one request about
// the daemon itself, and take the connection of a native host.
const (
	OpServe   Op = "serve"
	OpStatus  Op = "status"
	OpStop    Op = "stop"
	OpControl Op = "control"
	OpBridge  Op = "bridge"
)

// Hello is the first line of a client. Identity names its build; a daemon of another build does not
// serve it.
type Hello struct {
	Identity string `json:"identity"`
	Op       Op     `json:"op"`
	// Scope and Session select what is served. This package passes them on.
	Scope   string `json:"scope,omitempty"`
	Session string `json:"session,omitempty"`
	// Request is that of OpControl.
	Request json.RawMessage `json:"request,omitempty"`
}

// Status is the daemon's answer.
type Status struct {
	Identity    string        `json:"identity"`
	PID         int           `json:"pid"`
	Since       time.Time     `json:"since"`
	Idle        time.Duration `json:"idle"` // time without a connection after which it ends, in ns; 0 is never
	Connections int           `json:"connections"`
	OtherBuild  bool          `json:"foreign,omitempty"` // the daemon is of another build, and does not serve
}

// Options configure a daemon.
type Options struct {
	Identity string
	Idle     time.Duration // time without a connection after which it ends; 0 is never
	// Busy, if set, reports whether there is work without a connection. The daemon does not end
	// during it.
	Busy func() bool
	// Handle serves one connection; it must end when ctx is done. The connection is closed after
	// it.
	Handle func(ctx context.Context, conn io.ReadWriteCloser, hello Hello)
	// Bridge serves the connection of a native host, as Handle does.
	Bridge func(ctx context.Context, conn io.ReadWriteCloser)
	// Control answers a request of OpControl.
	Control func(ctx context.Context, request json.RawMessage) (any, error)
}

// ErrRunning says that another process is the daemon of this directory.
var ErrRunning = errors.New("a daemon is running already")

// helloTimeout bounds the first line of a client, lockInterval is the time between two attempts to
// lock.
const (
	helloTimeout = 5 * time.Second
	lockInterval = 5 * time.Millisecond
)

// Server is the one daemon of a directory. Listen returns it.
type Server struct {
	dir    Directory
	lock   *os.File
	listen *net.UnixListener
	since  time.Time

	mu          sync.Mutex
	connections int // served ones
	timer       *time.Timer
	handlers    sync.WaitGroup
	stopClients []net.Conn // open until the process ends
}

// Listen makes this process the daemon of the directory. It waits for one that is ending. The error
// is ErrRunning if one answers.
func Listen(ctx context.Context, p Directory) (*Server, error) {
	for {
		lock, err := os.OpenFile(p.lock(), os.O_CREATE|os.O_RDWR, 0o600)
		if err == nil {
			held, lockErr := filelock.Try(lock)
			if err = lockErr; err == nil && !held {
				return newServer(p, lock)
			}
			_ = lock.Close() // another process has the lock
		}
		if conn, _, err := p.dial(ctx, Hello{Op: OpStatus}); err == nil {
			_ = conn.Close()
			return nil, ErrRunning
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the daemon's lock: %w", errors.Join(err, ctx.Err()))
		case <-time.After(lockInterval):
		}
	}
}

func newServer(p Directory, lock *os.File) (*Server, error) {
	_ = os.Remove(p.Socket())                                                        // left by a killed daemon: this process has the lock, so no other one listens
	_ = os.WriteFile(p.pid(), strconv.AppendInt(nil, int64(os.Getpid()), 10), 0o600) // only an error text needs it
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket(), Net: "unix"})
	if err == nil {
		err = os.Chmod(p.Socket(), 0o600)
	}
	if err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("listen for commands: %w", err)
	}
	return &Server{dir: p, lock: lock, listen: l, since: time.Now()}, nil
}

// Serve serves connections until ctx is done, a client stops the daemon, or it had no connection
// for opt.Idle. For the first connection it waits at least answerTimeout, as long as the command that
// started it tries to connect. It returns after every handler has returned.
func (s *Server) Serve(ctx context.Context, opt Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = s.listen.Close() })()
	s.mu.Lock()
	if opt.Idle > 0 {
		s.timer = time.AfterFunc(max(opt.Idle, answerTimeout), func() { s.stopIfIdle(cancel, opt) })
	}
	s.mu.Unlock()
	for {
		conn, err := s.listen.AcceptUnix()
		if ctx.Err() != nil {
			if err == nil {
				_ = conn.Close()
			}
			s.handlers.Wait()
			return nil
		}
		if err != nil {
			return fmt.Errorf("accept a command: %w", err)
		}
		s.handlers.Go(func() { s.serve(ctx, cancel, conn, opt) })
	}
}

// stopIfIdle ends the daemon, unless somebody came at the last moment or it has work to do.
func (s *Server) stopIfIdle(end func(), opt Options) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.connections > 0: // the end of the last one resets the timer
	case opt.Busy != nil && opt.Busy():
		s.timer.Reset(opt.Idle)
	default:
		end()
	}
}

func (s *Server) addConnections(n int, idle time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.connections += n; s.connections == 0 && s.timer != nil {
		s.timer.Reset(idle)
	}
}

// serve answers the first line of a client and does its operation. The connection of OpStop stays
// open until the process ends, so that the client learns of the end.
func (s *Server) serve(ctx context.Context, stop func(), conn *net.UnixConn, opt Options) {
	_ = conn.SetReadDeadline(time.Now().Add(helloTimeout))
	in := bufio.NewReader(conn)
	var hello Hello
	if err := readLine(in, &hello); err != nil {
		_ = conn.Close()
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	works := hello.Op == OpServe || hello.Op == OpControl || hello.Op == OpBridge && opt.Bridge != nil
	foreign := works && hello.Identity != opt.Identity
	if works && !foreign { // other operations do not keep the daemon alive
		s.addConnections(1, opt.Idle)
		defer s.addConnections(-1, opt.Idle)
	}
	if ctx.Err() != nil { // the daemon is ending: the client starts the next one
		_ = conn.Close()
		return
	}
	s.mu.Lock()
	status := Status{Identity: opt.Identity, PID: os.Getpid(), Since: s.since, Idle: opt.Idle, Connections: s.connections, OtherBuild: foreign}
	s.mu.Unlock()
	switch err := json.NewEncoder(conn).Encode(status); {
	case err != nil: // the client is gone
	case hello.Op == OpStop:
		s.mu.Lock()
		s.stopClients = append(s.stopClients, conn)
		s.mu.Unlock()
		stop()
		return
	case hello.Op == OpControl && !foreign:
		_ = json.NewEncoder(conn).Encode(opt.control(ctx, hello.Request)) // a client that is gone needs no reply
	case hello.Op == OpBridge && works && !foreign:
		opt.Bridge(ctx, bufferedConn{in, conn})
	case hello.Op == OpServe && !foreign:
		defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
		opt.Handle(ctx, bufferedConn{in, conn}, hello)
	}
	_ = conn.Close()
}

// Close releases the lock. The process must have closed its browser and files before, since the
// next daemon may start at once.
func (s *Server) Close() error {
	_ = s.listen.Close()
	_ = os.Remove(s.dir.pid())
	return s.lock.Close()
}

// bufferedConn is a connection whose first line has been read.
type bufferedConn struct {
	*bufio.Reader
	net.Conn
}

func (b bufferedConn) Read(p []byte) (int, error) { return b.Reader.Read(p) }

// readLine reads a first line, which the reader's buffer bounds.
func readLine(in *bufio.Reader, into any) error {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}
