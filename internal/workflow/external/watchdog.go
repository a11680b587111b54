package external

import (
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/workflow/external/supervisor"
)

// watchdogScript is the shell program that outlives this process. It reads "+ GROUP MARK" and "-
// GROUP MARK" lines and, when its input ends, kills every process group that was added and not
// removed. On Linux it gives supervisors time to do so, which find more, and also kills every process
// that inherited the mark.
const watchdogScript = `trap '' HUP INT QUIT TERM
live=
while read -r op group mark; do
	rest=
	for one in $live; do [ "$one" = "$group:$mark" ] || rest="$rest $one"; done
	live=$rest
	[ "$op" = + ] && live="$live $group:$mark"
done
for one in $live; do
	tries=$TRIES
	while [ "$tries" -gt 0 ] && kill -0 "${one%%:*}"; do
		sleep 0.1
		tries=$((tries - 1))
	done
	kill -KILL -- "-${one%%:*}"
	for env in $(grep -ls "$NAME=${one#*:}" /proc/[0-9]*/environ); do
		pid=${env#/proc/}
		kill -KILL "${pid%/environ}"
	done
done`

// watchdog kills the processes of servers if this process is killed. It starts with the first
// server process and stops with the registry.
type watchdog struct {
	log *slog.Logger

	mu         sync.Mutex
	cmd        *exec.Cmd
	input      io.WriteCloser
	startTried bool
}

func (w *watchdog) add(p *process) { w.send('+', p) }

func (w *watchdog) remove(p *process) { w.send('-', p) }

func (w *watchdog) send(op byte, p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.startTried {
		w.startTried = true
		if err := w.start(); err != nil {
			w.log.Warn("start the watchdog: processes of external servers may outlive this one", "error", err)
		}
	}
	if w.input != nil {
		_, _ = fmt.Fprintf(w.input, "%c %d %s\n", op, p.cmd.Process.Pid, p.mark)
	}
}

func (w *watchdog) start() error {
	cmd := exec.Command("/bin/sh", "-c", watchdogScript)
	tries := 0
	if supervisor.Enabled {
		tries = int(supervisorTimeout / (100 * time.Millisecond))
	}
	cmd.Env = []string{"NAME=" + markVariable, "TRIES=" + strconv.Itoa(tries), "PATH=/usr/bin:/bin"}
	setSession(cmd)
	input, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w.cmd, w.input = cmd, input
	return nil
}

// stop closes the input of the watchdog, which then kills every group that was not removed, and
// waits for it.
func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.input != nil {
		_ = w.input.Close()
		_ = w.cmd.Wait()
		w.input = nil
	}
}
