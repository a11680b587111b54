package proctest

import "os"

// IsRunning reports whether a process exists.
func IsRunning(pid int) bool {
	p, err := os.FindProcess(pid) // it opens the process, which fails for one that has ended
	if err != nil {
		return false
	}
	_ = p.Release() // only a handle
	return true
}
