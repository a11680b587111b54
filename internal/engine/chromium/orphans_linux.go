package chromium

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// browserProcesses returns the temporary data directories of running browsers by process id. It
// skips processes that it may not inspect, which belong to other users.
func browserProcesses() map[int]string {
	out := map[int]string{}
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return out
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		// Chromium rewrites its command line, with spaces between the arguments.
		args := strings.FieldsFunc(string(text), func(r rune) bool { return r == 0 || r == ' ' })
		if dir := dataDirArg(args); err == nil && dir != "" {
			out[pid] = filepath.Join(filepath.Dir(file), "root", dir) // a container has its own /tmp
		}
	}
	return out
}
