//go:build unix

package daemon

import (
	"os"
	"os/exec"
	"syscall"
)

func checkPrivate(info os.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || ok && int(stat.Uid) != os.Getuid() {
		return errNotPrivate
	}
	return nil
}

// detach gives a command a session of its own, so that the terminal's signals pass it by.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
