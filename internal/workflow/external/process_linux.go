package external

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// killWithParent makes the kernel kill the child when this process dies. The watchdog also kills
// descendants, but may not know the child yet.
func killWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// descendant is a process that was started by a server, directly or not. The start time tells it
// from a later process with its id.
type descendant struct {
	pid   int
	start string // in clock ticks since the boot
}

// listDescendants returns the processes below pid, whatever their group and environment are.
func listDescendants(pid int) (out []descendant) {
	files, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if err != nil {
		return nil
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		for _, word := range bytes.Fields(text) {
			child, err := strconv.Atoi(string(word))
			if start := startTime(child); err == nil && start != "" {
				out = append(append(out, descendant{child, start}), listDescendants(child)...)
			}
		}
	}
	return out
}

// startTime returns the start time of a process that runs; "" when it has ended.
func startTime(pid int) string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, ok := bytes.Cut(text, []byte(") ")) // the name before may hold spaces
	fields := bytes.Fields(rest)
	if err != nil || !ok || len(fields) < 20 || fields[0][0] == 'Z' {
		return ""
	}
	return string(fields[19])
}

// kill kills the process unless it has ended. It reports whether it did.
func (d descendant) kill() bool {
	return startTime(d.pid) == d.start && syscall.Kill(d.pid, syscall.SIGKILL) == nil
}

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
