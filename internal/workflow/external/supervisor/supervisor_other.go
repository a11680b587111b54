//go:build !linux

package supervisor

import "os/exec"

// Enabled reports whether processes are started below a supervisor.
const Enabled = false

// Start starts cmd as it is. end does nothing.
func Start(cmd *exec.Cmd) (end func(), err error) { return func() {}, cmd.Start() }
