//go:build linux

package main

import (
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

// How many servers TestEndDuringLaunch ends, and how many side by side.
const (
	shortEnds, soakEnds = 16, 500
	endLanes            = 4
	soakExitLimit       = 5 * time.Second // of the long form; the short one only prints
)

// launchRequests opens a session and begins the launch of a browser.
const launchRequests = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"about:blank"}}}
`

// endings are the ways to end a server. Only a killed one may leave files, which the next start
// sweeps.
var endings = []struct {
	name string
	end  func(process) error
	code int
}{
	{"SIGTERM", func(p process) error { return p.cmd.Process.Signal(syscall.SIGTERM) }, exit.OK},
	{"SIGINT", func(p process) error { return p.cmd.Process.Signal(os.Interrupt) }, exit.OK},
	{"stdin", func(p process) error { return p.stdin.Close() }, exit.OK},
	{"SIGKILL", func(p process) error { return p.cmd.Process.Kill() }, -1},
}

// TestEndDuringLaunch ends servers while their browsers start. Each exits as at any other time, and
// leaves neither a process nor a file.
func TestEndDuringLaunch(t *testing.T) {
	ends := shortEnds
	if os.Getenv(soakVariable) != "" {
		ends = soakEnds
	}
	killed := shortTempDir(t) // of the killed servers
	var mu sync.Mutex
	var wg sync.WaitGroup
	took := map[string][]time.Duration{}
	for lane := range endLanes {
		random := rand.New(rand.NewPCG(2026, uint64(lane)))
		wg.Go(func() {
			for i := lane; i < ends; i += endLanes {
				way := endings[i/endLanes%len(endings)]
				most := 80
				if i%5 == 0 {
					most = 500
				}
				moment := time.Duration(random.IntN(most*1000)) * time.Microsecond
				temp := killed
				if way.code == exit.OK {
					temp = shortTempDir(t)
				}
				d := endDuringLaunch(t, temp, moment, i/endLanes%len(endings))
				mu.Lock()
				took[way.name] = append(took[way.name], d)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for name, times := range took {
		worst := slices.Max(times)
		t.Logf("%s: %d servers, the slowest exit took %v", name, len(times), worst.Round(time.Millisecond))
		if worst > soakExitLimit && ends == soakEnds {
			t.Errorf("%s: an exit took %v", name, worst)
		}
	}
	checkSwept(t, killed)
}

// endDuringLaunch starts a server, has it launch a browser, and ends it after moment. It returns how
// long the exit took.
func endDuringLaunch(t *testing.T, temp string, moment time.Duration, ending int) time.Duration {
	t.Helper()
	way := endings[ending]
	p := startInSession(t, temp)
	_, _ = io.WriteString(p.stdin, launchRequests)
	if _, err := p.stdout.ReadString('\n'); err != nil {
		t.Errorf("%s: no answer to initialize: %v", way.name, err)
	}
	<-time.After(moment) // what differs between the servers
	begun := time.Now()
	if err := way.end(p); err != nil {
		t.Errorf("%s: %v", way.name, err)
	}
	_, _ = io.Copy(io.Discard, p.stdout)
	_ = p.cmd.Wait()
	took := time.Since(begun)
	if got := p.cmd.ProcessState.ExitCode(); got != way.code {
		said, _ := io.ReadAll(p.stderr)
		t.Errorf("%s after %v: exit %d, want %d: %s", way.name, moment, got, way.code, said)
	}
	if left := waitForSession(p.cmd.Process.Pid); len(left) > 0 {
		t.Errorf("%s after %v: left %v", way.name, moment, left)
	}
	if left := entries(t, temp); len(left) > 0 && way.code == exit.OK {
		t.Errorf("%s after %v: left %v", way.name, moment, left)
	}
	return took
}
