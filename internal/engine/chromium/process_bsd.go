//go:build unix && !linux

package chromium

import "syscall"

// killWithParent does nothing on this system: the closing pipe alone ends Chromium.
func killWithParent(*syscall.SysProcAttr) {}
