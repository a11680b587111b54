package mcpclient

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDescendantsEndWithTheConnection connects to a program that starts another one and never answers.
func TestDescendantsEndWithTheConnection(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if pid, _ := os.ReadFile(file); strings.HasSuffix(string(pid), "\n") {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	script := "sleep 300 >/dev/null 2>&1 & echo $! >" + file + "; cat >/dev/null"
	if _, err := Connect(ctx, Options{Command: []string{"sh", "-c", script}}); err == nil {
		t.Fatal("a program that never answers is connected")
	}
	pid, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(30 * time.Second)
	for isRunning(strings.TrimSpace(string(pid))) {
		if time.Now().After(end) {
			t.Fatal("the descendant runs after the connection is closed")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// isRunning reports whether a process runs; one that has exited and is not yet waited for does not.
func isRunning(pid string) bool {
	state, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}
