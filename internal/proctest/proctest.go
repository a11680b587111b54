// Package proctest ends and observes processes in tests, on every operating system, and finds the programs that
// tests need.
//
// It must not know which processes they are.
package proctest

import (
	"os"
	"os/exec"
	"testing"
)

// Need skips a test where a program is not on the path. Where the variable CI is set that is an error: what is skipped
// there is never run.
func Need(t testing.TB, program string) {
	t.Helper()
	_, err := exec.LookPath(program)
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		t.Fatalf("%v, and CI must have it", err)
	default:
		t.Skip(err)
	}
}

// Kill kills a process without giving it time to clean up.
func Kill(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer func() { _ = p.Release() }() // only a handle
	return p.Kill()
}
