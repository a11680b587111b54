package browser

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/powertest"
)

func TestBrowserExit(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	b := New(Config{Headless: true})
	defer b.Close(context.Background())
	s := b.Session("s")
	old, _, err := s.Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/a", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	profile, pid := b.Status().UserDataDir, b.Status().PID
	failed, besides := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := evaluate.Run(ctx, old, powertest.Script, `new Promise(() => {})`)
		failed <- err
	}()
	session, err := old.Protocol(ctx)
	if err != nil {
		t.Fatal(err)
	}
	call := dialog.OfCall(ctx)
	go func() {
		yes := true
		_, err := cdp.Call(call, session, cdpruntime.Evaluate, cdpruntime.EvaluateParams{Expression: "new Promise(() => {})", AwaitPromise: &yes})
		besides <- err
	}()
	eventually(t, "a command beside the call is in flight", old.Calls.commands.Waiting)
	kill(t, pid)
	for what, failed := range map[string]chan error{"the call": failed, "the command beside it": besides} {
		if err := <-failed; !errors.As(err, new(*BrowserGoneError)) {
			t.Errorf("%s in flight: %v", what, err)
		}
	}
	for _, method := range []string{"Debugger.enable", "Network.enable", "Profiler.start", "Fetch.enable", "IO.read", "Tracing.start"} {
		if err := session.Call(call, method, cdp.Empty{}, nil); !errors.As(err, new(*BrowserGoneError)) {
			t.Errorf("%s after the end: %v", method, err)
		}
	}
	err = protocol.Exec(ctx, old.instance.conn, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{})
	if coded, ok := errors.AsType[fault.Coded](err); !ok || coded.Code() != codes.BrowserGone {
		t.Errorf("a command to the browser itself: %v", err)
	}
	var unknown *UnknownTabError
	eventually(t, "the tab is closed", func() bool { _, err = s.Tab(ctx, old.ID()); return errors.As(err, &unknown) })
	if unknown.Closed != "the browser exited" {
		t.Errorf("an old tab: %v", err)
	}
	if err := old.Do(ctx, func(context.Context, *page.Page) error { return nil }); !errors.As(err, new(*BrowserGoneError)) {
		t.Errorf("a call on an old tab: %v", err)
	}
	if b.Status().Running {
		t.Error("a dead browser is running")
	}
	tab, _, err := s.Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/b", NavigateOptions{})
	if err != nil || tab.ID() != "t2" || b.Status().PID == pid {
		t.Fatalf("open after the death: %v, %v", tab, err)
	}
	if _, err := os.Stat(profile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old profile is still there: %v", err)
	}
}
