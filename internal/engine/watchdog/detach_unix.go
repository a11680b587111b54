//go:build !windows

package watchdog

import (
	"os/exec"
	"syscall"
)

// detach keeps signals for the process group of the server from the watchdog.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
