package filelock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/storage/filelock"
)

func TestOneFileHasTheLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first, second := open(), open()
	if held, err := filelock.Try(first); held || err != nil {
		t.Fatalf("held %v, %v", held, err)
	}
	if held, err := filelock.Try(second); !held || err != nil {
		t.Errorf("held %v, %v while another file has the lock", held, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if err := filelock.Wait(ctx, second); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the wait ended with %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := filelock.Wait(t.Context(), second); err != nil {
		t.Errorf("after the close: %v", err)
	}
}
