// Package companion finds and runs a program that is installed beside this one, as git does with its commands.
//
// It must not know what the program does.
package companion

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

// Site is the name of the program that writes, compiles and checks sites.
const Site = "callsheet-site"

// MissingError says where a program was looked for, and how to get it.
type MissingError struct {
	Name   string
	Looked []string // directories
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not installed: it is neither in %s nor on the PATH. Every package of callsheet has both programs; "+
		"from the source, make build makes both in bin, and go build ./cmd/%[1]s makes this one: put it beside callsheet",
		e.Name, strings.Join(e.Looked, " nor in "))
}

// Find returns the path of a program: beside this one, else on the PATH. The error is a *MissingError.
func Find(name string) (string, error) {
	file := name
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	var dirs []string
	if self, err := os.Executable(); err == nil {
		dirs = append(dirs, filepath.Dir(self))
		if real, err := filepath.EvalSymlinks(self); err == nil && !slices.Contains(dirs, filepath.Dir(real)) {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, file)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", &MissingError{name, dirs}
}

// Streams are the standard streams of a program.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// patience bounds how long a program that was told to end may take.
const patience = 10 * time.Second

// Run runs a program with arguments and waits for its end. The error is a *MissingError, or an exit.CodeError where the
// program ended with another code than 0. When ctx ends, the program is interrupted.
func Run(ctx context.Context, name string, args []string, s Streams) error {
	path, err := Find(name)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = s.In, s.Out, s.Err, patience
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	err = cmd.Run()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended) && ended.ExitCode() >= 0:
		return exit.CodeError(ended.ExitCode())
	case errors.As(err, &ended): // by a signal
		return exit.CodeError(exit.Interrupted)
	case err != nil:
		return fmt.Errorf("run %s: %w", path, err)
	}
	return nil
}

// interrupt asks a process to end; where the system cannot ask, it ends it.
func interrupt(p *os.Process) error {
	if runtime.GOOS == "windows" {
		return p.Kill()
	}
	return p.Signal(os.Interrupt)
}
