//go:build unix && !linux

package external

import "syscall"

// killWithParent does nothing: only Linux has a parent-death signal. The watchdog kills the child
// instead.
func killWithParent(*syscall.SysProcAttr) {}

// findMarked finds nothing: only Linux exposes the environment of a process as a file. The process
// group has to suffice.
func findMarked(string) []int { return nil }
