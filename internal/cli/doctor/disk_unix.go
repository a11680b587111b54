//go:build unix

package doctor

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
)

// minFreeBytes is how little free space makes a profile, a download or a trace fail, in bytes.
const minFreeBytes = 500 << 20

func checkDisk(_ context.Context, s Subject) []Finding {
	var all []Finding
	for _, dir := range []string{os.TempDir(), existingParent(s.State.Path())} {
		var fs syscall.Statfs_t
		if err := syscall.Statfs(dir, &fs); err != nil {
			continue
		}
		free := uint64(fs.Bavail) * uint64(fs.Bsize) //nolint:unconvert // the types differ between systems
		if free < minFreeBytes {
			all = append(all, problem(Warning, "free some space, or move it with TMPDIR and --state-dir", "%d MB are free in %s", free>>20, dir)...)
		}
	}
	return all
}

// existingParent is the nearest directory above a place that may not exist yet.
func existingParent(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}
