// Package statedir locates the state directory, in which callsheet stores artifacts, the database,
// caches and the daemon's socket. Callsheet stores no state in the working directory.
//
// It returns paths and creates directories at the first use with permissions for their owner only.
// It must not know the content of the directory.
package statedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Dir is a state directory. Create one with New; the zero value is not usable.
type Dir struct{ path string }

// New returns the state directory at path. "" means callsheet in $XDG_STATE_HOME, or in
// ~/.local/state without it. New creates no directory.
func New(path string) (Dir, error) {
	if path == "" {
		home := os.Getenv("XDG_STATE_HOME")
		if !filepath.IsAbs(home) { // the XDG specification demands to ignore relative paths
			user, err := os.UserHomeDir()
			if err != nil {
				return Dir{}, fmt.Errorf("find the state directory: %w", err)
			}
			home = filepath.Join(user, ".local", "state")
		}
		path = filepath.Join(home, "callsheet")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return Dir{}, fmt.Errorf("resolve the state directory %q: %w", path, err)
	}
	return Dir{path: abs}, nil
}

// Path returns the absolute path of a file in the directory, which need not exist.
func (d Dir) Path(elem ...string) string { return filepath.Join(append([]string{d.path}, elem...)...) }

// unusable returns the error of a state directory to which nothing can be written. Clients see its text, which
// names the path: the operator can mend it, and calls that store nothing go on.
func unusable(err error) error {
	return fault.Errorf(codes.Failed, "the state directory cannot be written: %w", err)
}

// Make creates a subdirectory with its parents and returns its absolute path. It takes the state
// directory away from other users who could read it.
func (d Dir) Make(elem ...string) (string, error) {
	path := d.Path(elem...)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", unusable(err)
	}
	if err := makePrivate(d.path, 0o700); err != nil {
		return "", err
	}
	return path, nil
}

// MakeFile creates an empty file in the directory unless it exists, for its owner only, and returns
// its absolute path. A program that opens the file itself, as SQLite does, would give it the
// permissions that the umask leaves.
func (d Dir) MakeFile(name string) (string, error) {
	if _, err := d.Make(); err != nil {
		return "", err
	}
	path := d.Path(name)
	// An existing file is not opened: closing it would end the locks that this process holds on it.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = file.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", unusable(err)
	}
	return path, makePrivate(path, 0o600)
}

// makePrivate reduces the permissions of a path to perm where others have some. Windows has no such
// permissions.
func makePrivate(path string, perm fs.FileMode) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	info, err := os.Stat(path)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(path, perm)
	}
	if err != nil {
		return fmt.Errorf("keep the state from other users: %w", err)
	}
	return nil
}
