//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

// checkSwept ages what killed servers have left in a temporary directory, starts another server and
// checks that it leaves the directory empty.
func checkSwept(t *testing.T, temp string, args ...string) {
	t.Helper()
	left := entries(t, temp)
	for _, name := range left { // a directory without an owner counts as being made for a minute
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(name, old, old); err != nil {
			t.Error(err)
		}
	}
	p := startInSession(t, temp, args...)
	_, _ = io.WriteString(p.stdin, launchRequests)
	for range 2 {
		if _, err := p.stdout.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	_ = p.stdin.Close()
	p.ended(t, exit.OK)
	t.Logf("killed servers left %d directories; after the next start there are %d", len(left), len(entries(t, temp)))
	if left := entries(t, temp); len(left) > 0 {
		t.Errorf("left after the next start: %v", left)
	}
}

// startInSession starts a server whose descendants are in a session of their own, by which
// waitForSession finds them.
func startInSession(t *testing.T, temp string, args ...string) process {
	t.Helper()
	p := prepare(t, append([]string{"--headless", "--state-dir", t.TempDir()}, args...)...)
	p.cmd.Env = append(p.cmd.Env, "TMPDIR="+temp)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// shortTempDir makes a directory for temporary files. Its path is short, because that of the
// browser's socket in it is limited.
func shortTempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "f-") //nolint:usetesting // short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// entries lists the paths in a directory.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// waitForSession waits until no process of a session lives, and returns the command lines of those
// that live on.
func waitForSession(id int) (left []string) {
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) { // no event announces the end of a process of others
		if left = sessionProcesses(id); len(left) == 0 || time.Now().After(end) {
			return left
		}
	}
}

// sessionProcesses returns the command lines of the living processes of a session.
func sessionProcesses(id int) (lines []string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ") // the name may hold anything but this
		var state string
		var parent, group, session int
		if _, err := fmt.Sscan(rest, &state, &parent, &group, &session); err == nil && session == id && state != "Z" {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			lines = append(lines, fmt.Sprint(filepath.Base(filepath.Dir(path)), " ", strings.ReplaceAll(string(line), "\x00", " ")))
		}
	}
	return lines
}
