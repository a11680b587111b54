package external

import (
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"sync"
)

// watchdogScript is the shell program that outlives us: it is told of every process group and, when its input ends without their
// having been taken back, kills them. It reads "+ GROUP MARK" and "- GROUP MARK". On Linux it also kills whatever has
// inherited the mark, wherever that has gone.
const watchdogScript = `trap '' HUP INT QUIT TERM
live=
while read -r op group mark; do
	rest=
	for one in $live; do [ "$one" = "$group:$mark" ] || rest="$rest $one"; done
	live=$rest
	[ "$op" = + ] && live="$live $group:$mark"
done
for one in $live; do
	kill -KILL -- "-${one%%:*}"
	for env in $(grep -ls "$NAME=${one#*:}" /proc/[0-9]*/environ); do
		pid=${env#/proc/}
		kill -KILL "${pid%/environ}"
	done
done`

// watchdog sees to it that no process survives us when we are killed in a way that cannot be handled. It is started with
// the first process and ends with the registry.
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
			w.log.Warn("no watchdog: processes of external servers may survive a kill of this one", "error", err)
		}
	}
	if w.input != nil {
		_, _ = fmt.Fprintf(w.input, "%c %d %s\n", op, p.cmd.Process.Pid, p.mark)
	}
}

func (w *watchdog) start() error {
	cmd := exec.Command("/bin/sh", "-c", watchdogScript)
	cmd.Env = []string{"NAME=" + markVariable, "PATH=/usr/bin:/bin"}
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

// stop ends the watchdog, which kills what has not been taken back.
func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.input != nil {
		_ = w.input.Close()
		_ = w.cmd.Wait()
		w.input = nil
	}
}
