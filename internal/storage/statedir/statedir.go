// Package statedir locates the state directory, in which callsheet stores artifacts, the database,
// caches and the daemon's socket. Callsheet stores no state in the working directory.
//
// It returns paths and creates directories at the first use with permissions for their owner only.
// It must not know the content of the directory.
package statedir

import (
	"fmt"
	"os"
	"path/filepath"
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

// Make creates a subdirectory with its parents and returns its absolute path.
func (d Dir) Make(elem ...string) (string, error) {
	path := d.Path(elem...)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", fmt.Errorf("make the state directory: %w", err)
	}
	return path, nil
}
