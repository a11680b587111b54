//go:build unix

package doctor

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
)

// leastFree is how little free space makes a profile, a download or a trace fail, in bytes.
const leastFree = 500 << 20

func lookDisk(_ context.Context, s Subject) []Finding {
	var all []Finding
	for _, dir := range []string{os.TempDir(), existing(s.State.Path())} {
		var fs syscall.Statfs_t
		if err := syscall.Statfs(dir, &fs); err != nil {
			continue
		}
		free := uint64(fs.Bavail) * uint64(fs.Bsize) //nolint:unconvert // the types differ between systems
		if free < leastFree {
			all = append(all, bad(Warning, "free some space, or move it with TMPDIR and --state-dir", "%d MB are free in %s", free>>20, dir)...)
		}
	}
	return all
}

// existing is the nearest directory above a place that may not exist yet.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}
