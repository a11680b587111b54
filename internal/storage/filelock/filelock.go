// Package filelock locks open files between processes, and between open files of one process. The
// kernel releases a lock when its file is closed or its process ends. The package must not know
// what the files hold.
package filelock

import (
	"context"
	"fmt"
	"os"
	"time"
)

// retryInterval is the time between two attempts of Wait.
const retryInterval = 10 * time.Millisecond

// Try locks a file without waiting. held reports that another open file has the lock.
func Try(f *os.File) (held bool, err error) { return try(f) }

// Wait locks a file when no other open file has the lock. It fails when ctx ends first.
func Wait(ctx context.Context, f *os.File) error {
	for {
		if held, err := try(f); err != nil || !held {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("another process holds the lock: %w", ctx.Err())
		case <-time.After(retryInterval):
		}
	}
}
