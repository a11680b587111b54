package chromium

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
)

// inherit passes the ends of the process as handles, whose values a switch names, and keeps other
// processes from inheriting the ends that stay here.
func (f *pipeFiles) inherit(cmd *exec.Cmd) error {
	for _, file := range []*os.File{f.commands, f.responses, f.output} {
		if err := syscall.SetHandleInformation(syscall.Handle(file.Fd()), syscall.HANDLE_FLAG_INHERIT, 0); err != nil {
			return err
		}
	}
	commands, responses := syscall.Handle(f.childCommands.Fd()), syscall.Handle(f.childResponses.Fd())
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, commands, responses)
	handles := strconv.FormatUint(uint64(commands), 10) + "," + strconv.FormatUint(uint64(responses), 10)
	cmd.Args = slices.Insert(cmd.Args, 1, "--remote-debugging-io-pipes="+handles)
	return nil
}
