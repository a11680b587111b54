//go:build unix

package lock

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// tryLock locks the directory of a file without waiting. The directory stands in for the file, which every
// write replaces, and no file for the lock is left behind.
func tryLock(path string) (held bool, file *os.File, err error) {
	file, err = os.Open(filepath.Dir(path))
	if err != nil {
		return false, nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return false, file, nil
	}
	_ = file.Close() // err is the cause
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return true, nil, nil
	}
	return false, nil, err
}
