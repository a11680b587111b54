//go:build unix

package external

import (
	"os"
	"os/exec"
	"syscall"
)

// prepare gives the child a process group of its own: a signal from the terminal ends us, not it behind our back, and
// the group can be killed as one.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// adopt has nothing to do: the group is made by the kernel at the start.
func (p *process) adopt() {}

// terminate asks the whole group to end.
func (p *process) terminate() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM) }

// kill ends the group and every marked process, and reports whether there was anything to kill.
func (p *process) kill() bool {
	some := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) == nil
	for _, pid := range marked(p.mark) {
		some = syscall.Kill(pid, syscall.SIGKILL) == nil || some
	}
	return some
}

// detach keeps the signals of our terminal from a process.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// lockFileOf waits for the lock of a file, which ends when the file is closed.
func lockFileOf(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }
