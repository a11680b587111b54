package browser

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// profileProcesses lists the browsers that run with a temporary profile of ours, by process id. Processes that cannot be
// looked at are other people's.
func profileProcesses() map[int]string {
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
		if dir := tempProfileArg(args); err == nil && dir != "" {
			out[pid] = filepath.Join(filepath.Dir(file), "root", dir) // as it sees it: a container has its own /tmp
		}
	}
	return out
}
