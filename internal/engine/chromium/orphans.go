package chromium

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/storage/owned"
)

// Orphans lists the process ids of browsers whose callsheet process has died. It identifies a
// browser by the temporary data directory on its command line, and the owner of the directory by
// the lock on its owner file. No other browser of the user has either.
func Orphans() []int {
	var out []int
	for pid, dir := range browserProcesses() {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) || owned.IsAbandoned(dir, time.Now()) {
			out = append(out, pid)
		}
	}
	return out
}

// Reap kills orphaned browsers and removes abandoned temporary data directories. It returns the
// number of each.
func Reap(p power.Process) (killed, removed int, err error) {
	if err := p.Check(); err != nil {
		return 0, 0, err
	}
	var errs []error
	for _, pid := range Orphans() {
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Kill()
		}
		switch {
		case errors.Is(err, os.ErrProcessDone):
		case err != nil:
			errs = append(errs, fmt.Errorf("kill process %d: %w", pid, err))
		default:
			killed++
		}
	}
	return killed, SweepDataDirs(os.TempDir(), time.Now()), errors.Join(errs...)
}

// dataDirArg returns the temporary data directory on the command line of a browser process. It
// returns "" for other processes and for a browser's helpers, which exit with it.
func dataDirArg(args []string) string {
	dir := ""
	for _, arg := range args {
		if strings.HasPrefix(arg, "--type=") {
			return ""
		}
		value, ok := strings.CutPrefix(arg, "--user-data-dir=")
		if ok && strings.HasPrefix(filepath.Base(value), dataDirPrefix) {
			dir = value
		}
	}
	return dir
}
