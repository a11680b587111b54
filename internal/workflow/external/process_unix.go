//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// setProcessGroup puts the child into a process group of its own: a signal from the terminal
// reaches only this process, and the group can be killed as one.
func setProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// terminate sends SIGTERM to the process group.
func (p *process) terminate() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM) }

// kill ends the process group and every marked process. It reports whether it found any.
func (p *process) kill() bool {
	found := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) == nil
	for _, pid := range findMarked(p.mark) {
		found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
	}
	return found
}

// setSession starts a process in a session of its own, where signals of the terminal do not reach
// it.
func setSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
