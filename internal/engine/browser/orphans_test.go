package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestOnlyOurOrphansAreReaped starts processes with the command lines of browsers: one whose owner lives, one whose owner
// has died, and one of a person.
func TestOnlyOurOrphansAreReaped(t *testing.T) {
	if len(profileProcesses()) == 0 && exec.Command("ps").Run() != nil && !exists("/proc/self/cmdline") {
		t.Skip("processes cannot be looked at here")
	}
	reaping(t)
	root := t.TempDir()
	owned, err := newTempProfile()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owned.remove(t.Context()) })
	dead := filepath.Join(root, profilePrefix+"dead")
	person := filepath.Join(root, "chromium")
	for _, dir := range []string{dead, person} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dead, ownerFile), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	orphan, held, personal := pretend(t, dead), pretend(t, owned.dir), pretend(t, person)
	// The shell execs after it has started: until then its command line is another.
	for deadline := time.Now().Add(10 * time.Second); !slices.Contains(Orphans(), orphan.Process.Pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d is not among the orphans %v", orphan.Process.Pid, Orphans())
		}
	}
	for _, p := range []*exec.Cmd{held, personal} {
		if slices.Contains(Orphans(), p.Process.Pid) {
			t.Errorf("%v is taken for an orphan", p.Args)
		}
	}
	if killed, _, err := Reap(); err != nil || killed < 1 {
		t.Errorf("killed %d, %v", killed, err)
	}
	if err := orphan.Wait(); err == nil || orphan.ProcessState.Exited() {
		t.Errorf("the orphan was not killed: %v", orphan.ProcessState)
	}
	if slices.Contains(Orphans(), orphan.Process.Pid) {
		t.Error("it is an orphan still")
	}
}

// reaping waits until no other test of the machine reaps: one would kill the other's orphans.
func reaping(t *testing.T) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(os.TempDir(), "callsheet-test-reaping"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	for limit := time.Now().Add(5 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		held, err := lockOwner(f)
		if err != nil {
			t.Fatal(err)
		}
		if !held {
			return
		}
		if time.Now().After(limit) {
			t.Fatal("another test reaps for five minutes")
		}
	}
}

// pretend runs a process that looks like a browser with a profile.
func pretend(t *testing.T, profile string) *exec.Cmd {
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
