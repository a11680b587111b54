package browser

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A browser that is closed while it starts has ended when Close returns, whatever it was doing.
func TestCloseDuringLaunch(t *testing.T) {
	needsProc(t)
	t.Setenv("TMPDIR", t.TempDir())
	for i := range 24 {
		b := New(Config{Headless: true})
		opened := make(chan error, 1)
		go func() {
			_, _, err := b.Session("s").Open(context.Background(), "")
			opened <- err
		}()
		<-time.After(time.Duration(i) * 4 * time.Millisecond) // the moment is what differs
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
