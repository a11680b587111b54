//go:build unix

package remote

import (
	"os/exec"
	"syscall"
)

// setProcessGroup puts the command into a process group of its own, which can be ended as one: npx puts
// two processes above a server.
func setProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks the process group to end.
func (p *process) terminate() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM) }

// kill ends the process group, also where its leader has ended.
func (p *process) kill() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }
