package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
)

// patience is the time for which something may take that normally takes milliseconds.
const patience = time.Minute

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, patience)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// awaitUnused waits until no process has a directory in its command line: the browser of a killed server still writes
// into its profile, which can then not be removed.
func awaitUnused(t *testing.T, dir string) {
	t.Helper()
	eventually(t, "the browser of "+dir+" ends", func() bool {
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		return !slices.ContainsFunc(lines, func(path string) bool {
			line, err := os.ReadFile(path)
			return err == nil && strings.Contains(string(line), dir)
		})
	})
}

type daemonState struct {
	Running     bool
	PID         int
	Connections int
	Socket      string
}

func (s shell) state() (d daemonState) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(s.does("daemon status --json")), &d); err != nil {
		s.t.Fatal(err)
	}
	return d
}

// children lists the processes that a process has started.
func children(pid int) []int {
	var out []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(data), ") ") // the name may hold anything but this
		var state string
		var parent int
		if _, err := fmt.Sscan(rest, &state, &parent); err == nil && parent == pid && state != "Z" {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			out = append(out, child)
		}
	}
	return out
}

func alive(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(data), ") Z ")
}

// TestTwoShellsAtOnce start one daemon between them, and each gets its answer.
func TestTwoShellsAtOnce(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), fixture(t)
	var shells sync.WaitGroup
	for i := range 4 {
		shells.Go(func() {
			out, errs, code := s.run("navigate", url+"/two", "--session", "s"+strconv.Itoa(i%2))
			if code != exit.OK || !strings.Contains(out, "Two") {
				t.Errorf("exit %d: %s%s", code, out, errs)
			}
		})
	}
	shells.Wait()
	daemons := 0
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		if env, err := os.ReadFile(path); err == nil && strings.Contains(string(env), s.env[0]+"\x00") {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			if strings.Contains(string(line), "\x00daemon\x00run") {
				daemons++
			}
		}
	}
	if daemons != 1 {
		t.Errorf("%d daemons", daemons)
	}
}

func TestSessionsAreApart(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), fixture(t)
	s.does("navigate "+url+" --session work", "One")
	s.does("tabs", "tabCount: 0")
	s.does("--session work tabs", "tabCount: 1")
	tab := strings.Fields(s.does("navigate " + url + "/two"))[0]
	s.fails(exit.Tool, "reload --session work --tab-id "+tab, "NO_TAB")
}

// TestASessionOfAnyNameStays, also one that is named as the daemon might name a connection.
func TestASessionOfAnyNameStays(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), fixture(t)
	s.does("navigate "+url+" --session stdio", "One")
	s.does("tabs --session stdio", "tabCount: 1")
}

// TestKilledDaemon leaves no browser behind, and nothing that keeps the next one from starting.
func TestKilledDaemon(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), fixture(t)
	s.does("navigate " + url)
	first := s.state()
	browsers := children(first.PID)
	if len(browsers) == 0 {
		t.Fatal("no browser is a child of the daemon")
	}
	if err := proctest.Kill(first.PID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the browser ends", func() bool {
		for _, pid := range browsers {
			if alive(pid) {
				return false
			}
		}
		return true
	})
	s.does("daemon status", "not running")
	s.does("tabs", "tabCount: 0")
	if second := s.state(); second.PID == first.PID || !second.Running {
		t.Errorf("%+v after %+v", second, first)
	}
	s.does("navigate "+url, "One")
}

// TestDaemonStops by command, with its browser and its socket, before the command returns.
func TestDaemonStops(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), fixture(t)
	s.does("navigate " + url)
	d := s.state()
	if info, err := os.Stat(d.Socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if info, err := os.Stat(filepath.Dir(d.Socket)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
	browsers := children(d.PID)
	s.does("daemon stop", "stopped")
	for _, pid := range append(browsers, d.PID) {
		if alive(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	if _, err := os.Stat(d.Socket); !os.IsNotExist(err) {
		t.Errorf("the socket: %v", err)
	}
	s.does("daemon stop", "not running")
}

func TestDaemonEndsWhenIdle(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.env = append(s.env, "CALLSHEET_DAEMON_IDLE=150ms")
	s.does("tabs")
	eventually(t, "the daemon ends", func() bool { return !strings.HasPrefix(s.does("daemon status"), "running") })
	s.does("tabs", "tabCount: 0")
}

// TestCrawlKeepsTheDaemon: a daemon without connections does not end during a crawl.
func TestCrawlKeepsTheDaemon(t *testing.T) {
	t.Parallel()
	pages := crawltest.New(crawltest.Options{Pages: 8})
	site := httptest.NewServer(pages)
	t.Cleanup(site.Close)
	s := newShell(t)
	s.env = append(s.env, "CALLSHEET_DAEMON_IDLE=300ms")
	s.does("crawl " + site.URL + " --wait 0 --delay-ms 300 --concurrency 1 --render never")
	first := s.state()
	eventually(t, "six paths are requested", func() bool { return len(pages.Hits()) >= 6 }) // five delays, longer than the idle time
	if second := s.state(); !second.Running || second.PID != first.PID {
		t.Errorf("%+v after %+v", second, first)
	}
}

// TestAnotherVersion of the program replaces the daemon: the installed version runs.
func TestAnotherVersion(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.does("tabs")
	first := s.state()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := s
	other.exe = filepath.Join(t.TempDir(), "callsheet")
	copyProgram(t, self, other.exe)
	other.does("tabs", "tabCount: 0")
	if second := other.state(); second.PID == first.PID || alive(first.PID) {
		t.Errorf("%+v after %+v", second, first)
	}
}

// copyProgram copies an executable. No process is started meanwhile: one that had the copy open for
// writing would keep it from running.
func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(to, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestInterrupt cancels the call and leaves the daemon alone.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), fixture(t)
	s.does("navigate " + url)
	before := s.state()
	cmd := s.command("wait", "timeout", "60000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the call runs", func() bool { return s.state().Connections == 1 })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exit.Interrupted {
		t.Errorf("exit %d", code)
	}
	eventually(t, "the call ends", func() bool { return s.state().Connections == 0 })
	s.does("snapshot", "First page") // the tab's lock is free
	if after := s.state(); after.PID != before.PID {
		t.Errorf("%+v after %+v", after, before)
	}
}

// TestDaemonStart takes flags, once.
func TestDaemonStart(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.does("daemon start --viewport 500x400 --idle 1m", "running")
	s.fails(exit.Usage, "daemon start", "runs already")
	s.does("navigate " + fixture(t))
	s.does("eval innerWidth", "500")
}

// TestOpenDirectory: where others could put a socket, theirs would be trusted.
func TestOpenDirectory(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.does("tabs")
	dir := filepath.Dir(s.state().Socket)
	s.does("daemon stop")
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.fails(exit.Transport, "tabs", "only you can use")
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s.does("tabs")
}
