//go:build !windows

package running

import (
	"errors"
	"strconv"
	"syscall"
)

// processRuns reports whether a process of this machine has the id.
func processRuns(id string) bool {
	pid, err := strconv.Atoi(id)
	if err != nil || pid <= 0 {
		return false
	}
	err = syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
