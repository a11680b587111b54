package chromium

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	dataDirPrefix = "callsheet-profile-"
	ownerFile     = "callsheet-owner"
	// ownerGrace is the age below which a directory without a readable owner counts as being
	// created, not as abandoned.
	ownerGrace = time.Minute
)

// DataDir is the user data directory of one Chromium.
//
// The owner file of a temporary one holds the process id of its owner, for people, and a lock that
// the kernel drops with the process. The lock decides: process ids are reused, quickly so in
// containers that share a temporary directory.
type DataDir struct {
	Path string
	lock *os.File // nil for a persistent directory
}

// OpenDataDir returns a persistent directory and creates it if it does not exist. Remove leaves it
// alone.
func OpenDataDir(path string) (*DataDir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make the profile directory: %w", err)
	}
	return &DataDir{Path: path}, nil
}

// NewTempDataDir creates a temporary directory that this process owns until Remove.
func NewTempDataDir() (*DataDir, error) {
	dir, err := os.MkdirTemp("", dataDirPrefix)
	if err != nil {
		return nil, fmt.Errorf("make a temporary profile: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, ownerFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		if _, err = lockOwner(lock); err == nil {
			_, err = lock.WriteString(strconv.Itoa(os.Getpid()) + "\n")
		}
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("claim the temporary profile: %w", err)
	}
	return &DataDir{Path: dir, lock: lock}, nil
}

// Remove deletes a temporary directory. It retries for up to five seconds, because children of a
// dying Chromium still write into it and no event announces their end. It does nothing to a
// persistent or nil directory.
func (p *DataDir) Remove(ctx context.Context) error {
	if p == nil || p.lock == nil {
		return nil
	}
	_ = p.lock.Close() // Windows removes no open file; its content no longer matters
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(5 * time.Second)
	for {
		err := os.RemoveAll(p.Path)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-limit:
			return fmt.Errorf("remove the temporary profile: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("remove the temporary profile: %w", errors.Join(err, ctx.Err()))
		}
	}
}

// SweepDataDirs removes the temporary directories under root whose owners are dead, and returns
// their number. Directories that cannot be removed are left for the next sweep. now is the current
// time.
func SweepDataDirs(root string, now time.Time) int {
	dirs, err := filepath.Glob(filepath.Join(root, dataDirPrefix+"*"))
	if err != nil {
		return 0
	}
	swept := 0
	for _, dir := range dirs {
		if isAbandoned(dir, now) && os.RemoveAll(dir) == nil {
			swept++
		}
	}
	return swept
}

// isAbandoned reports whether dir is a temporary data directory whose owner is dead.
func isAbandoned(dir string, now time.Time) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	young := now.Sub(info.ModTime()) < ownerGrace
	lock, err := os.OpenFile(filepath.Join(dir, ownerFile), os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) && !young
	}
	defer func() { _ = lock.Close() }() // it was only read
	if held, err := lockOwner(lock); held || err != nil {
		return false
	}
	line, err := os.ReadFile(lock.Name())
	return err == nil && (strings.TrimSpace(string(line)) != "" || !young)
}
