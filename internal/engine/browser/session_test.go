package browser

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/browser/address"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/browser/webstorage"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/powertest"
)

func ids(tabs []TabInfo) (ids []string, current string) {
	for _, t := range tabs {
		ids = append(ids, t.ID)
		if t.Current {
			current = t.ID
		}
	}
	return ids, current
}

func TestTabs(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	s, other := testSession(t, false), testSession(t, false)
	a, _, err := s.Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/a", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := s.Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/b", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := other.OpenBlank(ctx, powertest.Window)
	if err != nil {
		t.Fatal(err)
	}
	want := []TabInfo{
		{ID: a.ID(), URL: site.URL + "/a", Title: "A"},
		{ID: b.ID(), URL: site.URL + "/b", Title: "B", Current: true},
	}
	if diff := cmp.Diff(want, s.Tabs(ctx)); diff != "" {
		t.Errorf("tabs (-want +got):\n%s", diff)
	}
	for _, id := range []string{foreign.ID(), "t999999", "x"} {
		_, err := s.Tab(ctx, id)
		var unknown *UnknownTabError
		if !errors.As(err, &unknown) || unknown.Closed != "" || !cmp.Equal(unknown.Open, []string{a.ID(), b.ID()}) {
			t.Errorf("tab %s: %v", id, err)
		}
	}
}

func TestCloseTab(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	s := testSession(t, false)
	a, _, err := s.Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/a", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.OpenBlank(ctx, powertest.Window)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Select(ctx, a.ID()); err != nil || got != a {
		t.Errorf("select: %v, %v", got, err)
	}
	if got, err := s.Tab(ctx, ""); err != nil || got != a {
		t.Errorf("current: %v, %v", got, err)
	}
	if err := s.CloseTab(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if got, current := ids(s.Tabs(ctx)); !cmp.Equal(got, []string{b.ID()}) || current != b.ID() {
		t.Errorf("after closing: %v, current %s", got, current)
	}
	_, err = s.Tab(ctx, a.ID())
	var unknown *UnknownTabError
	if !errors.As(err, &unknown) || unknown.Closed != "it was closed" {
		t.Errorf("a closed tab: %v", err)
	}
	if err := a.Do(ctx, func(context.Context, *page.Page) error { return nil }); !errors.As(err, new(*ClosedError)) {
		t.Errorf("a call on a closed tab: %v", err)
	}
	if _, _, err := s.Open(ctx, powertest.Window, powertest.Navigation, "javascript:1", NavigateOptions{}); !errors.As(err, new(*address.Error)) || len(s.Tabs(ctx)) != 1 {
		t.Errorf("a refused address: %v, %d tabs", err, len(s.Tabs(ctx)))
	}
	if err := s.CloseTab(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tab(ctx, ""); !errors.Is(err, ErrNoTab) {
		t.Errorf("no tab left: %v", err)
	}
}

func TestPopups(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	tab := openTab(t, "/a")
	s := tab.session
	js(t, tab, `document.getElementById('blank').click()`)
	js(t, tab, `window.child = window.open('/title?t=child'); 0`)
	var infos []TabInfo
	eventually(t, "popups are tabs", func() bool {
		infos = s.Tabs(ctx)
		return len(infos) == 3 && infos[1].Title == "B" && infos[2].Title == "child"
	})
	for _, info := range infos[1:] {
		if info.Opener != tab.ID() || info.Current {
			t.Errorf("popup %+v", info)
		}
		popup, err := s.Tab(ctx, info.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got := js(t, popup, `document.title`).Text(); got != info.Title {
			t.Errorf("popup says %q, want %q", got, info.Title)
		}
	}
	// The opener's tab strip shows the popup: it must run and draw all the same.
	frames := `new Promise(r => { let n = 0; const f = () => ++n == 5 ? r(document.visibilityState) : requestAnimationFrame(f); f() })`
	for _, info := range infos {
		any, _ := s.Tab(ctx, info.ID)
		if got := js(t, any, frames).Text(); got != "visible" {
			t.Errorf("tab %s: %s", info.ID, got)
		}
		for range 2 {
			if shot, err := capture.Screenshot(deadline(t, time.Minute), any, capture.Options{}); err != nil || len(shot.Data) == 0 {
				t.Errorf("screenshot of %s: %v", info.ID, err)
			}
		}
	}
	js(t, tab, `child.close()`)
	eventually(t, "a page closes itself", func() bool { return len(s.Tabs(ctx)) == 2 })
	_, err := s.Tab(ctx, infos[2].ID)
	if err == nil || !strings.Contains(err.Error(), "its page closed itself") {
		t.Errorf("a page that closed itself: %v", err)
	}
}

func TestPopupThatAlertsAtOnce(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	tab := openTab(t, "/a")
	js(t, tab, `window.open('/alert', '', 'noopener'); 0`)
	var popup *Tab
	eventually(t, "the dialog of a popup is seen", func() bool {
		infos := tab.session.Tabs(ctx)
		if len(infos) < 2 || infos[1].Dialog == nil {
			return false
		}
		popup, _ = tab.session.Tab(ctx, infos[1].ID)
		return true
	})
	if err := popup.Dialogs.Handle(ctx, true, ""); err != nil {
		t.Fatal(err)
	}
	if got := js(t, popup, `document.title`).Text(); got != "Alert" {
		t.Errorf("popup: %q", got)
	}
}

func TestIsolation(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	one, two, plain := testSession(t, true), testSession(t, true), testSession(t, false)
	var tabs []*Tab
	for _, s := range []*Session{one, two, plain} {
		tab, _, err := s.Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/a", NavigateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		tabs = append(tabs, tab)
	}
	name := "isolated"
	if err := webstorage.SetCookie(ctx, tabs[0], powertest.Storage, webstorage.Cookie{Name: name, Value: "1"}); err != nil {
		t.Fatal(err)
	}
	if err := webstorage.Open(tabs[0], powertest.Storage, webstorage.Local).Set(ctx, name, "1"); err != nil {
		t.Fatal(err)
	}
	for i, tab := range tabs {
		cookies, err := webstorage.Cookies(ctx, tab, powertest.Storage)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, c := range cookies {
			found = found || c.Name == name
		}
		_, stored, err := webstorage.Open(tab, powertest.Storage, webstorage.Local).Get(ctx, name)
		if err != nil || found != (i == 0) || stored != (i == 0) {
			t.Errorf("session %d: cookie %v, storage %v, %v", i, found, stored, err)
		}
	}
	js(t, tabs[0], `window.open('/b'); 0`)
	eventually(t, "a popup belongs to the isolated session", func() bool { return len(one.Tabs(ctx)) == 2 })
	shared.EndSession(ctx, one.ID())
	if got := len(one.Tabs(ctx)); got != 0 {
		t.Errorf("%d tabs after the end", got)
	}
	if _, err := one.OpenBlank(ctx, powertest.Window); err == nil {
		t.Error("a session that has ended opened a tab")
	}
	js(t, tabs[1], `1`)
}

func TestParallelTabs(t *testing.T) {
	t.Parallel()
	a, b := openTab(t, "/a"), openTab(t, "/a")
	ctx := deadline(t, time.Minute)
	err := a.Do(ctx, func(context.Context, *page.Page) error { // a's lock is held while b works
		_, err := evaluate.Run(ctx, b, powertest.Script, `1`)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDoIsExclusive(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, time.Minute)
	tab := openTab(t, "")
	entered, leave := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- tab.Do(ctx, func(context.Context, *page.Page) error { close(entered); <-leave; return nil })
	}()
	<-entered
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	err := tab.Do(short, func(context.Context, *page.Page) error { t.Error("two calls at once"); return nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting: %v", err)
	}
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
	mine := errors.New("mine")
	if err := tab.Do(ctx, func(context.Context, *page.Page) error { return mine }); err != mine {
		t.Errorf("fn's own error: %v", err)
	}
}

func TestCloseDuringCall(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, time.Minute)
	tab := openTab(t, "/stay")
	entered, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		failed <- tab.Do(ctx, func(ctx context.Context, _ *page.Page) error {
			close(entered)
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	<-entered
	if err := tab.session.CloseTab(ctx, tab.ID()); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !errors.As(err, new(*ClosedError)) {
		t.Errorf("the call: %v", err)
	}
}
