package session_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/session"
)

// serveCookies serves a page whose title is "asked with " and the cookie it was asked with, and
// sets one of the path's name.
func serveCookies(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "who", Value: r.URL.Path[1:], Path: "/"})
		_, _ = fmt.Fprintf(w, "<!doctype html><link rel=icon href=data:,><title>asked with %s</title>", r.Header.Get("Cookie"))
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL + "/"
}

// openWithCookie opens an address in a session and returns the cookie that the server got.
func openWithCookie(t *testing.T, s *browser.Session, address string) string {
	t.Helper()
	_, nav, err := s.Open(deadline(t), powertest.Window, powertest.Navigation, address, browser.NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cookie, ok := strings.CutPrefix(nav.Title, "asked with")
	if !ok {
		t.Fatalf("%s shows %q", address, nav.Title)
	}
	return strings.TrimSpace(cookie)
}

// TestWorkersShareNothing holds for every kind of profile, also those whose point is to be logged
// in.
func TestWorkersShareNothing(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]func(t *testing.T) browser.Config{
		"temporary":  func(*testing.T) browser.Config { return browser.Config{Headless: true} },
		"persistent": func(t *testing.T) browser.Config { return browser.Config{Headless: true, UserDataDir: t.TempDir()} },
		"attached": func(t *testing.T) browser.Config {
			port := proctest.FreePort(t)
			if _, err := newRegistry(t).Set("owner").Launch(deadline(t), powertest.Process, session.LaunchOptions{Port: port}); err != nil {
				t.Fatal(err)
			}
			return browser.Config{CDPEndpoint: fmt.Sprintf("http://127.0.0.1:%d", port)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "temporary" {
				proctest.Nightly(t)
			}
			home, b := serveCookies(t), session.New(session.Config{Browser: cfg(t)})
			t.Cleanup(func() {
				if err := b.Close(context.Background()); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			s := b.Set("client")
			own, err := s.Get("")
			if err != nil {
				t.Fatal(err)
			}
			one, err := s.CreateWorker(deadline(t), powertest.Window, "")
			if err != nil || one.ID() != "worker-1" {
				t.Fatalf("%v, %v", one, err)
			}
			two, err := s.CreateWorker(deadline(t), powertest.Window, "two")
			if err != nil {
				t.Fatal(err)
			}
			wantConnections(t, s, "(default) worker-1 two*")
			for _, c := range []*session.Connection{own, one, two} {
				if got := openWithCookie(t, c.Session(), home+c.ID()); got != "" {
					t.Errorf("%s came with the cookie %q", c.ID(), got)
				}
			}
			for _, c := range []*session.Connection{own, one, two} {
				if got := openWithCookie(t, c.Session(), home+c.ID()); got != "who="+c.ID() {
					t.Errorf("%s came back with the cookie %q", c.ID(), got)
				}
			}
			if _, err := s.CreateWorker(deadline(t), powertest.Window, "two"); codeOf(err) != codes.Failed {
				t.Errorf("a second worker of one name: %v", err)
			}
			if _, err := s.Disconnect(deadline(t), "two"); err != nil {
				t.Fatal(err)
			}
			again, err := s.CreateWorker(deadline(t), powertest.Window, "two")
			if err != nil {
				t.Fatal(err)
			}
			if got := openWithCookie(t, again.Session(), home+"again"); got != "" {
				t.Errorf("the worker that took the place of another came with the cookie %q", got)
			}
		})
	}
}

// TestWorkersOfKilledBrowser kills the browser process. Every connection to it loses its browser,
// and a new worker of the same id starts without cookies.
func TestWorkersOfKilledBrowser(t *testing.T) {
	t.Parallel()
	home, b := serveCookies(t), newRegistry(t)
	s := b.Set("client")
	f := follow(s)
	c, err := s.CreateWorker(deadline(t), powertest.Window, "w")
	if err != nil {
		t.Fatal(err)
	}
	openWithCookie(t, c.Session(), home+"first")
	if err := proctest.Kill(b.OwnBrowser().Status().PID); err != nil {
		t.Fatal(err)
	}
	f.waitFor(t, cold)
	wantConnections(t, s, "(default) (w*)")
	if c, err = s.CreateWorker(deadline(t), powertest.Window, "w"); err != nil {
		t.Fatal(err)
	}
	if got := openWithCookie(t, c.Session(), home+"second"); got != "" {
		t.Errorf("it came with the cookie %q", got)
	}
	wantConnections(t, s, "(default) w*")
}

// TestStop stops one of two clients, and then the other.
func TestStop(t *testing.T) {
	t.Parallel()
	home, b := serveCookies(t), newRegistry(t)
	ada, bob := b.Set("ada"), b.Set("bob")
	f := follow(ada)
	for _, s := range []*session.Set{ada, bob} {
		c, err := s.Get("")
		if err != nil {
			t.Fatal(err)
		}
		openWithCookie(t, c.Session(), home+"own")
	}
	launched, err := ada.Launch(deadline(t), powertest.Process, session.LaunchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ada.CreateWorker(deadline(t), powertest.Window, ""); err != nil {
		t.Fatal(err)
	}
	extra := 0
	for _, info := range ada.List(deadline(t)) {
		if info.ID == launched.ID() {
			extra = info.PID
		}
	}
	got, err := ada.Stop(deadline(t), false)
	if err != nil || got != (session.StopResult{Tabs: 3, Connections: 3, OwnInUse: true, OwnWasRunning: true}) {
		t.Fatalf("%+v, %v", got, err)
	}
	wantConnections(t, ada, "(default*)")
	f.waitFor(t, cold)
	if proctest.IsRunning(extra) || extra == 0 {
		t.Errorf("process %d of the launched browser lives", extra)
	}
	wantConnections(t, bob, "default*")
	pid := b.OwnBrowser().Status().PID
	if got, err = bob.Stop(deadline(t), false); err != nil || !got.OwnEnded {
		t.Fatalf("%+v, %v", got, err)
	}
	if proctest.IsRunning(pid) {
		t.Errorf("process %d lives", pid)
	}
	if got, err = bob.Stop(deadline(t), false); err != nil || got != (session.StopResult{}) {
		t.Errorf("stopped again: %+v, %v", got, err)
	}
	c, err := ada.Get("")
	if err != nil {
		t.Fatal(err)
	}
	if got := openWithCookie(t, c.Session(), home+"anew"); got != "" {
		t.Errorf("after the stop it came with the cookie %q", got)
	}
}
