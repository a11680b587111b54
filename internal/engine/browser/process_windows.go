package browser

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strconv"
)

func prepare(*exec.Cmd) {}

// killGroup does nothing: Chromium's children run in a job that Windows ends with
// the main process.
func killGroup(int) {}

// lockOwner claims an owner file by the process id in it, because the standard
// library has no file lock here. On Windows FindProcess fails for a dead process.
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
