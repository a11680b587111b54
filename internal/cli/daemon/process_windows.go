package daemon

import (
	"os"
	"os/exec"
	"syscall"
)

// checkPrivate does not check modes: on Windows the user's own directories are private by their
// access lists.
func checkPrivate(info os.FileInfo) error {
	if !info.IsDir() {
		return errNotPrivate
	}
	return nil
}

// detach keeps the console's signals from a command.
func detach(cmd *exec.Cmd) {
	const detachedProcess = 0x00000008
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}
