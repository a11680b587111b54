package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// usage is the resource usage of a server and its browser.
type usage struct {
	server  int64 // resident bytes of the server's processes
	browser int64 // proportional bytes of the browser's processes
	cpu     time.Duration
}

// clockTick is the unit of processor times in /proc.
const clockTick = 10 * time.Millisecond

// process is a line of /proc.
type process struct {
	parent  int
	browser bool // its program is a browser's
	cpu     time.Duration
}

// readUsage sums up a process and its descendants. It returns zeros where /proc is absent.
func readUsage(root int) usage {
	all := readProcesses()
	var u usage
	for pid, p := range all {
		if !descends(all, pid, root) {
			continue
		}
		u.cpu += p.cpu
		if p.browser {
			u.browser += kilobytes(pid, "smaps_rollup", "Pss:")
		} else {
			u.server += kilobytes(pid, "status", "VmRSS:")
		}
	}
	return u
}

func readProcesses() map[int]process {
	all := make(map[int]process)
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // the process has ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
		// After the program's name: state, parent; the 12th and 13th are user and system time.
		fields := strings.Fields(string(data[end+1:]))
		if open < 0 || len(fields) < 13 {
			continue
		}
		p := process{browser: strings.Contains(string(data[open:end]), "chrom")}
		p.parent, _ = strconv.Atoi(fields[1])
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		p.cpu = time.Duration(user+system) * clockTick
		all[pid] = p
	}
	return all
}

// descends reports whether a process is root or one of its descendants.
func descends(all map[int]process, pid, root int) bool {
	for pid != 0 {
		if pid == root {
			return true
		}
		pid = all[pid].parent
	}
	return false
}

// kilobytes reads a line "field N kB" of a file of a process, in bytes.
func kilobytes(pid int, file, field string) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0 // the process has ended
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10
		}
	}
	return 0
}
