package browser

import "syscall"

// killWithParent has the kernel kill Chromium's main process when we are killed. The
// closing pipe does it too, but only after a graceful shutdown of up to a second.
func killWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
