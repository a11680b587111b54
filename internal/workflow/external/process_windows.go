package external

import (
	"os/exec"
	"strconv"
)

// setProcessGroup does nothing: taskkill finds the descendants of a process without a group.
func setProcessGroup(*exec.Cmd) {}

// terminate does nothing: Windows has no signal that asks a process to end.
func (p *process) terminate() {}

// kill ends the process and its descendants. It reports whether taskkill found the process.
func (p *process) kill() bool {
	pid := strconv.Itoa(p.cmd.Process.Pid)
	return exec.Command("taskkill", "/T", "/F", "/PID", pid).Run() == nil
}

// setSession does nothing: Windows has no shell that could run the watchdog.
func setSession(*exec.Cmd) {}
