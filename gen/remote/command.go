package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/processgroup"
)

// The patience with a command after its stdin is closed, and after it is asked to end.
const (
	exitGrace      = 2 * time.Second
	terminateGrace = 2 * time.Second
)

// maxOutput is how many bytes of stderr are kept.
const maxOutput = 16 << 10

// readCommand starts the command, reads it over stdio and ends it with its descendants.
func readCommand(ctx context.Context, src Source, opts Options) (*Server, error) {
	p, err := start(src.Command, opts)
	if err != nil {
		return nil, err
	}
	record := newRecorder()
	transport := &mcp.IOTransport{
		Reader: &messageReader{lines: bufio.NewReader(p.stdout), record: record, noise: &p.noise},
		Writer: &messageWriter{to: p.stdin, record: record},
		// A list of thousands of tools is one line.
		MaxLineLength: -1,
	}
	// A server that neither answers nor reads its stdin holds up the client; its end frees both.
	stop := context.AfterFunc(ctx, p.kill)
	s, err := readSession(ctx, transport, record, opts)
	stop()
	state := p.end()
	if err != nil {
		return nil, p.explain(err, state)
	}
	return s, nil
}

// process is a command that serves on stdio.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr lastBytes
	noise  lastBytes // lines of stdout that are no messages
	exited chan struct{}
	err    error // of Wait; valid once exited is closed
}

func start(command []string, opts Options) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env, cmd.Dir = append(os.Environ(), opts.Env...), opts.Dir
	processgroup.Set(cmd)
	p := &process{cmd: cmd, exited: make(chan struct{})}
	// The stderr of a descendant that outlives the command does not keep Wait from returning.
	cmd.Stderr, cmd.WaitDelay = &p.stderr, time.Second
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	// Wait closes a pipe of StdoutPipe, and with it messages that are not read yet.
	var child *os.File
	if p.stdout, child, err = os.Pipe(); err != nil {
		return nil, err
	}
	cmd.Stdout = child
	err = cmd.Start()
	_ = child.Close() // the command has its own
	if err != nil {
		_ = p.stdin.Close()
		_ = p.stdout.Close()
		return nil, fmt.Errorf("start the server: %w", err)
	}
	go func() {
		p.err = cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// end closes the command's stdin and waits until it has exited, asks it to end when it does not, and
// kills it at last. Descendants that it leaves are killed. The result says how it ended where it had ended
// before.
func (p *process) end() (earlier string) {
	select {
	case <-p.exited:
		earlier = p.cmd.ProcessState.String()
	case <-time.After(exitGrace / 10): // one that dies closes its pipes first
	}
	_ = p.stdin.Close()
	if !p.exitsWithin(exitGrace) {
		processgroup.Terminate(p.cmd)
		if !p.exitsWithin(terminateGrace) {
			p.kill()
			<-p.exited
		}
	}
	p.kill()
	_ = p.stdout.Close()
	return earlier
}

// kill ends the command and its descendants.
func (p *process) kill() { processgroup.Kill(p.cmd, p.exitsWithin(0)) }

func (p *process) exitsWithin(d time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(d):
		return false
	}
}

// explain adds to an error how the server ended, if it did, and what it wrote.
func (p *process) explain(err error, state string) error {
	var b strings.Builder
	if state != "" {
		fmt.Fprintf(&b, "the server ended (%s): ", state)
	}
	b.WriteString(err.Error())
	for _, out := range []struct {
		name string
		text string
	}{{"stderr", p.stderr.String()}, {"stdout, which only messages of JSON-RPC may use", p.noise.String()}} {
		if strings.TrimSpace(out.text) != "" {
			fmt.Fprintf(&b, "\nit wrote to %s:\n%s", out.name, tail(out.text))
		}
	}
	return &explained{b.String(), err}
}

// explained is an error with another text.
type explained struct {
	text  string
	cause error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.cause }

// lastBytes keeps the last maxOutput bytes that are written to it.
type lastBytes struct {
	mu   sync.Mutex
	data []byte
}

func (l *lastBytes) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.data = append(l.data, p...)
	if extra := len(l.data) - maxOutput; extra > 0 {
		l.data = append(l.data[:0], l.data[extra:]...)
	}
	return len(p), nil
}

func (l *lastBytes) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.data)
}

// messageReader passes on the lines of a server that can be messages and records them. Other lines, as
// of a banner, are noise: clients skip them.
type messageReader struct {
	lines  *bufio.Reader
	record *recorder
	noise  io.Writer
	rest   []byte // of a line that is passed on
}

func (r *messageReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.lines.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			if errors.Is(err, os.ErrClosed) {
				err = io.EOF
			}
			return 0, err
		}
		if start := bytes.TrimSpace(line); len(start) == 0 || start[0] != '{' && start[0] != '[' {
			_, _ = r.noise.Write(line) // keeps it in memory
			continue
		}
		r.record.received(line)
		r.rest = line
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close leaves stdout open: the end of the process closes it.
func (r *messageReader) Close() error { return nil }

// messageWriter records messages to a server. Each write of the SDK is one message.
type messageWriter struct {
	to     io.WriteCloser
	record *recorder
}

func (w *messageWriter) Write(p []byte) (int, error) {
	w.record.sent(p)
	return w.to.Write(p)
}

func (w *messageWriter) Close() error { return w.to.Close() }
