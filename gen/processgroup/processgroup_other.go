//go:build !unix

// Package processgroup ends a command together with its descendants: npx puts two processes above a
// server. It must not know what a command is for.
package processgroup

import (
	"os/exec"
	"strconv"
)

// Set does nothing: taskkill finds the descendants of a process without a group.
func Set(*exec.Cmd) {}

// Terminate does nothing: no signal asks a process to end here.
func Terminate(*exec.Cmd) {}

// Kill ends the processes of a started command. The descendants of one that has exited cannot be found.
func Kill(cmd *exec.Cmd, exited bool) {
	if !exited {
		_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() // it may have ended
	}
}
