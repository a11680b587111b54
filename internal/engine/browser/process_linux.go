package browser

import "syscall"

// dieWithParent has the kernel kill Chromium's main process when we are killed. The
// closing pipe does it too, but only after a graceful shutdown of up to a second.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
