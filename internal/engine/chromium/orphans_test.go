package chromium

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/storage/filelock"
	"github.com/callsheet/callsheet/internal/storage/owned"
)

// TestReapKillsOrphansOnly starts processes with the command lines of browsers: with a living
// owner, with a dead owner, and with a data directory of the user's own.
func TestReapKillsOrphansOnly(t *testing.T) {
	if len(browserProcesses()) == 0 && exec.Command("ps").Run() != nil && !exists("/proc/self/cmdline") {
		t.Skip("processes cannot be inspected here")
	}
	lockReaping(t)
	root := t.TempDir()
	living, err := NewTempDataDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = living.Remove(t.Context()) })
	dead := filepath.Join(root, dataDirPrefix+"dead")
	person := filepath.Join(root, "chromium")
	for _, dir := range []string{dead, person} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dead, owned.OwnerFile), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	orphan, held, personal := startFakeBrowser(t, dead), startFakeBrowser(t, living.Path), startFakeBrowser(t, person)
	// The shell execs after it has started: until then its command line is another.
	waitUntil(t, time.Minute, "the process is among the orphans", func() bool {
		return slices.Contains(Orphans(), orphan.Process.Pid)
	})
	for _, p := range []*exec.Cmd{held, personal} {
		if slices.Contains(Orphans(), p.Process.Pid) {
			t.Errorf("%v is taken for an orphan", p.Args)
		}
	}
	if killed, _, err := Reap(powertest.Process); err != nil || killed < 1 {
		t.Errorf("killed %d, %v", killed, err)
	}
	if err := orphan.Wait(); err == nil || orphan.ProcessState.Exited() {
		t.Errorf("the orphan was not killed: %v", orphan.ProcessState)
	}
	if slices.Contains(Orphans(), orphan.Process.Pid) {
		t.Error("the killed process is still listed")
	}
}

// lockReaping waits until no other test process reaps: one would kill the other's orphans.
func lockReaping(t *testing.T) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(os.TempDir(), "callsheet-test-reaping"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	waitUntil(t, 5*time.Minute, "no other test reaps", func() bool {
		held, err := filelock.Try(f)
		if err != nil {
			t.Fatal(err)
		}
		return !held
	})
}

// waitUntil polls a condition of the operating system, which announces it by no event.
func waitUntil(t *testing.T, limit time.Duration, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// startFakeBrowser runs a process that has the command line of a browser with a data directory.
func startFakeBrowser(t *testing.T, profile string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sh", "-c", "read line; :", "--user-data-dir="+profile)
	if _, err := cmd.StdinPipe(); err != nil { // it reads until it is killed
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have been reaped
		_ = cmd.Wait()
	})
	return cmd
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
