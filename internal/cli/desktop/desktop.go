// Package desktop reaches the desktop of the person at this machine: its clipboard, and the program
// that shows addresses.
//
// It runs the programs that are there and has no protocol of its own. It must not know what it is
// given, nor by whom.
package desktop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/power"
)

// MissingError says that no program was found for something, and what would be one.
type MissingError struct{ What, Remedy string }

func (e *MissingError) Error() string { return e.What + "; " + e.Remedy }

// program is a command line, and the variable without which it has nothing to talk to.
type program struct {
	args     []string
	variable string
}

// copyPrograms put their standard input on the clipboard.
func copyPrograms() []program {
	return []program{
		{[]string{"wl-copy"}, "WAYLAND_DISPLAY"},
		{[]string{"xclip", "-selection", "clipboard"}, "DISPLAY"},
		{[]string{"xsel", "--clipboard", "--input"}, "DISPLAY"},
		{[]string{"pbcopy"}, ""},
		{[]string{"clip.exe"}, ""}, // also from a Linux on Windows
	}
}

// openPrograms show an address in the person's browser.
func openPrograms() []program {
	switch runtime.GOOS {
	case "darwin":
		return []program{{[]string{"open"}, ""}}
	case "windows":
		return []program{{[]string{"rundll32", "url.dll,FileProtocolHandler"}, ""}}
	}
	return []program{{[]string{"xdg-open"}, "DISPLAY"}, {[]string{"xdg-open"}, "WAYLAND_DISPLAY"}}
}

// Copy puts text on the clipboard and returns the program that did. Without one the error is
// MissingError.
func Copy(ctx context.Context, c power.Clipboard, text string) (by string, err error) {
	if err := c.Check(); err != nil {
		return "", err
	}
	p, err := findProgram(copyPrograms())
	if err != nil {
		return "", &MissingError{"this machine has no program for the clipboard", copyRemedy(err)}
	}
	return p[0], run(ctx, p, text)
}

// Open shows an address to the person and returns the program that did. Without a desktop the error
// is MissingError. The address is the caller's own: one that others chose could be a command line.
func Open(ctx context.Context, may power.Process, address string) (by string, err error) {
	if err := may.Check(); err != nil {
		return "", err
	}
	p, err := findProgram(openPrograms())
	if err != nil {
		return "", &MissingError{"this machine has no desktop to show it on", "open the address by hand"}
	}
	return p[0], run(ctx, append(p, address), "")
}

// errNoDisplay says that there is a program, and no desktop.
var errNoDisplay = errors.New("no display")

// findProgram finds the first program that is there and has what it needs.
func findProgram(all []program) ([]string, error) {
	err := exec.ErrNotFound
	for _, p := range all {
		path, missing := exec.LookPath(p.args[0])
		switch {
		case missing != nil:
		case p.variable != "" && os.Getenv(p.variable) == "":
			err = errNoDisplay
		default:
			return append([]string{path}, p.args[1:]...), nil
		}
	}
	return nil, err
}

func copyRemedy(err error) string {
	if errors.Is(err, errNoDisplay) {
		return "the one there is needs a display: set DISPLAY or WAYLAND_DISPLAY for the server"
	}
	return "install wl-clipboard (Wayland), xclip or xsel (X11)"
}

// How long a program may take, and how long its output is read after it has ended: xclip leaves a
// process behind that serves the clipboard.
const (
	runTimeout  = 5 * time.Second
	outputDelay = 200 * time.Millisecond
)

func run(ctx context.Context, args []string, stdin string) error {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stderr, cmd.WaitDelay = strings.NewReader(stdin), &said, outputDelay
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("run %s: %w %s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}
