package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/session"
)

// TestEndDuringLaunch ends a client while a browser starts for it. Its other browser must exit.
func TestEndDuringLaunch(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	executable, err := chromium.FindExecutable("")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	hang, started, script := filepath.Join(dir, "hang"), filepath.Join(dir, "started"), filepath.Join(dir, "chromium")
	text := fmt.Sprintf("#!/bin/sh\n[ -e '%s' ] && : > '%s' && exec sleep 60\nexec '%s' \"$@\"\n", hang, started, executable)
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	registry := session.New(session.Config{Browser: browser.Config{Headless: true, Executable: script}})
	t.Cleanup(func() { _ = registry.Close(context.Background()) })
	s := registry.Set("client")
	if _, err := s.Launch(ctx, powertest.Process, session.LaunchOptions{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	pid := s.List(ctx)[1].PID
	if err := os.WriteFile(hang, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	launching, stop := context.WithCancel(ctx)
	launched := make(chan error, 1)
	go func() {
		_, err := s.Launch(launching, powertest.Process, session.LaunchOptions{ID: "b"})
		launched <- err
	}()
	waitForFile(ctx, t, started)
	ending, cancel := context.WithTimeout(ctx, 15*time.Second) // half of the time after which a launch gives up
	defer cancel()
	if err := registry.End(ending, "client"); err != nil {
		t.Errorf("the end: %v", err)
	}
	if proctest.IsRunning(pid) {
		t.Error("the client's browser still runs")
	}
	stop()
	if err := <-launched; err == nil {
		t.Error("the launch succeeded after the end of its client")
	}
}

// waitForFile polls until another process has created a file.
func waitForFile(ctx context.Context, t *testing.T, path string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s does not exist: %v", path, ctx.Err())
		}
	}
}
