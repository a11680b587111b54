package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"
)

// answerTimeout bounds how long a client waits until a daemon has started, has answered its first line,
// or has ended to be replaced. A machine that is short of processors can take seconds for either. pollInterval is the time
// between two attempts to connect.
const (
	answerTimeout = 30 * time.Second
	pollInterval  = time.Millisecond
)

// ErrNotRunning is the error where no daemon listens, or where it is ending.
var ErrNotRunning = errors.New("no daemon is running")

// ErrNoAnswer is the error of a daemon that listens, and did not answer in time. No other one can
// start beside it.
var ErrNoAnswer = errors.New("the daemon runs and does not answer")

// Program is the command line of a daemon, its working directory and its log file.
type Program struct {
	Path string
	Args []string
	Dir  string
	Log  string
}

// Connect connects to the daemon, and starts one if none runs. It stops one of another build first.
// It waits for a daemon that is slow to answer; ErrNoAnswer ends the wait.
func (d Directory) Connect(ctx context.Context, hello Hello, start Program) (io.ReadWriteCloser, Status, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	for {
		conn, status, err := d.dial(ctx, hello)
		switch {
		case err == nil && !status.OtherBuild:
			return conn, status, nil
		case err == nil:
			_ = conn.Close()
			if err := d.Stop(ctx); err != nil && !errors.Is(err, ErrNotRunning) {
				return nil, status, fmt.Errorf("replace the daemon of another version: %w", err)
			}
		case !errors.Is(err, ErrNotRunning):
			return nil, status, fmt.Errorf("reach the daemon: %w", err)
		case ctx.Err() != nil:
			return nil, status, fmt.Errorf("reach the daemon: %w", ctx.Err())
		}
		if err := d.Start(ctx, start); err != nil {
			return nil, status, err
		}
	}
}

// Start starts a daemon and waits until one answers, this one or one that another command started.
// The error is ErrNoAnswer where one listens and does not answer. That of a program that does not
// listen in time names its process and its log.
func (d Directory) Start(ctx context.Context, program Program) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if err := rotateLog(program.Log); err != nil {
		return fmt.Errorf("rotate the log of the daemon: %w", err)
	}
	log, err := os.OpenFile(program.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the daemon's log: %w", err)
	}
	defer func() { _ = log.Close() }()
	begin, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("open the daemon's log: %w", err)
	}
	cmd := exec.Command(program.Path, program.Args...) // not bound to ctx: it outlives this process
	cmd.Dir, cmd.Stderr = program.Dir, log
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		switch conn, _, err := d.dial(ctx, Hello{Op: OpStatus}); {
		case err == nil:
			return conn.Close()
		case errors.Is(err, ErrNoAnswer):
			return fmt.Errorf("start the daemon: %w", err)
		}
		select { // also once ctx is done, for the error that names the process
		case failed := <-ended:
			if failed != nil {
				return fmt.Errorf("start the daemon: %w: %s", failed, readLog(program.Log, begin))
			}
			ended = nil // another daemon has the lock, and may not listen yet
		case <-ctx.Done():
			return fmt.Errorf("start the daemon: %w: process %d does not listen yet; its log is %s", ctx.Err(), cmd.Process.Pid, program.Log)
		case <-time.After(pollInterval):
		}
	}
}

// maxLogBytes is the size from which on a new daemon begins a new log.
const maxLogBytes = 10 << 20

// rotateLog renames a log of at least maxLogBytes, in place of the last one that it renamed.
func rotateLog(log string) error {
	info, err := os.Stat(log)
	if err != nil || info.Size() < maxLogBytes {
		return nil // missing, or opening it gives the error
	}
	return os.Rename(log, log+".1")
}

// readLog returns what a daemon wrote to its log from an offset on.
func readLog(path string, begin int64) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	text, _ := io.ReadAll(io.NewSectionReader(f, begin, 4096)) // best effort
	return bytes.TrimSpace(text)
}

// Status requests the status of the daemon. Without one the error is ErrNotRunning, and ErrNoAnswer
// where it does not answer.
func (d Directory) Status(ctx context.Context) (Status, error) {
	conn, status, err := d.dial(ctx, Hello{Op: OpStatus})
	if err != nil {
		return status, err
	}
	return status, conn.Close()
}

// Stop stops the daemon and waits until its process has closed everything. Without one the error is
// ErrNotRunning.
func (d Directory) Stop(ctx context.Context) error {
	conn, _, err := d.dial(ctx, Hello{Op: OpStop})
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := io.Copy(io.Discard, conn); err != nil && ctx.Err() != nil {
		return fmt.Errorf("wait for the daemon to end: %w", ctx.Err())
	}
	return nil
}

// CloseWrite ends the requests of a connection. The responses can still be read.
func CloseWrite(conn io.ReadWriteCloser) error {
	if w, ok := conn.(bufferedConn); ok {
		if half, ok := w.Conn.(interface{ CloseWrite() error }); ok {
			return half.CloseWrite()
		}
	}
	return conn.Close()
}

// dial connects and exchanges the first lines. The error is ErrNotRunning, ErrNoAnswer or that of ctx.
func (d Directory) dial(ctx context.Context, hello Hello) (io.ReadWriteCloser, Status, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	var status Status
	conn, err := new(net.Dialer).DialContext(ctx, "unix", d.Socket())
	switch {
	case ctx.Err() != nil:
		return nil, status, ctx.Err()
	case err != nil:
		return nil, status, fmt.Errorf("%w: %w", ErrNotRunning, err)
	}
	began := time.Now()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	in := bufio.NewReader(conn)
	if err = json.NewEncoder(conn).Encode(hello); err == nil {
		err = readLine(in, &status)
	}
	late := !stop()
	switch {
	case !late && err == nil:
		return bufferedConn{in, conn}, status, nil
	case !late: // the daemon is ending
		err = fmt.Errorf("%w: %w", ErrNotRunning, err)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = d.noAnswer(time.Since(began))
	default:
		err = ctx.Err()
	}
	_ = conn.Close()
	return nil, Status{}, err
}

// noAnswer is ErrNoAnswer for a client that waited so long. It names the process, if known.
func (d Directory) noAnswer(waited time.Duration) error {
	waited = waited.Round(100 * time.Millisecond)
	pid, _ := os.ReadFile(d.pid()) // a daemon without it could not write it
	if len(pid) == 0 {
		return fmt.Errorf("%w within %v", ErrNoAnswer, waited)
	}
	return fmt.Errorf("%w within %v; try again, or end process %s", ErrNoAnswer, waited, pid)
}
