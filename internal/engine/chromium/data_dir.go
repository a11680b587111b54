package chromium

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/owned"
)

const (
	// dataDirPrefix begins the names of temporary directories.
	dataDirPrefix = "callsheet-profile-"
	// tempSubdir is the directory for temporary files in a temporary directory. Its name is short,
	// because the path of Chromium's socket in it is limited.
	tempSubdir = "t"
	// socketSuffix is the path of Chromium's socket below its TMPDIR, and maxSocketPath the longest path
	// that an address of a socket can hold, on macOS a little less than on Linux.
	socketSuffix  = "/org.chromium.Chromium.XXXXXX/SingletonSocket"
	maxSocketPath = 103
)

// DataDir is the user data directory of one Chromium with the directory of its temporary files.
type DataDir struct {
	Path string
	// TempDir is the TMPDIR of the browser. It is in a directory that this process owns, so that a
	// sweep finds what a killed browser leaves there. "" is that of this process.
	TempDir string

	owned      *owned.Dir
	persistent bool
}

// OpenDataDir returns a persistent directory and creates it if it does not exist. Remove leaves it
// alone.
func OpenDataDir(path string) (*DataDir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make the profile directory: %w", err)
	}
	if err := writePreferences(path); err != nil {
		return nil, err
	}
	d, err := NewTempDataDir()
	if err != nil {
		return nil, err
	}
	d.Path, d.persistent = path, true
	return d, nil
}

// NewTempDataDir creates a temporary directory that this process owns until Remove.
func NewTempDataDir() (*DataDir, error) {
	root := os.TempDir()
	if n := len(root) + len(socketSuffix); n > maxSocketPath && runtime.GOOS != "windows" {
		return nil, &TempDirError{Path: root, err: fault.New(codes.Failed, fmt.Sprintf("its path is %d bytes too long for the browser's socket", n-maxSocketPath))}
	}
	dir, err := owned.Create(root, dataDirPrefix)
	if err != nil {
		return nil, &TempDirError{Path: root, err: err}
	}
	d := &DataDir{Path: dir.Path, owned: dir}
	if temp := filepath.Join(dir.Path, tempSubdir); len(temp)+len(socketSuffix) <= maxSocketPath || runtime.GOOS == "windows" {
		if err := os.Mkdir(temp, 0o700); err != nil {
			_ = dir.Remove() // err is the cause
			return nil, &TempDirError{Path: root, err: err}
		}
		d.TempDir = temp
	}
	if err := writePreferences(d.Path); err != nil {
		_ = dir.Remove() // err is the cause
		return nil, &TempDirError{Path: root, err: err}
	}
	return d, nil
}

// TempDirError says that the directory for temporary files cannot be used.
type TempDirError struct {
	Path string
	err  error
}

func (e *TempDirError) Error() string {
	return fmt.Sprintf("no browser can start with the temporary directory %s: %v; set TMPDIR to another one", e.Path, e.err)
}

// Unwrap returns the cause.
func (e *TempDirError) Unwrap() error { return e.err }

// Remove deletes what is temporary. It retries for up to five seconds, because children of a dying
// Chromium still write into it and no event announces their end. It leaves a persistent directory
// alone, and does nothing to nil.
func (p *DataDir) Remove(ctx context.Context) error {
	if p == nil {
		return nil
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(5 * time.Second)
	for {
		err := p.owned.Remove()
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
// their number. now is the current time.
func SweepDataDirs(root string, now time.Time) int { return owned.Sweep(root, dataDirPrefix, now) }
