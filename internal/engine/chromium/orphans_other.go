//go:build !linux

package chromium

import (
	"context"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// browserProcesses returns the temporary data directories of running browsers by process id, as ps
// reports them.
func browserProcesses() map[int]string {
	out := map[int]string{}
	if runtime.GOOS == "windows" {
		return out // a browser ends with its pipe there; see process_windows.go
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	text, err := exec.CommandContext(ctx, "ps", "-axww", "-o", "pid=,command=").Output()
	if err != nil {
		return out
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		pid, err := strconv.Atoi(fields[0])
		if dir := dataDirArg(fields[1:]); err == nil && dir != "" {
			out[pid] = dir
		}
	}
	return out
}
