package browser

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/powertest"
)

// A browser that is closed while it starts has ended when Close returns, whatever it was doing.
func TestCloseDuringLaunch(t *testing.T) {
	needsProc(t)
	// Where TMPDIR is long, the browser keeps its socket outside of its profile: see docs/internals/measurements.md.
	dir, err := os.MkdirTemp("/tmp", "c") //nolint:usetesting // short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	for i := range 24 {
		b := New(Config{Headless: true})
		opened := make(chan error, 1)
		go func() {
			_, err := b.Session("s").OpenBlank(context.Background(), powertest.Window)
			opened <- err
		}()
		<-time.After(time.Duration(i) * 4 * time.Millisecond) // each round closes at another moment
		if err := b.Close(deadline(t, 20*time.Second)); err != nil {
			t.Fatalf("close after %d ms: %v", i*4, err)
		}
		<-opened
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left in the temporary directory: %v, %v", left, err)
	}
}

// TestUnusableTempDirIsNamed starts browsers where TMPDIR does not exist, or is too long for the
// address of the browser's socket.
func TestUnusableTempDirIsNamed(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 20))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"missing": filepath.Join(t.TempDir(), "missing"), "long": long} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", dir)
			b := New(Config{Headless: true})
			t.Cleanup(func() { _ = b.Close(context.Background()) })
			_, err := b.Session("s").OpenBlank(deadline(t, 20*time.Second), powertest.Window)
			if !errors.As(err, new(*LaunchError)) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "set TMPDIR") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
