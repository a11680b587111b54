//go:build unix

package browser

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// setProcessGroup gives Chromium a process group of its own: a signal from the terminal ends
// us, not it behind our back, and killGroup finds its children.
func setProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	killWithParent(cmd.SysProcAttr)
}

// killGroup ends what is left of the group of a Chromium that has exited or must.
func killGroup(pid int) {
	if pid > 0 {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
}

// lockOwner takes the lock of an owner file without waiting. held reports that
// another open file, of this process or another, has it.
func lockOwner(f *os.File) (held bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
