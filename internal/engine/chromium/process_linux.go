package chromium

import "syscall"

// killWithParent makes the kernel kill Chromium's main process when this process is killed. The
// closing pipe ends it too, but only after a graceful shutdown of up to a second.
func killWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
