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

// mark is the variable that every descendant of a server inherits: by it a descendant is found that has left the
// process group and lost its parent.
const mark = "CALLSHEET_EXTERNAL"

// process is a child with its descendants.
type process struct {
	cmd    *exec.Cmd
	mark   string
	stdin  io.WriteCloser
	stdout io.ReadCloser
	tail   tail
	watch  *watchdog
	exited chan struct{} // closed when the child itself has ended; its descendants may live
	err    error         // of Wait, set before exited is closed
	ending sync.Once
	gone   chan struct{} // closed when all of it has ended

	drained chan struct{} // closed when stderr has been read to its end
}

// start starts a server's process and makes the session with it.
func (s *server) start(ctx context.Context, resolved config.Resolved, legacy bool) (*connection, error) {
	p, err := s.spawn(resolved)
	if err != nil {
		return nil, err
	}
	c := newConnection(s, p.end)
	c.last = func() string { return p.said(s.hide()) }
	pipe := newPipe(p, s, !legacy && s.entry.Protocol == config.Auto)
	if err := c.handshake(ctx, pipe, legacy); err != nil {
		err = p.explain(err)
		p.end()
		return nil, c.explain(ctx, err)
	}
	return c, nil
}

func (s *server) spawn(resolved config.Resolved) (*process, error) {
	if info, err := os.Stat(resolved.Cwd); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("start it: its working directory does not exist: %s", resolved.Cwd)
	}
	p := &process{mark: rand.Text(), watch: s.reg.watch, exited: make(chan struct{}), gone: make(chan struct{}),
		drained: make(chan struct{})}
	p.cmd = exec.Command(resolved.Command[0], resolved.Command[1:]...)
	p.cmd.Dir = resolved.Cwd
	p.cmd.Env = append(inherited(os.Environ()), mark+"="+p.mark)
	for _, k := range slices.Sorted(maps.Keys(resolved.Env)) {
		p.cmd.Env = append(p.cmd.Env, k+"="+resolved.Env[k])
	}
	prepare(p.cmd)
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
	p.watch.add(p)
	p.adopt()
	s.reg.tasks.Go(func() { p.drain(stderr, s) })
	go func() { // ends with the child, which end() sees to
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// inherited is the environment without callsheet's own variables, which hold its secrets.
func inherited(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, "CALLSHEET_") })
}

// Times a process is given: to end by itself once its stdin is closed, and then once it is asked to.
const (
	endOfInput = 1 * time.Second
	afterTerm  = 1 * time.Second
)

// end ends the process and everything it started, politely first, and returns when they are gone.
func (p *process) end() {
	p.ending.Do(func() {
		_ = p.stdin.Close()
		if !p.wait(endOfInput) {
			p.terminate()
			p.wait(afterTerm)
		}
		for range 50 { // descendants may be forking while they are killed
			if !p.kill() {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		<-p.exited
		_ = p.stdout.Close()
		p.watch.remove(p)
		close(p.gone)
	})
	<-p.gone
}

func (p *process) wait(d time.Duration) bool {
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

// explain says how the process ended, if that is what an error is about.
func (p *process) explain(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) && !strings.Contains(err.Error(), "EOF") && !strings.Contains(err.Error(), "broken pipe") && !p.wait(0) {
		return err
	}
	if !p.wait(endOfInput) {
		return err
	}
	how := "with code 0"
	if p.err != nil {
		how = p.err.Error()
	}
	return fmt.Errorf("%w (%s) before it answered", errExited, how)
}

// What of stderr is kept, what of that is shown, and what goes to the log.
const (
	keptBytes   = 4000
	tailBytes   = 1000
	logLine     = 500
	logBurst    = 20 // lines a second
	stderrChunk = 16 << 10
)

// lastWords is how long what a process has written may take to be read once it has ended.
const lastWords = 250 * time.Millisecond

func (p *process) settle() {
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-p.drained:
	case <-timer.C:
	}
}

// said is the end of what the process has written to stderr, all of it when the process has ended.
func (p *process) said(hide redactor) string {
	if p.wait(0) {
		p.settle()
	}
	return p.tail.text(hide)
}

// drain reads stderr to its end, whatever comes, keeps the last of it and logs a little.
func (p *process) drain(stderr io.ReadCloser, s *server) {
	defer close(p.drained)
	go func() { // a descendant that outlives everything must not keep us reading
		select {
		case <-p.gone:
			p.settle()
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
			if logged++; logged <= logBurst {
				text = s.hide().text(text) // whole: half a secret would not be known as one
				s.reg.log.Debug("external server stderr", "server", s.entry.Alias, "line", text[:min(len(text), logLine)])
			} else {
				dropped++
			}
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
	cut  bool // there was more
}

func (t *tail) write(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p[max(0, len(p)-keptBytes):]...)
	if over := len(t.data) - keptBytes; over > 0 || len(p) > keptBytes {
		t.cut = true
		t.data = append(t.data[:0], t.data[max(0, over):]...)
	}
}

// text is the end without secrets, as one line.
func (t *tail) text(hide redactor) string {
	t.mu.Lock()
	kept, cut := string(t.data), t.cut
	t.mu.Unlock()
	if cut {
		kept = hide.headless(kept)
	}
	line := strings.Join(strings.Fields(strings.ToValidUTF8(hide.text(kept), "")), " ")
	return strings.ToValidUTF8(line[max(0, len(line)-tailBytes):], "")
}
