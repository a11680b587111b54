package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/session"
)

// The sets of facts that the tests meet.
const (
	cold toolkit.Facts = 0
	one                = toolset.FactConnected
	two                = toolset.FactConnected | toolset.FactMultipleConnections
)

// newRegistry returns a registry that is closed with the test.
func newRegistry(t *testing.T) *session.Registry { return newRegistryWith(t, browser.OpenedTabs) }

func newRegistryWith(t *testing.T, tabs browser.TabAccess) *session.Registry {
	t.Helper()
	b := session.New(session.Config{Browser: browser.Config{Headless: true, Tabs: tabs}, Clients: session.ClientPolicy{DebugPort: true}})
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// follower records the facts and remarks that it receives. It drops repeated facts.
type follower struct {
	mu       sync.Mutex
	received []toolkit.Facts
	remarks  []string
	changed  chan struct{}
}

func follow(s *session.Set) *follower {
	f := &follower{changed: make(chan struct{}, 100)}
	s.Follow(f)
	return f
}

func (f *follower) SetFactSource(toolkit.FactSource) {}

func (f *follower) SwitchSubject() {}

func (f *follower) SetEntries([]toolkit.ListEntry) {}

func (f *follower) AddNotice(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.remarks = append(f.remarks, text)
}

func (f *follower) Replace(facts toolkit.Facts) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.received); n == 0 || f.received[n-1] != facts {
		f.received = append(f.received, facts)
		f.changed <- struct{}{}
	}
}

// factsTimeout bounds the wait for facts, which normally takes milliseconds.
const factsTimeout = 20 * time.Second

// waitFor waits until the latest facts are want.
func (f *follower) waitFor(t *testing.T, want toolkit.Facts) {
	t.Helper()
	timeout := time.After(factsTimeout)
	for {
		f.mu.Lock()
		now := f.received[len(f.received)-1]
		f.mu.Unlock()
		if now == want {
			return
		}
		select {
		case <-f.changed:
		case <-timeout:
			t.Fatalf("facts are %b after %v, want %b", now, factsTimeout, want)
		}
	}
}

func (f *follower) wantHistory(t *testing.T, want ...toolkit.Facts) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if diff := cmp.Diff(want, f.received); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
}

// connections renders a set: "default b* (c)" with a star at the active connection and brackets
// around those without a running browser.
func connections(t *testing.T, s *session.Set) string {
	t.Helper()
	var out []string
	for _, info := range s.List(deadline(t)) {
		text := info.ID
		if info.Active {
			text += "*"
		}
		if !info.Connected {
			text = "(" + text + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func wantConnections(t *testing.T, s *session.Set, expected string) {
	t.Helper()
	if got := connections(t, s); got != expected {
		t.Errorf("connections are %s, want %s", got, expected)
	}
}

func TestFactsFollowConnections(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	s := newRegistry(t).Set("client")
	f := follow(s)
	wantConnections(t, s, "(default*)")
	a, err := s.Launch(ctx, powertest.Process, session.LaunchOptions{ID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	wantConnections(t, s, "(default) a*")
	if _, err := s.Launch(ctx, powertest.Process, session.LaunchOptions{}); err != nil {
		t.Fatal(err)
	}
	wantConnections(t, s, "(default) a* chrome-1")
	if facts, ok := s.Facts("chrome-1"); !ok || facts != two {
		t.Errorf("facts of chrome-1: %b %v", facts, ok)
	}
	if facts, ok := s.Facts("default"); !ok || facts != cold {
		t.Errorf("facts of default: %b %v", facts, ok)
	}
	if _, ok := s.Facts("unknown"); ok {
		t.Error("an unknown connection has facts")
	}
	if _, err := s.Switch(ctx, "chrome-1"); err != nil {
		t.Fatal(err)
	}
	pid := s.List(ctx)[2].PID
	active, err := s.Disconnect(ctx, "chrome-1")
	if err != nil || active != a {
		t.Fatalf("active is %v, %v", active, err)
	}
	if proctest.IsRunning(pid) {
		t.Errorf("process %d of a disconnected browser lives", pid)
	}
	wantConnections(t, s, "(default) a*")
	if _, err := s.Disconnect(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	wantConnections(t, s, "(default*)")
	f.wantHistory(t, cold, one, two, one, cold)
}

func TestTabFindsEveryConnection(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	s := newRegistry(t).Set("client")
	own, err := s.Get("")
	if err != nil {
		t.Fatal(err)
	}
	first, err := own.Session().OpenBlank(ctx, powertest.Window)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Launch(ctx, powertest.Process, session.LaunchOptions{ID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := a.Session().Tab(ctx, "")
	if err != nil || first.ID() == second.ID() {
		t.Fatalf("tabs %s and %s, %v", first.ID(), second.ID(), err)
	}
	for id, tab := range map[string]*browser.Tab{"": first, first.ID(): first, second.ID(): second} {
		if _, got, err := s.Tab(ctx, id); err != nil || got != tab {
			t.Errorf("tab %q is %v, %v", id, got, err)
		}
	}
	_, _, err = s.Tab(ctx, "t99")
	if e, ok := errors.AsType[*browser.UnknownTabError](err); !ok || len(e.Open) != 2 {
		t.Errorf("tab t99: %v", err)
	}
	if _, err := s.Disconnect(ctx, "default"); err != nil {
		t.Fatal(err)
	}
	wantConnections(t, s, "(default) a*")
	if _, _, err = s.Tab(ctx, first.ID()); !errors.As(err, new(*browser.UnknownTabError)) {
		t.Errorf("a tab of an ended connection: %v", err)
	}
}

func TestAttachedBrowserKeepsRunning(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	port := proctest.FreePort(t)
	owner := newRegistry(t).Set("owner")
	c, err := owner.Launch(ctx, powertest.Process, session.LaunchOptions{Port: port})
	if err != nil || c.ID() != fmt.Sprintf("port-%d", port) {
		t.Fatalf("%v %v", c, err)
	}
	tab, err := c.Session().Tab(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tab.Navigate(ctx, powertest.Navigation, "data:text/html,<title>theirs</title><script>console.log('early')</script>", browser.NavigateOptions{}); err != nil {
		t.Fatal(err)
	}

	guest := newRegistryWith(t, browser.AllTabs).Set("guest")
	f := follow(guest)
	if _, err := guest.Launch(ctx, powertest.Process, session.LaunchOptions{Port: port}); codeOf(err) != codes.InvalidArguments {
		t.Errorf("launch at a taken port: %v", err)
	}
	g, err := guest.Connect(ctx, powertest.Network, session.AttachOptions{Port: port})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := g.Session().Tab(ctx, "")
	if err != nil || seen.Title() != "theirs" {
		t.Fatalf("the adopted page is %v, %v", seen, err)
	}
	if v, err := evaluate.Run(ctx, seen, powertest.Script, "innerWidth + document.title"); err != nil || v.Text() != "1280theirs" {
		t.Errorf("the page says %v, %v", v.Text(), err)
	}
	if m := seen.Console().Read(console.Query{}).Messages; len(m) != 1 || m[0].Text != "early" {
		t.Errorf("what was said before is %v", m)
	}
	if _, err := guest.Connect(ctx, powertest.Network, session.AttachOptions{Port: port}); codeOf(err) != codes.Failed {
		t.Errorf("connect again: %v", err)
	}
	mine, _, err := g.Session().Open(ctx, powertest.Window, powertest.Navigation, "data:text/html,<title>mine</title>", browser.NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	targets, err := g.Session().Targets(ctx)
	if err != nil || len(targets) != 2 || targets[0].Title != "theirs" || targets[1].Tab != mine.ID() || !targets[1].Current {
		t.Errorf("targets are %+v, %v", targets, err)
	}
	if _, err := guest.Disconnect(ctx, g.ID()); err != nil {
		t.Fatal(err)
	}
	left, err := c.Session().Targets(ctx)
	if err != nil || len(left) != 1 || left[0].Title != "theirs" {
		t.Errorf("after the guest left there are %+v, %v", left, err)
	}
	if v, err := evaluate.Run(ctx, tab, powertest.Script, "document.title"); err != nil || v.Text() != "theirs" {
		t.Errorf("the owner's page says %v, %v", v, err)
	}
	f.wantHistory(t, cold, one, cold)
}

func TestBrowserExitChangesActiveConnection(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	s := newRegistry(t).Set("client")
	f := follow(s)
	for _, id := range []string{"a", "b"} {
		if _, err := s.Launch(ctx, powertest.Process, session.LaunchOptions{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	kill := func(i int) {
		t.Helper()
		if err := proctest.Kill(s.List(ctx)[i].PID); err != nil {
			t.Fatal(err)
		}
	}
	kill(1)
	f.waitFor(t, one)
	wantConnections(t, s, "(default) (a) b*")
	_, err := s.Get("")
	if moved, ok := errors.AsType[*session.ActiveChangedError](err); !ok || *moved != (session.ActiveChangedError{From: "a", To: "b"}) {
		t.Fatalf("the next use of the active connection: %v", err)
	}
	if c, err := s.Get(""); err != nil || c.ID() != "b" {
		t.Fatalf("the use after that: %v %v", c, err)
	}
	kill(2)
	f.waitFor(t, cold)
	c, err := s.Get("")
	if err != nil || c.ID() != "b" {
		t.Fatalf("with no other to move to: %v %v", c, err)
	}
	if _, err := c.Session().Tab(ctx, ""); !errors.Is(err, browser.ErrNoTab) || !errors.As(err, new(*browser.BrowserGoneError)) {
		t.Errorf("the tab of a dead browser: %v", err)
	}
	if _, err := c.Session().OpenBlank(ctx, powertest.Window); err != nil {
		t.Fatalf("the next tab does not start another: %v", err)
	}
	f.waitFor(t, one)
	if _, err := s.Launch(ctx, powertest.Process, session.LaunchOptions{ID: "a"}); err != nil {
		t.Fatalf("a dead connection is not replaced: %v", err)
	}
	wantConnections(t, s, "(default) a b*")
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.remarks) != 2 || !strings.Contains(f.remarks[0], `"a"`) || !strings.Contains(f.remarks[1], `"b"`) {
		t.Errorf("remarks are %q", f.remarks)
	}
}

// TestClientsShareOwnBrowser gives two clients tabs in the server's own browser and disconnects one
// after the other.
func TestClientsShareOwnBrowser(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	b := newRegistry(t)
	ada, bob := b.Set("ada"), b.Set("bob")
	forAda, forBob := follow(ada), follow(bob)
	use := func(s *session.Set) {
		t.Helper()
		c, err := s.Get("")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Session().OpenBlank(ctx, powertest.Window); err != nil {
			t.Fatal(err)
		}
	}
	use(ada)
	forAda.wantHistory(t, cold, one)
	forBob.wantHistory(t, cold)
	use(bob)
	if _, err := ada.Disconnect(ctx, "default"); err != nil {
		t.Fatal(err)
	}
	if !b.OwnBrowser().Status().Running {
		t.Error("the browser ended under bob")
	}
	forAda.wantHistory(t, cold, one, cold)
	forBob.wantHistory(t, cold, one)
	if _, err := bob.Disconnect(ctx, "default"); err != nil {
		t.Fatal(err)
	}
	if b.OwnBrowser().Status().Running {
		t.Error("the browser runs without clients")
	}
	use(ada)
	if err := b.End(ctx, "ada"); err != nil {
		t.Fatal(err)
	}
	if _, err := ada.Launch(ctx, powertest.Process, session.LaunchOptions{}); err == nil {
		t.Error("a client that has gone launches a browser")
	}
}
