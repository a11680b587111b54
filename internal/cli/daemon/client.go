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

// How long a daemon may take to start or to end, and how often it is looked for meanwhile.
const (
	startTime = 15 * time.Second
	lookEvery = time.Millisecond
)

// ErrNone says that no daemon answers.
var ErrNone = errors.New("no daemon is running")

// Program says how a daemon is started: this program again, detached, in a directory, writing to a log.
type Program struct {
	Path string
	Args []string
	Dir  string
	Log  string
}

// Connect reaches the daemon of the place, starting one if there is none. One of another build is asked to end first.
func (p Place) Connect(ctx context.Context, hello Hello, start Program) (io.ReadWriteCloser, Status, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		conn, status, err := p.dial(ctx, hello)
		switch {
		case err == nil && !status.Foreign:
			return conn, status, nil
		case err == nil:
			_ = conn.Close()
			if err := p.Stop(ctx); err != nil && !errors.Is(err, ErrNone) {
				return nil, status, fmt.Errorf("replace the daemon of another version: %w", err)
			}
		case ctx.Err() != nil:
			return nil, status, fmt.Errorf("reach the daemon: %w", ctx.Err())
		}
		if err := p.Start(ctx, start); err != nil {
			return nil, status, err
		}
	}
}

// Start starts a daemon and waits until one answers, whoever has started it.
func (p Place) Start(ctx context.Context, program Program) error {
	if err := startAfresh(program.Log); err != nil {
		return fmt.Errorf("put the daemon's old log away: %w", err)
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
	cmd := exec.Command(program.Path, program.Args...) // not bound to ctx: it is to outlive this process
	cmd.Dir, cmd.Stderr = program.Dir, log
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var failed error
	for {
		if conn, _, err := p.dial(ctx, Hello{Op: OpStatus}); err == nil {
			return conn.Close()
		}
		select {
		case failed = <-ended:
			if failed != nil {
				return fmt.Errorf("start the daemon: %w: %s", failed, tail(program.Log, begin))
			}
			ended = nil // there is another, which may not listen yet
		case <-ctx.Done():
			return fmt.Errorf("wait for the daemon to start: %w", ctx.Err())
		case <-time.After(lookEvery):
		}
	}
}

// largeLog is the size in bytes from which on a daemon begins a new log.
const largeLog = 10 << 20

// startAfresh puts a log that has grown large beside the new one, in place of the last that was.
func startAfresh(log string) error {
	info, err := os.Stat(log)
	if err != nil || info.Size() < largeLog {
		return nil // there is none, or opening it says what is wrong
	}
	return os.Rename(log, log+".1")
}

// tail is what a daemon that failed has said.
func tail(path string, begin int64) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	text, _ := io.ReadAll(io.NewSectionReader(f, begin, 4096)) // a courtesy
	return bytes.TrimSpace(text)
}

// Status asks the daemon how it is. Without one the error is ErrNone.
func (p Place) Status(ctx context.Context) (Status, error) {
	conn, status, err := p.dial(ctx, Hello{Op: OpStatus})
	if err != nil {
		return status, err
	}
	return status, conn.Close()
}

// Stop ends the daemon and waits until it has ended, with all it had open. Without one the error is ErrNone.
func (p Place) Stop(ctx context.Context) error {
	conn, _, err := p.dial(ctx, Hello{Op: OpStop})
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

// CloseWrite tells the daemon that nothing more will be sent; its answers can still be read.
func CloseWrite(conn io.ReadWriteCloser) error {
	if w, ok := conn.(wire); ok {
		if half, ok := w.Conn.(interface{ CloseWrite() error }); ok {
			return half.CloseWrite()
		}
	}
	return conn.Close()
}

// dial connects and exchanges the first lines.
func (p Place) dial(ctx context.Context, hello Hello) (io.ReadWriteCloser, Status, error) {
	var status Status
	conn, err := new(net.Dialer).DialContext(ctx, "unix", p.Socket())
	if err != nil {
		return nil, status, fmt.Errorf("%w: %w", ErrNone, err)
	}
	_ = conn.SetDeadline(time.Now().Add(helloTime))
	in := bufio.NewReader(conn)
	if err = json.NewEncoder(conn).Encode(hello); err == nil {
		err = readLine(in, &status)
	}
	if err != nil { // it was just ending
		_ = conn.Close()
		return nil, status, fmt.Errorf("%w: %w", ErrNone, err)
	}
	_ = conn.SetDeadline(time.Time{})
	return wire{in, conn}, status, nil
}
