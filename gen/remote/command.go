package remote

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/processgroup"
)

// systemVariables are the variables that a program needs to run at all.
var systemVariables = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TMP", "TEMP",
	"SystemRoot", "ComSpec", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "ProgramFiles", "NODE_EXTRA_CA_CERTS",
}

// SystemEnvironment returns the variables of this process's environment without which programs do not run.
func SystemEnvironment() []string {
	env := []string{}
	for _, name := range systemVariables {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// patience bounds each of the steps of ending a program: closed input, the signal to terminate.
const patience = 3 * time.Second

// startCommand starts a program that serves on stdio. Kill ends it with its descendants at once.
func startCommand(command []string, opts Options, stderr io.Writer) (t mcp.Transport, kill func(), err error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env, cmd.Dir, cmd.Stderr, cmd.WaitDelay = opts.Env, opts.Dir, stderr, patience
	processgroup.Set(cmd)
	p := &process{cmd: cmd, exited: make(chan struct{})}
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		p.stdin, err = cmd.StdinPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("start the server: %w", err)
	}
	// A list of thousands of tools is one line.
	return &mcp.IOTransport{Reader: &messageReader{lines: bufio.NewReader(stdout)}, Writer: p, MaxLineLength: -1}, p.kill, nil
}

// process is a command that serves on stdio.
type process struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	closing sync.Once
	exited  chan struct{}
	err     error // of Wait; valid once exited is closed
}

// Write sends to the command's standard input. One that has ended reads no more, and says so by the end of its output.
func (p *process) Write(data []byte) (int, error) {
	n, err := p.stdin.Write(data)
	if errors.Is(err, syscall.EPIPE) {
		err = io.EOF
	}
	return n, err
}

// Close closes the command's standard input and waits until it has exited, asks it to end when it does not, and kills
// it at last, with the descendants that it leaves. The error says how it ended.
func (p *process) Close() error {
	p.closing.Do(func() {
		_ = p.stdin.Close()
		go func() {
			p.err = p.cmd.Wait() // it closes the pipe of the output, which is read no more
			close(p.exited)
		}()
		if !p.exitsWithin(patience) {
			processgroup.Terminate(p.cmd)
			p.exitsWithin(patience)
		}
		p.kill()
	})
	<-p.exited
	return p.err
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

// messageReader passes on the lines of a server that can be messages. Clients skip other lines, as of a banner.
type messageReader struct {
	lines *bufio.Reader
	rest  []byte // of a line that is passed on
}

func (r *messageReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.lines.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			return 0, err
		}
		if start := bytes.TrimSpace(line); len(start) > 0 && (start[0] == '{' || start[0] == '[') {
			r.rest = line
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close leaves the output open: the end of the process closes it.
func (r *messageReader) Close() error { return nil }
