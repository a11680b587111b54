package external

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// findMarked lists the living processes whose environment has the mark.
func findMarked(value string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	want := []byte(markVariable + "=" + value)
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ")) // empty for a process that has ended
		if err == nil && bytes.Contains(env, want) {
			pids = append(pids, pid)
		}
	}
	return pids
}
