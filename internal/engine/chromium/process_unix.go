//go:build unix

package chromium

import (
	"os/exec"
	"syscall"
)

// SetProcessGroup gives Chromium a process group of its own, so that a signal from the terminal
// does not reach it and KillGroup finds its children.
func SetProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	killWithParent(cmd.SysProcAttr)
}

// KillGroup kills the process group of a Chromium; a pid of 0 or less is ignored.
func KillGroup(pid int) {
	if pid > 0 {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
}
