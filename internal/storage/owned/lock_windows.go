package owned

import (
	"bytes"
	"io"
	"os"
	"strconv"
)

// TryLock claims an owner file by the process id in it, because the standard library has no file
// lock on Windows. FindProcess fails there for a dead process.
func TryLock(f *os.File) (held bool, err error) {
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
