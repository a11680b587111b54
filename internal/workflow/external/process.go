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
	"github.com/callsheet/callsheet/internal/workflow/external/supervisor"
)

// markVariable is the environment variable that every descendant of a server inherits. It
// identifies descendants that left the process group and lost their parent.
const markVariable = "CALLSHEET_EXTERNAL"

// process is a server process with its descendants.
type process struct {
	cmd      *exec.Cmd
	end      func() // ends the descendants on Linux; see package supervisor
	mark     string
	stdin    io.WriteCloser
	stdout   *os.File
	tail     tailBuffer
	watchdog *watchdog
	exited   chan struct{} // closed when the child has exited; descendants may live
	exitErr  error         // from Wait, set before exited is closed
	stopping sync.Once
	stopped  chan struct{} // closed when the child and its descendants have ended

	drained chan struct{} // closed when stderr was read to its end
}

// start starts the process of a server and opens the session with it.
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
		return nil, fmt.Errorf("start the server: the working directory does not exist: %s", resolved.Cwd)
	}
	p := &process{mark: rand.Text(), watchdog: s.reg.watchdog, exited: make(chan struct{}),
		stopped: make(chan struct{}),
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
		return nil, fmt.Errorf("start the server: %w", err)
	}
	stdout, out, err := os.Pipe() // Wait must not wait for descendants that hold the write end
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	stderr, errOut, err := os.Pipe()
	if err != nil {
		_, _ = stdout.Close(), out.Close()
		return nil, fmt.Errorf("start the server: %w", err)
	}
	p.cmd.Stdout, p.cmd.Stderr = out, errOut
	p.end, err = supervisor.Start(p.cmd)
	_, _ = out.Close(), errOut.Close()
	if err != nil {
		_, _ = stdout.Close(), stderr.Close()
		return nil, fmt.Errorf("start the server: %w", err)
	}
	p.stdin, p.stdout = stdin, stdout
	p.watchdog.add(p)
	s.reg.tasks.Go(func() { p.drain(stderr, s) })
	go func() { // ends with the child, which stop kills
		p.exitErr = p.cmd.Wait()
		close(p.exited)
		// Descendants may hold the pipe open for ever. What the process itself wrote is in it already.
		_ = p.stdout.SetReadDeadline(time.Now().Add(drainTimeout))
	}()
	return p, nil
}

// inheritedEnv returns the environment without Callsheet's own variables, which contain secrets.
func inheritedEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, "CALLSHEET_") })
}

// Time for a process to exit after its stdin was closed, after SIGTERM, and for a supervisor to end
// what it can end, which is all but processes of other users.
const (
	stdinCloseTimeout = 1 * time.Second
	terminateTimeout  = 1 * time.Second
	supervisorTimeout = 5 * time.Second
)

// stop ends the process and its descendants and waits for them. It closes stdin first, then sends
// SIGTERM, then kills.
func (p *process) stop() {
	p.stopping.Do(func() {
		_ = p.stdin.Close()
		if !p.waitExit(stdinCloseTimeout) {
			p.terminate()
			p.waitExit(terminateTimeout)
		}
		p.end()
		if supervisor.Enabled {
			p.waitExit(supervisorTimeout)
		}
		for range 50 { // descendants may fork while they are killed
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
	select { // select picks any ready case
	case <-p.exited:
		return true
	default:
		return false
	}
}

// exitError replaces a broken-pipe error by the exit status of the process.
func (p *process) exitError(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) && !strings.Contains(err.Error(), "EOF") &&
		!strings.Contains(err.Error(), "broken pipe") && !p.waitExit(0) {
		return err
	}
	if !p.waitExit(stdinCloseTimeout) {
		return err
	}
	how := "with code 0"
	if p.exitErr != nil {
		how = p.exitErr.Error()
	}
	return fmt.Errorf("%w (%s) before it responded", errExited, how)
}

// Limits of stderr: bytes kept, bytes shown in errors, bytes per log line, log lines per second,
// and the read buffer.
const (
	maxKeptStderr  = 4000
	maxShownStderr = 1000
	maxLogLine     = 500
	maxLogLines    = 20 // lines per second
	stderrChunk    = 16 << 10
)

// drainTimeout bounds reading stdout and stderr after the process has exited.
const drainTimeout = 250 * time.Millisecond

func (p *process) waitDrained() {
	timer := time.NewTimer(drainTimeout)
	defer timer.Stop()
	select {
	case <-p.drained:
	case <-timer.C:
	}
}

// stderrTail returns the redacted end of stderr; after the process exited, of all its output.
func (p *process) stderrTail(hide redactor) string {
	if p.waitExit(0) {
		p.waitDrained()
	}
	return p.tail.text(hide)
}

// drain reads stderr to its end, keeps the last bytes and logs some lines.
func (p *process) drain(stderr io.ReadCloser, s *server) {
	defer close(p.drained)
	go func() { // a surviving descendant must not keep this goroutine reading
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
		line, err := lines.ReadSlice('\n') // a longer line arrives in pieces
		p.tail.write(line)
		if now := time.Now(); now.Sub(second) > time.Second {
			if dropped > 0 {
				s.reg.log.Debug("external server stderr", "server", s.entry.Alias, "dropped", dropped)
			}
			second, logged, dropped = now, 0, 0
		}
		if text := strings.TrimSpace(string(line)); text != "" {
			if logged++; logged <= maxLogLines {
				text = s.redactor().redact(text) // redact before clipping: a part of a secret would not match
				s.reg.log.Debug("external server stderr", "server", s.entry.Alias, "line",
					text[:min(len(text), maxLogLine)])
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
	isTruncated bool // earlier bytes were dropped
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

// text returns the redacted end as one line.
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
