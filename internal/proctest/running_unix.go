//go:build unix

package proctest

import "syscall"

// IsRunning reports whether a process exists, as a zombie too.
func IsRunning(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) == nil }
