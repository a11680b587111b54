package chromium

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strconv"
)

// SetProcessGroup does nothing on Windows.
func SetProcessGroup(*exec.Cmd) {}

// KillGroup does nothing: Chromium's children run in a job that Windows ends with the main process.
func KillGroup(int) {}

// lockOwner claims an owner file by the process id in it, because the standard library has no file
// lock on Windows. FindProcess fails there for a dead process.
func lockOwner(f *os.File) (held bool, err error) {
	data, err := io.ReadAll(f)
	if err != nil {
		return false, err
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(data)))
	if err != nil || pid == os.Getpid() {
		return err == nil, nil
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false, nil
	}
	return true, p.Release()
}
