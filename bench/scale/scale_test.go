package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/proctest"
)

// serverBinary builds the server.
func serverBinary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "callsheet")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../../cmd/callsheet")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// TestShortRun runs a few sessions for a few rounds against the built server. Each reading must be
// that of the session's own page after its latest click.
func TestShortRun(t *testing.T) {
	proctest.Nightly(t)
	if testing.Short() {
		t.Skip("short")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var out strings.Builder
	err := run(ctx, []string{
		"-sessions", "1,3", "-rounds", "2", "-time", "2m", "-strict",
		"-server", serverBinary(t) + " --http 127.0.0.1:N",
	}, &out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("want a head and two rows:\n%s", out.String())
	}
	for i, want := range []string{"| callsheet | 1 |", "| callsheet | 3 |"} {
		row := lines[2+i]
		if !strings.HasPrefix(row, want) || !strings.Contains(row, "| 6–6 |") || !strings.Contains(row, "| 0 | 0 |") {
			t.Errorf("row %s", row)
		}
	}
}

// TestWrongReadingsAreErrors counts a reading of another page, and one of an earlier state.
func TestWrongReadingsAreErrors(t *testing.T) {
	c := &client{path: "/session-1-", clicks: 2}
	c.check("Page /session-1- pressed 2 times")
	c.check("Page /session-2- pressed 2 times")
	c.check("Page /session-1- pressed 1 times")
	if len(c.errs) != 2 {
		t.Errorf("%d errors: %v", len(c.errs), c.errs)
	}
}

// TestUsageHasThisProcess reads the memory of a process from /proc.
func TestUsageHasThisProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/proc is Linux's")
	}
	if u := readUsage(os.Getpid()); u.server < 1<<20 {
		t.Errorf("the test has %d bytes", u.server)
	}
}
