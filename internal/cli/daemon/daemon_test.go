package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/cli/daemon"
)

func place(t *testing.T) daemon.Directory {
	t.Helper()
	p, err := daemon.Open(filepath.Join(t.TempDir(), "d"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// serve runs a daemon that echoes, and returns what tells that it has given its place up.
func serve(t *testing.T, p daemon.Directory, opt daemon.Options) <-chan error {
	t.Helper()
	s, err := daemon.Listen(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	opt.Handle = func(_ context.Context, conn io.ReadWriteCloser, _ daemon.Hello) { _, _ = io.Copy(conn, conn) }
	ended := make(chan error, 1)
	go func() { ended <- errors.Join(s.Serve(t.Context(), opt), s.Close()) }()
	return ended
}

// connect uses the daemon that runs.
func connect(t *testing.T, p daemon.Directory) io.Closer {
	t.Helper()
	conn, _, err := p.Connect(t.Context(), daemon.Hello{Op: daemon.OpServe}, daemon.Program{})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func wait(t *testing.T, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the daemon goes on")
	}
}

func TestOneDaemonPerPlace(t *testing.T) {
	t.Parallel()
	p := place(t)
	if _, err := p.Status(t.Context()); !errors.Is(err, daemon.ErrNotRunning) {
		t.Errorf("without a daemon: %v", err)
	}
	ended := serve(t, p, daemon.Options{Identity: "a"})
	if _, err := daemon.Listen(t.Context(), p); !errors.Is(err, daemon.ErrRunning) {
		t.Errorf("a second daemon: %v", err)
	}
	conn, status, err := p.Connect(t.Context(), daemon.Hello{Identity: "a", Op: daemon.OpServe}, daemon.Program{})
	if err != nil || status.PID != os.Getpid() {
		t.Fatalf("%+v %v", status, err)
	}
	_, _ = io.WriteString(conn, "ping\n")
	echo := make([]byte, 5)
	if _, err := io.ReadFull(conn, echo); err != nil || string(echo) != "ping\n" {
		t.Errorf("%q %v", echo, err)
	}
	if status, err := p.Status(t.Context()); err != nil || status.Connections != 1 {
		t.Errorf("%+v %v", status, err)
	}
	go func() { _ = p.Stop(t.Context()) }() // this process stays, so the stop would wait for its end
	wait(t, ended)
	if _, err := io.ReadAll(conn); err != nil && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
	if _, err := os.Stat(p.Socket()); !os.IsNotExist(err) {
		t.Errorf("the socket stays: %v", err)
	}
}

// TestSlowDaemon: a client waits for a daemon that listens and does not answer yet, and starts no
// other one beside it. The error of one that never answers names its process.
func TestSlowDaemon(t *testing.T) {
	t.Parallel()
	p := place(t)
	s, err := daemon.Listen(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	started := filepath.Join(t.TempDir(), "started")
	second := daemon.Program{Path: "/bin/sh", Args: []string{"-c", `: >"$0"`, started}, Log: filepath.Join(t.TempDir(), "log")}
	const soonTime = 2 * time.Second // enough to connect, also on a busy machine
	soon, cancel := context.WithTimeout(t.Context(), soonTime)
	defer cancel()
	_, unanswered := p.Status(soon)
	soon, cancel = context.WithTimeout(t.Context(), soonTime)
	defer cancel()
	_, _, unreached := p.Connect(soon, daemon.Hello{Op: daemon.OpServe}, second)
	for _, err := range []error{unanswered, unreached} {
		if !errors.Is(err, daemon.ErrNoAnswer) || errors.Is(err, daemon.ErrNotRunning) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
			t.Errorf("a daemon that does not answer: %v", err)
		}
	}
	connected := make(chan error, 1)
	go func() {
		conn, _, err := p.Connect(t.Context(), daemon.Hello{Op: daemon.OpServe}, second)
		if err == nil {
			err = conn.Close()
		}
		connected <- err
	}()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- s.Serve(ctx, daemon.Options{Handle: func(context.Context, io.ReadWriteCloser, daemon.Hello) {}})
	}()
	wait(t, connected)
	cancel()
	wait(t, served)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(started); !os.IsNotExist(err) {
		t.Errorf("a second daemon was started: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(p.Socket()), "*.pid")); left != nil {
		t.Errorf("the end leaves %v", left)
	}
}

// TestDaemonDoesNotListen: the error of a program that never listens names its process and its log,
// whether the time ends between two attempts to connect or during one.
func TestDaemonDoesNotListen(t *testing.T) {
	t.Parallel()
	p := place(t)
	log := filepath.Join(t.TempDir(), "log")
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		err := p.Start(ctx, daemon.Program{Path: "/bin/sh", Args: []string{"-c", "exec sleep 1"}, Log: log})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "process ") || !strings.Contains(err.Error(), log) {
			t.Errorf("a program that does not listen: %v", err)
		}
	}
}

// TestStaleSocket: what a killed daemon left does not keep the next from starting.
func TestStaleSocket(t *testing.T) {
	t.Parallel()
	p := place(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket(), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	serve(t, p, daemon.Options{})
	if _, err := p.Status(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestLogStartsAfresh when it has grown large, and what was in it is kept once.
func TestLogStartsAfresh(t *testing.T) {
	t.Parallel()
	p := place(t)
	log := filepath.Join(t.TempDir(), "daemon.log")
	start := func() {
		t.Helper()
		program := daemon.Program{Path: os.Args[0], Args: []string{"-no-such-flag"}, Log: log}
		if err := p.Start(t.Context(), program); err == nil || !strings.Contains(err.Error(), "no-such-flag") {
			t.Fatalf("the program says %v", err)
		}
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			return -1
		}
		return info.Size()
	}
	start()
	first := size(log)
	if start(); size(log) != 2*first || size(log+".1") != -1 {
		t.Errorf("a small log: %d bytes after %d, the old one %d", size(log), first, size(log+".1"))
	}
	const large = 20 << 20
	if err := os.Truncate(log, large); err != nil {
		t.Fatal(err)
	}
	if start(); size(log) != first || size(log+".1") != large {
		t.Errorf("a large log: %d bytes, the old one %d", size(log), size(log+".1"))
	}
}

// TestBusyDaemonDoesNotEnd: work without a connection keeps a daemon alive.
func TestBusyDaemonDoesNotEnd(t *testing.T) {
	t.Parallel()
	p := place(t)
	asked, done := make(chan bool), make(chan bool)
	ended := serve(t, p, daemon.Options{Idle: 20 * time.Millisecond, Busy: func() bool {
		select {
		case asked <- true:
			return true
		case <-done:
			return false
		}
	}})
	_ = connect(t, p).Close()
	for range 3 {
		select {
		case <-asked:
		case <-ended:
			t.Fatal("it ended at its work")
		}
	}
	if _, err := p.Status(t.Context()); err != nil {
		t.Error(err)
	}
	close(done)
	wait(t, ended)
}

// TestIdle counts from the last connection, not from the first nor from the start: the command that started the daemon may
// be slow to connect.
func TestIdle(t *testing.T) {
	t.Parallel()
	p := place(t)
	ended := serve(t, p, daemon.Options{Idle: 50 * time.Millisecond})
	select {
	case err := <-ended:
		t.Fatalf("ended before it was used: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	conn := connect(t, p)
	select {
	case err := <-ended:
		t.Fatalf("ended in use: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	_ = conn.Close()
	wait(t, ended)
}

// TestStrangers say nothing sensible; the daemon lives.
func TestStrangers(t *testing.T) {
	t.Parallel()
	p := place(t)
	serve(t, p, daemon.Options{})
	for _, line := range []string{"", "\n", "GET / HTTP/1.1\r\n\r\n", strings.Repeat("x", 1<<16), `{"op":"dance"}` + "\n"} {
		conn, err := net.Dial("unix", p.Socket())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, line)
		_ = conn.(*net.UnixConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
	}
	if _, err := p.Status(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestStartFails tells what the program has said.
func TestStartFails(t *testing.T) {
	t.Parallel()
	p := place(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	log := filepath.Join(t.TempDir(), "log")
	err := p.Start(ctx, daemon.Program{Path: "/bin/sh", Args: []string{"-c", "echo no luck >&2; exit 3"}, Log: log})
	if err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Error(err)
	}
	if err := p.Start(ctx, daemon.Program{Path: "/no/such/program", Log: log}); err == nil {
		t.Error("a program that is not there was started")
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := daemon.Open(open); err == nil {
		t.Error("a directory that others can read was taken")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := daemon.Open(file); err == nil {
		t.Error("a file was taken")
	}
	p, err := daemon.Open(filepath.Join(t.TempDir(), strings.Repeat("long", 30)))
	if err != nil || len(p.Socket()) > 100 {
		t.Errorf("%s %v", p.Socket(), err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(p.Socket())) })
}
