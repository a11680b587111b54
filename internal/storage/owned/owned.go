// Package owned creates directories that belong to a running process, and removes those whose
// process has died.
//
// The owner file of a directory holds the process id of its owner, for people, and a lock that the
// kernel drops with the process. The lock decides: process ids are reused, quickly so in containers
// that share a temporary directory. The package must not know what the directories hold.
package owned

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/storage/filelock"
)

// OwnerFile is the name of the owner file in an owned directory.
const OwnerFile = "callsheet-owner"

// ownerGrace is the age below which a directory without a readable owner counts as being created,
// not as abandoned.
const ownerGrace = time.Minute

// Dir is a directory that this process owns. Create makes one.
type Dir struct {
	Path string
	lock *os.File
}

// Create creates a directory under parent whose name begins with prefix.
func Create(parent, prefix string) (*Dir, error) {
	path, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(path, OwnerFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		if _, err = filelock.Try(lock); err == nil {
			_, err = lock.WriteString(strconv.Itoa(os.Getpid()) + "\n")
		}
	}
	if err != nil {
		_ = os.RemoveAll(path)
		return nil, fmt.Errorf("claim %s: %w", path, err)
	}
	return &Dir{Path: path, lock: lock}, nil
}

// Remove gives up the directory and deletes it. It may be called again after an error.
func (d *Dir) Remove() error {
	_ = d.lock.Close() // Windows removes no open file; its content no longer matters
	return os.RemoveAll(d.Path)
}

// Sweep removes the directories under parent with the prefix whose owners are dead, and returns
// their number. It leaves those that cannot be removed for the next time. now is the current time.
func Sweep(parent, prefix string, now time.Time) int {
	dirs, err := filepath.Glob(filepath.Join(parent, prefix+"*"))
	if err != nil {
		return 0
	}
	swept := 0
	for _, dir := range dirs {
		if IsAbandoned(dir, now) && os.RemoveAll(dir) == nil {
			swept++
		}
	}
	return swept
}

// IsAbandoned reports whether dir is an owned directory whose owner is dead, or one whose creation
// was not finished. now is the current time.
func IsAbandoned(dir string, now time.Time) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	young := now.Sub(info.ModTime()) < ownerGrace
	lock, err := os.OpenFile(filepath.Join(dir, OwnerFile), os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) && !young
	}
	defer func() { _ = lock.Close() }() // it was only read
	if held, err := filelock.Try(lock); held || err != nil {
		return false
	}
	line, err := os.ReadFile(lock.Name())
	return err == nil && (strings.TrimSpace(string(line)) != "" || !young)
}
