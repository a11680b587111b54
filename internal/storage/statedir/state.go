// Package statedir is the one directory in which callsheet keeps what outlives a call: artifacts, databases, caches, the
// daemon's socket. Nothing is ever kept in the caller's own directory.
//
// It hands out places and makes them when they are first needed, readable by their owner alone. It must not know what
// anyone keeps there.
package statedir

import (
	"fmt"
	"os"
	"path/filepath"
)

// Dir is a state directory. The zero Dir is none; make one with At.
type Dir struct{ path string }

// At names a state directory; path "" means callsheet in the user's state directory ($XDG_STATE_HOME, else
// ~/.local/state). Nothing is created yet.
func New(path string) (Dir, error) {
	if path == "" {
		home := os.Getenv("XDG_STATE_HOME")
		if !filepath.IsAbs(home) { // the XDG specification has relative values ignored
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

// Path is the absolute path of a place in the directory, which need not exist.
func (d Dir) Path(elem ...string) string { return filepath.Join(append([]string{d.path}, elem...)...) }

// Make creates a directory in the directory, with everything above it, and returns its absolute path.
func (d Dir) Make(elem ...string) (string, error) {
	path := d.Path(elem...)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", fmt.Errorf("make the state directory: %w", err)
	}
	return path, nil
}
