package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/session"
)

// TestAClientEndsBesideItsLaunch: while a browser starts that takes its time, the client goes, and the browser that it had
// must not stay.
func TestAClientEndsBesideItsLaunch(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	chromium, err := chromium.FindExecutable("")
	if err != nil {
		t.Fatal(err)
	}
	hang, script := filepath.Join(t.TempDir(), "hang"), filepath.Join(t.TempDir(), "chromium")
	text := fmt.Sprintf("#!/bin/sh\n[ -e '%s' ] && exec sleep 60\nexec '%s' \"$@\"\n", hang, chromium)
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	b := session.New(session.Config{Browser: browser.Config{Headless: true, Executable: script}})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	s := b.Set("client")
	if _, err := s.Launch(ctx, session.LaunchOptions{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	pid := s.List(ctx)[1].PID
	if err := os.WriteFile(hang, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	launching, stop := context.WithCancel(ctx)
	launched := make(chan error, 1)
	go func() {
		_, err := s.Launch(launching, session.LaunchOptions{ID: "b"})
		launched <- err
	}()
	time.Sleep(300 * time.Millisecond) // so that it has begun; if it has not, there is nothing to hold up the end
	ending, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := b.End(ending, "client"); err != nil {
		t.Errorf("the end: %v", err)
	}
	if err := syscall.Kill(pid, 0); err == nil {
		t.Error("the client's browser goes on")
	}
	stop()
	if err := <-launched; err == nil {
		t.Error("the browser that was starting is there")
	}
}
