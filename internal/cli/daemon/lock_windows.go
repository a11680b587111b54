package daemon

import (
	"os"
	"os/exec"
	"syscall"
)

// tryLock opens the lock file exclusively, until the process ends. It does not wait.
func tryLock(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), path), nil
}

// checkPrivate cannot be told from mode bits here; the user's own directories are private by their
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
