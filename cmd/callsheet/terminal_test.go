//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

// pseudoTerminal is a terminal with what was written to it so far.
type pseudoTerminal struct {
	person *os.File      // the end of the person
	device *os.File      // the end of the program
	ended  chan struct{} // closed when all that was written has been read

	mu    sync.Mutex
	shown bytes.Buffer
}

func openTerminal(t *testing.T) *pseudoTerminal {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	var locked, n int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &locked, syscall.TIOCGPTN: &n} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	device, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = device.Close() })
	p := &pseudoTerminal{person: person, device: device, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		buf := make([]byte, 4096)
		for {
			n, err := person.Read(buf)
			p.mu.Lock()
			p.shown.Write(buf[:n])
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return p
}

// close ends the device and returns all that was shown.
func (p *pseudoTerminal) close() string {
	_ = p.device.Close()
	<-p.ended
	return p.text()
}

func (p *pseudoTerminal) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown.String()
}

// ask runs a command line whose person replies when the prompt is there. It returns what the
// terminal showed, and the exit code.
func (s shell) ask(reply string, args ...string) (shown string, code int) {
	s.t.Helper()
	p := openTerminal(s.t)
	cmd := s.command(args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.device, io.Discard, p.device
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // the exit code says it
	}()
	if reply != "" {
		eventually(s.t, "a prompt", func() bool { return strings.Contains(p.text(), "n]: ") })
		if _, err := io.WriteString(p.person, reply+"\n"); err != nil {
			s.t.Fatal(err)
		}
	}
	<-done
	return p.close(), cmd.ProcessState.ExitCode()
}

// TestAPersonDecidesOnATerminal asks about calls that a policy file has a person decide about.
func TestAPersonDecidesOnATerminal(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	site := fixture(t)
	file := filepath.Join(t.TempDir(), "p.yaml")
	if err := os.WriteFile(file, []byte("version: 1\ndecisions:\n  - {tool: [page_reload, computer], decision: ask}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.does("daemon start --policy " + file)
	s.does("navigate " + site)
	shown, code := s.ask("1", "reload")
	if code != exit.OK {
		t.Errorf("exit %d: %s", code, shown)
	}
	says(t, shown, "Allow page_reload on "+site, "p.yaml:3", "1  this call", "2  this tool, for the session", "3  this tool on this origin, for the session", "n  no", "[1-3, n]")
	if shown, code = s.ask("n", "reload"); code != exit.Tool {
		t.Errorf("exit %d: %s", code, shown)
	}
	says(t, shown, "POLICY_DENIED", "the person did not allow page_reload")
	if shown, code = s.ask("9\nyes\nq", "reload"); code != exit.Tool {
		t.Errorf("exit %d: %s", code, shown)
	}
	says(t, shown, `"9" is no reply`)
	s.fails(exit.Tool, "reload", "CONFIRMATION_REQUIRED", "the operator can put a decision that allows it", "on a terminal")
	if shown, code = s.ask("3", "reload"); code != exit.OK {
		t.Errorf("exit %d: %s", code, shown)
	}
	s.does("reload") // the session and the origin are allowed now
	if shown, code = s.ask("", "reload"); code != exit.OK || strings.Contains(shown, "Allow") {
		t.Errorf("exit %d: %s", code, shown)
	}
	if got := s.title(); !strings.HasPrefix(got, "One ") {
		t.Error(got)
	}
}

// TestAWorkflowAsksOnATerminal answers the question of a workflow that the command line runs.
func TestAWorkflowAsksOnATerminal(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	file := filepath.Join(t.TempDir(), "w.yaml")
	const text = `removes: { steps: [{ id: sure, confirm: "Remove \e[2J7 rows?" }, { call: "callsheet:tabs_context" }] }`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for reply, want := range map[string]int{"y": exit.OK, "n": exit.Tool} {
		shown, code := s.ask(reply, "workflow", "run", "removes", "--workflows", file)
		if code != want || strings.Contains(shown, "\x1b[2J") {
			t.Errorf("%s: exit %d, want %d: %q", reply, code, want, shown)
		}
		says(t, shown, "7 rows?", "Go on [y, n]: ")
	}
}
