//go:build unix

package owned

import (
	"errors"
	"os"
	"syscall"
)

// TryLock takes the lock of an owner file without waiting. held reports that another open file,
// of this process or another, has the lock.
func TryLock(f *os.File) (held bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
