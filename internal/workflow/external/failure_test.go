//go:build unix

package external

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/storage/statedir"
)

func TestHangsAtStart(t *testing.T) {
	t.Parallel()
	l := newLab(t, `"hang": `+child("hang", `, "startupTimeoutMs": 700`)+`, "a": `+child("ok", ""))
	start := time.Now()
	failed := make(chan error)
	go func() { failed <- l.Discover(within(t, 20*time.Second))["hang"] }()
	if got := l.says("a", "echo", `{"text": "works"}`); got != "works" {
		t.Error(got)
	}
	wants(t, <-failed, "hang:", "startup timeout of 700ms")
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	impatient, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := l.Call(impatient, "hang", "echo", nil, nil); ReasonOf(err) != Timeout {
		t.Errorf("an impatient caller: %v", err)
	}
}

func TestExitsAtStart(t *testing.T) {
	t.Parallel()
	l := newLab(t, `"exit": `+child("exit", "")+`, "none": {"command": "/nowhere/at-all"}, "cwd": {"command": "true", "cwd": "gone"}`)
	wants(t, l.fails(Unavailable, "exit", "echo", ""), "exit status 7", "cannot find module left-pad", "token ***")
	l.fails(Unavailable, "exit", "echo", "")
	wants(t, l.fails(Unavailable, "exit", "echo", ""), "next attempt in")
	wants(t, l.fails(Unavailable, "none", "echo", ""), "/nowhere/at-all")
	wants(t, l.fails(Unavailable, "cwd", "echo", ""), "working directory", "gone")
}

// TestDiesMidCall is regression 26: what is killed during a run is there again for the next call.
func TestDiesMidCall(t *testing.T) {
	t.Parallel()
	l := newLab(t, `"a": `+child("ok", ""))
	first := l.says("a", "pid", "")
	other := make(chan error)
	go func() {
		_, err := l.Call(within(t, 20*time.Second), "a", "forever", nil, nil)
		other <- err
	}()
	s := l.servers["a"]
	eventually(t, "the other call is under way", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.inUse == 1
	})
	wants(t, l.fails(Died, "a", "die", ""), "a:die", "connection ended during the call", "dying of ***")
	if err := <-other; ReasonOf(err) != Died {
		t.Errorf("the other call: %v", err)
	}
	if second := l.says("a", "pid", ""); second == first {
		t.Error("the same process")
	}
}

func TestGarbage(t *testing.T) {
	t.Parallel()
	l := newLab(t, `"noisy": `+child("noisy", "")+`, "endless": `+child("endless-garbage", ""))
	if got := l.says("noisy", "echo", `{"text": "works"}`); got != "works" {
		t.Error(got)
	}
	wants(t, l.fails(Unavailable, "endless", "echo", ""), "not the protocol")
}

func TestFloodsStderr(t *testing.T) {
	t.Parallel()
	l := newLab(t, `"flood": `+child("flood", ""))
	for range 20 {
		if got := l.says("flood", "echo", `{"text": "works"}`); got != "works" {
			t.Error(got)
		}
	}
	if n := len(l.log.String()); n > 1<<20 {
		t.Errorf("the log has %d bytes", n)
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	l := newLab(t, `"huge": `+child("huge", "")+`, "a": `+child("ok", "")+`, "small": `+child("ok", `, "maxResultBytes": 10000`))
	wants(t, l.fails(TooLarge, "huge", "echo", ""), "huge:echo", "16777216")
	wants(t, l.fails(TooLarge, "huge", "echo", ""), "huge:echo", "16777216")
	if got := l.says("a", "big", `{"bytes": 1000000}`); len(got) != 1_000_000 {
		t.Errorf("%d bytes of a million", len(got))
	}
	before := l.says("small", "pid", "")
	other := make(chan error)
	go func() {
		_, err := l.Call(within(t, 20*time.Second), "small", "steps", json.RawMessage(`{"n": 5}`), nil)
		other <- err
	}()
	l.fails(TooLarge, "small", "big", `{"bytes": 10001}`)
	if err := <-other; err != nil {
		t.Errorf("a call beside it: %v", err)
	}
	if l.says("small", "pid", "") != before {
		t.Error("one large answer cost the process")
	}
}

func TestToolsChange(t *testing.T) {
	t.Parallel()
	changed := make(chan string, 10)
	l := newLab(t, `"a": `+child("ok", ""), func(c *Config) { c.Changed = func(alias string) { changed <- alias } })
	l.fails(UnknownTool, "a", "grown", "")
	l.says("a", "grow", "")
	select {
	case alias := <-changed:
		if alias != "a" {
			t.Error(alias)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("no news of the change")
	}
	if got := l.says("a", "grown", ""); got != "grown" {
		t.Error(got)
	}
}

func TestNeverEnds(t *testing.T) {
	t.Parallel()
	l := newLab(t, `"a": `+child("ok", `, "timeoutMs": 400`))
	l.says("a", "pid", "")
	wants(t, l.fails(Timeout, "a", "forever", ""), "400ms")
	eventually(t, "the server is told", func() bool { return l.says("a", "cancelled", "") == "1" })
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := l.Call(ctx, "a", "forever", nil, nil); ReasonOf(err) != Canceled || !errors.As(err, new(*Error)) {
		t.Errorf("cancelled: %v", err)
	}
	eventually(t, "the server is told", func() bool { return l.says("a", "cancelled", "") == "2" })
}

func TestProgressKeepsACallAlive(t *testing.T) {
	t.Parallel()
	l := newLab(t, `"a": `+child("ok", `, "timeoutMs": 3000`))
	l.says("a", "pid", "")
	var seen []string
	res, err := l.Call(within(t, 30*time.Second), "a", "steps", json.RawMessage(`{"n": 40}`), func(done, total float64, message string) {
		seen = append(seen, fmt.Sprint(done, "/", total, " ", message))
	})
	if err != nil || res.Content[0].Text != "done" || len(seen) != 40 || seen[39] != "40/40 step" {
		t.Errorf("%v, %v after %q", res, err, seen)
	}
}

func TestStubbornFamilyIsKilled(t *testing.T) {
	t.Parallel()
	l := newLab(t, `"stubborn": `+child("stubborn", "")+`, "a": `+child("ok", ""))
	l.says("stubborn", "pid", "")
	l.says("a", "pid", "")
	if _, err := os.Stat("/proc/self/environ"); err == nil && len(l.processes()) < 3 {
		t.Fatalf("no family: %v", l.processes())
	}
	start := time.Now()
	if err := l.Close(within(t, 30*time.Second)); err != nil {
		t.Fatal(err)
	}
	t.Logf("closed in %v", time.Since(start).Round(time.Millisecond))
	if left := l.processes(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	l.fails(Closed, "a", "echo", "")
}

// TestNothingLeftAfterKill kills the owner of servers in the way that cannot be handled.
func TestNothingLeftAfterKill(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("needs /proc")
	}
	l := newLab(t, `"stubborn": `+child("stubborn", "")+`, "a": `+child("ok", ""))
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), modeEnv+"=owner", "SERVERS="+filepath.Join(l.dir, "servers.json"), "STATE="+filepath.Join(l.dir, "state"), "LAB="+l.mark)
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	owner.Stderr = os.Stderr
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != "ready" {
		t.Fatalf("the owner said %q, %v", line, err)
	}
	if n := len(l.processes()); n < 4 {
		t.Fatalf("%d processes, want the owner, two servers and a grandchild", n)
	}
	start := time.Now()
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	eventually(t, "everything is gone", func() bool { return len(l.processes()) == 0 })
	t.Logf("gone %v after the kill", time.Since(start).Round(time.Millisecond))
}

func TestAsksTheUser(t *testing.T) {
	t.Parallel()
	l := newLab(t, `"old": `+child("ok", `, "protocolVersion": "legacy"`)+`, "new": `+child("ok", ""))
	got := l.says("old", "ask", "")
	if strings.Count(got, "not") < 3 || strings.Contains(got, "<nil>") {
		t.Errorf("roots | sampling | elicitation: %s", got)
	}
	wants(t, l.fails(Input, "new", "ask", `{"how": "modern"}`), "requests input")
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	l := newLab(t, `"many": `+child("ok", "")+`, "one": `+child("ok", `, "stateful": true`)+`, "two": `+child("ok", `, "maxConcurrency": 2`))
	for alias, most := range map[string]string{"many": "", "one": "1", "two": "2"} {
		l.says(alias, "pid", "")
		done := make(chan string)
		for range 6 {
			go func() { done <- l.says(alias, "busy", "") }()
		}
		for range 6 {
			got := <-done
			if most != "" && got > most {
				t.Errorf("%s ran %s at a time", alias, got)
			}
		}
	}
	if got := l.says("many", "busy", ""); got < "2" {
		t.Errorf("calls to a server without a bound ran %s at a time", got)
	}
	release, err := l.Reserve(within(t, time.Second), "one")
	if err != nil || !l.Stateful("one") || l.Stateful("many") {
		t.Fatal(err)
	}
	impatient, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := l.Reserve(impatient, "one"); ReasonOf(err) != Timeout {
		t.Errorf("reserved twice: %v", err)
	}
	release()
	release()
	if _, err := l.Reserve(within(t, 10*time.Second), "one"); err != nil {
		t.Error(err)
	}
}

func TestIdle(t *testing.T) {
	t.Parallel()
	l := newLab(t, `"a": `+child("ok", `, "lifecycle": {"mode": "keep-alive", "idleTimeoutMs": 50}`))
	first := l.says("a", "pid", "")
	eventually(t, "the process is gone", func() bool { return len(l.processes()) == 0 })
	if l.says("a", "pid", "") == first {
		t.Error("the same process")
	}
}

// ownAndHang is the test binary as the owner of a registry: it says when its servers run and waits to be killed.
func ownAndHang() {
	r, err := Open(Config{Files: []string{os.Getenv("SERVERS")}, State: must(statedir.New(os.Getenv("STATE")))})
	if err != nil {
		panic(err)
	}
	if errs := r.Discover(context.Background()); len(errs) > 0 {
		panic(fmt.Sprint(errs))
	}
	fmt.Println("ready")
	select {}
}
