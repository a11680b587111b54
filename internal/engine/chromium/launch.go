package chromium

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
)

const (
	// maxOutput is how many bytes of the output of a process are kept, for the error of a failed start.
	maxOutput = 64 << 10
	// outputGrace bounds the wait for the rest of the output after the process has exited: a child of it
	// can hold the pipe open for much longer.
	outputGrace = time.Second
)

// Process is a Chromium that was started here, and the pipe to it. Chromium exits when the pipe closes.
type Process struct {
	Transport *chromedp.PipeConn
	PID       int

	output output
	exited chan struct{}
}

// Start starts an executable with a user data directory. CheckRoot says why it starts none.
func Start(executable, dataDir string, o Options) (*Process, error) {
	if err := CheckRoot(o.Args); err != nil {
		return nil, err
	}
	cmd := exec.Command(executable, o.arguments(dataDir)...)
	cmd.Env = environment(o.TempDir)
	SetProcessGroup(cmd)
	var f pipeFiles
	if err := f.open(cmd); err != nil {
		f.closeAll()
		return nil, fmt.Errorf("open the pipes: %w", err)
	}
	p := &Process{exited: make(chan struct{}), output: output{done: make(chan struct{})}}
	started := make(chan error, 1)
	go func() {
		// On Linux the kernel kills the process when the thread that started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // the exit code says nothing that the output does not
			p.output.finish(f.output)
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		f.closeAll()
		return nil, err
	}
	f.closeChild()
	p.PID = cmd.Process.Pid
	p.Transport = chromedp.NewPipeConn(f.responses, f.commands)
	go p.output.copy(f.output)
	return p, nil
}

// Exited is closed when the process has exited and its output is complete.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Output returns the first 64 KiB that the process has written to its standard output and error.
func (p *Process) Output() string {
	p.output.mu.Lock()
	defer p.output.mu.Unlock()
	return string(p.output.text)
}

// output is the output of a process.
type output struct {
	done chan struct{} // closed when it is complete

	mu   sync.Mutex
	text []byte
}

func (o *output) copy(from *os.File) {
	defer close(o.done)
	defer func() { _ = from.Close() }()
	_, _ = io.Copy(o, from) // ends with the process or by finish
}

// Write keeps the beginning of the output. It never fails, so that the process does not wait.
func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if room := maxOutput - len(o.text); room > 0 {
		o.text = append(o.text, text[:min(room, len(text))]...)
	}
	return len(text), nil
}

// finish waits for the rest of the output.
func (o *output) finish(from *os.File) {
	select {
	case <-o.done:
	case <-time.After(outputGrace):
		_ = from.Close()
		<-o.done
	}
}

// pipeFiles are the two ends of the pipes of a process: commands and responses, and its output.
type pipeFiles struct {
	commands, responses, output                *os.File // ours
	childCommands, childResponses, childOutput *os.File // those of the process
}

// open opens the pipes and gives the command its ends.
func (f *pipeFiles) open(cmd *exec.Cmd) (err error) {
	if f.childCommands, f.commands, err = os.Pipe(); err != nil {
		return err
	}
	if f.responses, f.childResponses, err = os.Pipe(); err != nil {
		return err
	}
	if f.output, f.childOutput, err = os.Pipe(); err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = f.childOutput, f.childOutput
	return f.inherit(cmd)
}

// closeChild closes the ends of which the process has its own copies.
func (f *pipeFiles) closeChild() { closeFiles(f.childCommands, f.childResponses, f.childOutput) }

func (f *pipeFiles) closeAll() {
	f.closeChild()
	closeFiles(f.commands, f.responses, f.output)
}

func closeFiles(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
