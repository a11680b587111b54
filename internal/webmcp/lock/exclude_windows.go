package lock

import (
	"errors"
	"os"
	"syscall"
)

// errSharingViolation is the error of a file that another handle has open for itself alone.
const errSharingViolation = syscall.Errno(32)

// tryLock opens a file beside the path for itself alone, without waiting. Closing it removes it.
func tryLock(path string) (held bool, file *os.File, err error) {
	const deleteOnClose = 0x04000000
	name, err := syscall.UTF16PtrFromString(path + ".lock")
	if err != nil {
		return false, nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL|deleteOnClose, 0)
	switch {
	case errors.Is(err, errSharingViolation), errors.Is(err, syscall.ERROR_ACCESS_DENIED):
		return true, nil, nil
	case err != nil:
		return false, nil, err
	}
	return false, os.NewFile(uintptr(h), path), nil
}
