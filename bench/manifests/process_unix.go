//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// setProcessGroup gives a command a process group, by which its memory is added up.
func setProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// peakMemory returns the largest resident memory of a process that has ended, in bytes.
func peakMemory(p *os.ProcessState) int64 {
	if usage, ok := p.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}
