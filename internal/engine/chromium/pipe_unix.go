//go:build !windows

package chromium

import (
	"os"
	"os/exec"
)

// inherit makes the ends of the process its file descriptors 3 and 4.
func (f *pipeFiles) inherit(cmd *exec.Cmd) error {
	cmd.ExtraFiles = []*os.File{f.childCommands, f.childResponses}
	return nil
}
