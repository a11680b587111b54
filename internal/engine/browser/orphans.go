package browser

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// FindExecutable returns the executable that would be started for a configured name, "" for whichever there is. The error is
// NoBrowserError.
func FindExecutable(configured string) (string, error) { return findExecutable(configured) }

// CheckProfile tells whether the file in which Chromium keeps the names of a user data directory's profiles can be read.
// A directory without one is sound: the browser writes it.
func CheckProfile(userDataDir string) error {
	data, err := os.ReadFile(filepath.Join(userDataDir, "Local State"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = parseLocalState(data)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(userDataDir, "Local State"), err)
	}
	return nil
}

// Orphans lists the processes of browsers that were started here or by another callsheet of this user, and whose callsheet
// has died. A browser is known by the profile that its command line names, and the profile by the lock that its owner
// holds: no browser of a person has either.
func Orphans() []int {
	var out []int
	for pid, dir := range profileProcesses() {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) || isAbandoned(dir, time.Now()) {
			out = append(out, pid)
		}
	}
	return out
}

// Reap kills orphaned browsers and removes the temporary profiles that nobody owns. It returns how many of each there
// were.
func Reap() (killed, removed int, err error) {
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
	return killed, sweepProfiles(os.TempDir(), time.Now()), errors.Join(errs...)
}

// tempProfileArg finds the temporary profile of ours that a browser's command line names. Helper processes of a browser name
// it too, and end with it.
func tempProfileArg(args []string) string {
	dir := ""
	for _, arg := range args {
		if strings.HasPrefix(arg, "--type=") {
			return ""
		}
		if value, ok := strings.CutPrefix(arg, "--user-data-dir="); ok && strings.HasPrefix(filepath.Base(value), profilePrefix) {
			dir = value
		}
	}
	return dir
}
