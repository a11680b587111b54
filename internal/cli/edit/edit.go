// Package edit shows and makes changes of files that belong to a person: the difference first, then
// the file, with a copy of what it was.
//
// It must not know what the files are for.
package edit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/callsheet/callsheet/internal/storage/atomicfile"
)

// BackupSuffix ends the name of the copy that Write keeps of a changed file.
const BackupSuffix = ".bak"

// Change is the present and the new content of a file.
type Change struct {
	Path          string
	Before, After []byte
	Exists        bool
}

// Read begins the change of a file, which need not exist.
func Read(path string) (Change, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Change{Path: path}, nil
	}
	return Change{Path: path, Before: data, After: data, Exists: err == nil}, err
}

// IsEmpty reports whether the file is as it is to be.
func (c Change) IsEmpty() bool {
	return string(c.Before) == string(c.After) && (c.Exists || len(c.After) == 0)
}

// Diff returns the change as a unified diff; "" for an empty change.
func (c Change) Diff() string {
	if c.IsEmpty() {
		return ""
	}
	old := c.Path
	if !c.Exists {
		old = os.DevNull
	}
	_, unified, _ := strings.Cut(string(diff.Diff(old, c.Before, c.Path, c.After)), "\n") // after the heading of the command
	return unified
}

// Write makes the change: the whole file or nothing. It makes the directory, follows a symbolic link,
// keeps the permissions, and keeps a copy of the file that was there; backup is its path.
func (c Change) Write() (backup string, err error) {
	if c.IsEmpty() {
		return "", nil
	}
	path := c.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o644)
	if c.Exists {
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		mode = info.Mode().Perm()
		backup = path + BackupSuffix
		if err := atomicfile.Write(backup, c.Before, mode); err != nil {
			return "", fmt.Errorf("keep a copy: %w", err)
		}
	} else if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return backup, atomicfile.Write(path, c.After, mode)
}
