package external

import (
	"os"
	"os/exec"
	"strconv"
)

func prepare(*exec.Cmd) {}

func (p *process) adopt() {}

func (p *process) terminate() {}

// kill ends the process with its descendants while it can still be found.
func (p *process) kill() bool {
	pid := strconv.Itoa(p.cmd.Process.Pid)
	return exec.Command("taskkill", "/T", "/F", "/PID", pid).Run() == nil
}

// detach has nothing to do: there is no shell to run, so there is no watchdog.
func detach(*exec.Cmd) {}

// lockFileOf does nothing: the standard library has no file lock here. Two processes that renew a token at the same time
// may make a new login necessary.
func lockFileOf(*os.File) error { return nil }
