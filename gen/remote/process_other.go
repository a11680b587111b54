//go:build !unix

package remote

import (
	"os/exec"
	"strconv"
)

// setProcessGroup does nothing: taskkill finds the descendants of a process without a group.
func setProcessGroup(*exec.Cmd) {}

// terminate does nothing: no signal asks a process to end here.
func (p *process) terminate() {}

// kill ends the process and its descendants. Those of one that has ended cannot be found.
func (p *process) kill() {
	if p.exitsWithin(0) {
		return
	}
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.cmd.Process.Pid)).Run() // it may have ended
}
