package watchdog

import (
	"os/exec"
	"syscall"
)

// detach keeps console signals from the watchdog.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
