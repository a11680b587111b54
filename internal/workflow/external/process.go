package external

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/workflow/external/config"
)

// markVariable is the variable that every descendant of a server inherits: by it a descendant is found that has left the
// process group and lost its parent.
const markVariable = "CALLSHEET_EXTERNAL"

// process is a child with its descendants.
type process struct {
	cmd      *exec.Cmd
	mark     string
	stdin    io.WriteCloser
	stdout   io.ReadCloser
	tail     tailBuffer
	watchdog *watchdog
	exited   chan struct{} // closed when the child itself has ended; its descendants may live
	exitErr  error         // of Wait, set before exited is closed
	stopping sync.Once
	stopped  chan struct{} // closed when all of it has ended

	drained chan struct{} // closed when stderr has been read to its end
}

// start starts a server's process and makes the session with it.
func (s *server) start(ctx context.Context, resolved config.Resolved, legacy bool) (*connection, error) {
	p, err := s.spawn(resolved)
	if err != nil {
		return nil, err
	}
	c := newConnection(s, p.stop)
	c.stderrTail = func() string { return p.stderrTail(s.redactor()) }
	pipe := newStdioTransport(p, s, !legacy && s.entry.Protocol == config.Auto)
	if err := c.handshake(ctx, pipe, legacy); err != nil {
		err = p.exitError(err)
		p.stop()
		return nil, c.withStderr(ctx, err)
	}
	return c, nil
}

func (s *server) spawn(resolved config.Resolved) (*process, error) {
	if info, err := os.Stat(resolved.Cwd); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("start it: its working directory does not exist: %s", resolved.Cwd)
	}
	p := &process{mark: rand.Text(), watchdog: s.reg.watchdog, exited: make(chan struct{}), stopped: make(chan struct{}),
		drained: make(chan struct{})}
	p.cmd = exec.Command(resolved.Command[0], resolved.Command[1:]...)
	p.cmd.Dir = resolved.Cwd
	p.cmd.Env = append(inheritedEnv(os.Environ()), markVariable+"="+p.mark)
	for _, k := range slices.Sorted(maps.Keys(resolved.Env)) {
		p.cmd.Env = append(p.cmd.Env, k+"="+resolved.Env[k])
	}
	setProcessGroup(p.cmd)
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start it: %w", err)
	}
	stdout, out, err := os.Pipe() // ours, so that Wait does not wait for descendants that hold the other end
	if err != nil {
		return nil, fmt.Errorf("start it: %w", err)
	}
	stderr, errOut, err := os.Pipe()
	if err != nil {
		_, _ = stdout.Close(), out.Close()
		return nil, fmt.Errorf("start it: %w", err)
	}
	p.cmd.Stdout, p.cmd.Stderr = out, errOut
	err = p.cmd.Start()
	_, _ = out.Close(), errOut.Close()
	if err != nil {
		_, _ = stdout.Close(), stderr.Close()
		return nil, fmt.Errorf("start it: %w", err)
	}
	p.stdin, p.stdout = stdin, stdout
	p.watchdog.add(p)
	s.reg.tasks.Go(func() { p.drain(stderr, s) })
	go func() { // ends with the child, which end() sees to
		p.exitErr = p.cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// inheritedEnv is the environment without callsheet's own variables, which hold its secrets.
func inheritedEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, "CALLSHEET_") })
}

// Times a process is given: to end by itself once its stdin is closed, and then once it is asked to.
const (
	stdinCloseTimeout = 1 * time.Second
	terminateTimeout  = 1 * time.Second
)

// stop ends the process and everything it started, politely first, and returns when they are gone.
func (p *process) stop() {
	p.stopping.Do(func() {
		_ = p.stdin.Close()
		if !p.waitExit(stdinCloseTimeout) {
			p.terminate()
			p.waitExit(terminateTimeout)
		}
		for range 50 { // descendants may be forking while they are killed
			if !p.kill() {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		<-p.exited
		_ = p.stdout.Close()
		p.watchdog.remove(p)
		close(p.stopped)
	})
	<-p.stopped
}

func (p *process) waitExit(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
	}
	select { // of two that are ready, select takes either
	case <-p.exited:
		return true
	default:
		return false
	}
}

// exitError says how the process ended, if that is what an error is about.
func (p *process) exitError(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) && !strings.Contains(err.Error(), "EOF") && !strings.Contains(err.Error(), "broken pipe") && !p.waitExit(0) {
		return err
	}
	if !p.waitExit(stdinCloseTimeout) {
		return err
	}
	how := "with code 0"
	if p.exitErr != nil {
		how = p.exitErr.Error()
	}
	return fmt.Errorf("%w (%s) before it answered", errExited, how)
}

// What of stderr is kept, what of that is shown, and what goes to the log.
const (
	maxKeptStderr  = 4000
	maxShownStderr = 1000
	maxLogLine     = 500
	maxLogLines    = 20 // lines a second
	stderrChunk    = 16 << 10
)

// drainTimeout is how long what a process has written may take to be read once it has ended.
const drainTimeout = 250 * time.Millisecond

func (p *process) waitDrained() {
	timer := time.NewTimer(drainTimeout)
	defer timer.Stop()
	select {
	case <-p.drained:
	case <-timer.C:
	}
}

// stderrTail is the end of what the process has written to stderr, all of it when the process has ended.
func (p *process) stderrTail(hide redactor) string {
	if p.waitExit(0) {
		p.waitDrained()
	}
	return p.tail.text(hide)
}

// drain reads stderr to its end, whatever comes, keeps the last of it and logs a little.
func (p *process) drain(stderr io.ReadCloser, s *server) {
	defer close(p.drained)
	go func() { // a descendant that outlives everything must not keep us reading
		select {
		case <-p.stopped:
			p.waitDrained()
		case <-p.drained:
		}
		_ = stderr.Close()
	}()
	lines := bufio.NewReaderSize(stderr, stderrChunk)
	second, logged, dropped := time.Now(), 0, 0
	for {
		line, err := lines.ReadSlice('\n') // a longer line comes in pieces
		p.tail.write(line)
		if now := time.Now(); now.Sub(second) > time.Second {
			if dropped > 0 {
				s.reg.log.Debug("external server stderr", "server", s.entry.Alias, "dropped", dropped)
			}
			second, logged, dropped = now, 0, 0
		}
		if text := strings.TrimSpace(string(line)); text != "" {
			if logged++; logged <= maxLogLines {
				text = s.redactor().redact(text) // whole: half a secret would not be known as one
				s.reg.log.Debug("external server stderr", "server", s.entry.Alias, "line", text[:min(len(text), maxLogLine)])
			} else {
				dropped++
			}
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// tailBuffer keeps the end of what is written to it.
type tailBuffer struct {
	mu          sync.Mutex
	data        []byte
	isTruncated bool // there was more
}

func (t *tailBuffer) write(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p[max(0, len(p)-maxKeptStderr):]...)
	if over := len(t.data) - maxKeptStderr; over > 0 || len(p) > maxKeptStderr {
		t.isTruncated = true
		t.data = append(t.data[:0], t.data[max(0, over):]...)
	}
}

// text is the end without secrets, as one line.
func (t *tailBuffer) text(hide redactor) string {
	t.mu.Lock()
	kept, cut := string(t.data), t.isTruncated
	t.mu.Unlock()
	if cut {
		kept = hide.trimPartialPrefix(kept)
	}
	line := strings.Join(strings.Fields(strings.ToValidUTF8(hide.redact(kept), "")), " ")
	return strings.ToValidUTF8(line[max(0, len(line)-maxShownStderr):], "")
}
