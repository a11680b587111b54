//go:build unix

package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestHangsAtStart(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"hang": `+stdioEntry("hang", `, "startupTimeoutMs": 700`)+`, "a": `+stdioEntry("ok", ""))
	failed := make(chan error)
	go func() { failed <- l.Discover(withTimeout(t, 20*time.Second))["hang"] }()
	if got := l.callText("a", "echo", `{"text": "works"}`); got != "works" {
		t.Error(got)
	}
	wantError(t, <-failed, "hang:", "startup timeout of 700ms")
	impatient, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := l.Call(impatient, "hang", "echo", nil, nil); ReasonOf(err) != Timeout {
		t.Errorf("an impatient caller: %v", err)
	}
}

func TestExitsAtStart(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"exit": `+stdioEntry("exit", "")+
		`, "none": {"command": "/nowhere/at-all"}, "cwd": {"command": "true", "cwd": "gone"}`)
	wantError(t, l.callFails(Unavailable, "exit", "echo", ""), "exit status 7", "cannot find module left-pad",
		"token ***")
	l.callFails(Unavailable, "exit", "echo", "")
	wantError(t, l.callFails(Unavailable, "exit", "echo", ""), "next attempt in")
	wantError(t, l.callFails(Unavailable, "none", "echo", ""), "/nowhere/at-all")
	wantError(t, l.callFails(Unavailable, "cwd", "echo", ""), "working directory", "gone")
}

// TestDiesMidCall is regression 26: what is killed during a run is there again for the next call.
func TestDiesMidCall(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"a": `+stdioEntry("ok", ""))
	first := l.callText("a", "pid", "")
	other := make(chan error)
	go func() {
		_, err := l.Call(withTimeout(t, 20*time.Second), "a", "forever", nil, nil)
		other <- err
	}()
	s := l.servers["a"]
	eventually(t, "the other call is under way", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.inUse == 1
	})
	wantError(t, l.callFails(Died, "a", "die", ""), "a:die", "connection ended during the call", "dying of ***")
	if err := <-other; ReasonOf(err) != Died {
		t.Errorf("the other call: %v", err)
	}
	if second := l.callText("a", "pid", ""); second == first {
		t.Error("the same process")
	}
}

// TestDeathIsNoticedBehindAnOpenPipe kills a server whose child holds its stdout open.
func TestDeathIsNoticedBehindAnOpenPipe(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"a": `+stdioEntry("ok", ""))
	first := l.callText("a", "pid", "")
	wantError(t, l.callFails(Died, "a", "die-with-child", ""), "a:die-with-child", "connection ended during the call")
	if second := l.callText("a", "pid", ""); second == first {
		t.Error("the same process")
	}
}

func TestGarbage(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"noisy": `+stdioEntry("noisy", "")+`, "endless": `+stdioEntry("endless-garbage", ""))
	if got := l.callText("noisy", "echo", `{"text": "works"}`); got != "works" {
		t.Error(got)
	}
	wantError(t, l.callFails(Unavailable, "endless", "echo", ""), "not the protocol")
}

func TestFloodsStderr(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"flood": `+stdioEntry("flood", ""))
	for range 20 {
		if got := l.callText("flood", "echo", `{"text": "works"}`); got != "works" {
			t.Error(got)
		}
	}
	if n := len(l.log.String()); n > 1<<20 {
		t.Errorf("the log has %d bytes", n)
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"huge": `+stdioEntry("huge", "")+`, "a": `+stdioEntry("ok", "")+`, "small": `+
		stdioEntry("ok", `, "maxResultBytes": 10000`))
	wantError(t, l.callFails(TooLarge, "huge", "echo", ""), "huge:echo", "16777216")
	wantError(t, l.callFails(TooLarge, "huge", "echo", ""), "huge:echo", "16777216")
	if got := l.callText("a", "big", `{"bytes": 1000000}`); len(got) != 1_000_000 {
		t.Errorf("%d bytes of a million", len(got))
	}
	before := l.callText("small", "pid", "")
	other := make(chan error)
	go func() {
		_, err := l.Call(withTimeout(t, 20*time.Second), "small", "steps", json.RawMessage(`{"n": 5}`), nil)
		other <- err
	}()
	l.callFails(TooLarge, "small", "big", `{"bytes": 10001}`)
	if err := <-other; err != nil {
		t.Errorf("a call beside it: %v", err)
	}
	if l.callText("small", "pid", "") != before {
		t.Error("one large answer cost the process")
	}
}

func TestToolsChange(t *testing.T) {
	t.Parallel()
	changed := make(chan string, 10)
	l := newFixture(t, `"a": `+stdioEntry("ok", ""),
		func(c *Config) { c.Changed = func(alias string) { changed <- alias } })
	l.callFails(UnknownTool, "a", "grown", "")
	l.callText("a", "grow", "")
	select {
	case alias := <-changed:
		if alias != "a" {
			t.Error(alias)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("no news of the change")
	}
	if got := l.callText("a", "grown", ""); got != "grown" {
		t.Error(got)
	}
}

func TestCallTimeout(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"a": `+stdioEntry("ok", `, "timeoutMs": 2000`))
	l.callText("a", "pid", "")
	wantError(t, l.callFails(Timeout, "a", "forever", ""), "2s")
	eventually(t, "the server is told", func() bool { return l.callText("a", "cancelled", "") == "1" })
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := l.Call(ctx, "a", "forever", nil, nil); ReasonOf(err) != Canceled || !errors.As(err, new(*Error)) {
		t.Errorf("cancelled: %v", err)
	}
	eventually(t, "the server is told", func() bool { return l.callText("a", "cancelled", "") == "2" })
}

func TestProgressKeepsACallAlive(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"a": `+stdioEntry("ok", `, "timeoutMs": 3000`))
	l.callText("a", "pid", "")
	var seen []string
	res, err := l.Call(withTimeout(t, 30*time.Second), "a", "steps", json.RawMessage(`{"n": 40}`),
		func(done, total float64, message string) {
			seen = append(seen, fmt.Sprint(done, "/", total, " ", message))
		})
	// The last notification can be read after the result, which ends the call.
	if err != nil || res.Content[0].Text != "done" || len(seen) < 39 || seen[38] != "39/40 step" {
		t.Errorf("%v, %v after %q", res, err, seen)
	}
}

func TestDescendantsAreKilled(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"stubborn": `+stdioEntry("stubborn", "")+`, "a": `+stdioEntry("ok", ""))
	l.callText("stubborn", "pid", "")
	l.callText("a", "pid", "")
	if _, err := os.Stat("/proc/self/environ"); err == nil && len(l.processes()) < 3 {
		t.Fatalf("no family: %v", l.processes())
	}
	if err := l.Close(withTimeout(t, 30*time.Second)); err != nil {
		t.Fatal(err)
	}
	if left := l.processes(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	l.callFails(Closed, "a", "echo", "")
}

func TestInputRequestsAreDeclined(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"old": `+stdioEntry("ok", `, "protocolVersion": "legacy"`)+`, "new": `+stdioEntry("ok", ""))
	got := l.callText("old", "ask", "")
	if strings.Count(got, "not") < 2 || strings.Contains(got, "<nil>") || !strings.HasSuffix(got, "|decline") {
		t.Errorf("roots | sampling | elicitation: %s", got)
	}
	wantError(t, l.callFails(Input, "new", "ask", `{"how": "modern"}`), "requests input")
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"many": `+stdioEntry("ok", "")+`, "one": `+stdioEntry("ok", `, "stateful": true`)+`, "two": `+
		stdioEntry("ok", `, "maxConcurrency": 2`))
	for alias, most := range map[string]string{"many": "", "one": "1", "two": "2"} {
		l.callText(alias, "pid", "")
		done := make(chan string)
		for range 6 {
			go func() { done <- l.callText(alias, "busy", "") }()
		}
		for range 6 {
			got := <-done
			if most != "" && got > most {
				t.Errorf("%s ran %s at a time", alias, got)
			}
		}
	}
	if got := l.callText("many", "busy", ""); got < "2" {
		t.Errorf("calls to a server without a bound ran %s at a time", got)
	}
	release, err := l.Reserve(withTimeout(t, time.Second), "one")
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
	if _, err := l.Reserve(withTimeout(t, 10*time.Second), "one"); err != nil {
		t.Error(err)
	}
}

func TestIdle(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"a": `+stdioEntry("ok", `, "lifecycle": {"mode": "keep-alive", "idleTimeoutMs": 50}`))
	first := l.callText("a", "pid", "")
	eventually(t, "the process is gone", func() bool { return len(l.processes()) == 0 })
	if l.callText("a", "pid", "") == first {
		t.Error("the same process")
	}
}
