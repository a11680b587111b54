//go:build unix

// Package processgroup ends a command together with its descendants: npx puts two processes above a
// server. It must not know what a command is for.
package processgroup

import (
	"os/exec"
	"syscall"
)

// Set has the command start in a process group of its own. Call it before Start.
func Set(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Terminate asks the processes of a started command to end.
func Terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// Kill ends the processes of a started command, also where the command itself has exited.
func Kill(cmd *exec.Cmd, _ bool) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
