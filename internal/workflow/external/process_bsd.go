//go:build unix && !linux

package external

import "syscall"

// killWithParent does nothing: only Linux has a parent-death signal. The watchdog kills the child
// instead.
func killWithParent(*syscall.SysProcAttr) {}

// findMarked finds nothing: only Linux exposes the environment of a process as a file. The process
// group has to suffice.
func findMarked(string) []int { return nil }

// descendant is a process that was started by a server.
type descendant struct{}

// listDescendants finds nothing here.
func listDescendants(int) []descendant { return nil }

func (descendant) kill() bool { return false }
