//go:build unix && !linux

package browser

import "syscall"

// dieWithParent does nothing here: the closing pipe alone ends Chromium.
func dieWithParent(*syscall.SysProcAttr) {}
