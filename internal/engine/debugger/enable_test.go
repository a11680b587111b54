package debugger_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpdebugger "github.com/chromedp/cdproto/debugger"
	cdppage "github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/debugger"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
)

func TestPauseCommand(t *testing.T) {
	t.Parallel()
	w := open(t, "/plain")
	out, err := w.Pause(w.ctx)
	if err != nil || out.Pause != nil || !out.Pending {
		t.Fatalf("pause an idle page: %+v, %v", out, err)
	}
	// The pause is not spent on Callsheet's own scripts.
	if err := w.click("#b"); err == nil {
		t.Error("the click did not pause")
	}
	has(t, w.paused().Text(10), "— pause", "document.title = 'b was clicked'")
	out, err = w.Pause(w.ctx)
	if err != nil || out.Pause == nil {
		t.Errorf("pause while paused: %+v, %v", out, err)
	}
	w.resume()
	w.title("b was clicked")

	busy := open(t, "/app")
	spinning := make(chan struct{}, 1)
	defer busy.tab.Listen(func(event any) {
		if _, ok := event.(*cdpruntime.EventConsoleAPICalled); ok {
			select {
			case spinning <- struct{}{}:
			default:
			}
		}
	})()
	busy.start("console.log('spinning'); for (let i = 0; i < 40; i++) spin(50); document.title = 'spun'")
	select {
	case <-spinning:
	case <-busy.ctx.Done():
		t.Fatal("the loop did not begin")
	}
	out, err = busy.Pause(busy.ctx)
	if err != nil || out.Pause == nil {
		t.Fatalf("pause a busy page: %+v, %v", out, err)
	}
	out, err = busy.Resume(busy.ctx)
	if err != nil || out.Pause != nil {
		t.Fatalf("resume a busy page: %+v, %v", out, err)
	}
	busy.title("spun")
}

func TestBreakpointInMouseDown(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	w.line("app.js", 78)
	if err := w.click("#down"); err == nil {
		t.Fatal("the click did not pause")
	}
	w.at(w.paused(), "onDown /js/app.js:78")
	w.resume()
	w.title("app down clicked")
}

func TestDisable(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	w.line("app.js", 4)
	if _, err := w.Breakpoints.SetEvent(w.ctx, "click", ""); err != nil {
		t.Fatal(err)
	}
	_ = w.Watch(w.ctx, powertest.Script, "a")
	w.start("add(1, 2); document.title = 'added'")
	w.paused()
	if err := w.Disable(w.ctx); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.Paused(); ok || w.Enabled() || len(w.Breakpoints.List())+len(w.Watches()) > 0 || w.tab.Calls.Blocked() != nil {
		t.Errorf("something is left: %v %v", w.Breakpoints.List(), w.Watches())
	}
	w.title("added")
	if err := w.click("#go"); err != nil {
		t.Errorf("a click after it: %v", err)
	}
	for _, err := range []error{
		w.Breakpoints.Remove(w.ctx, "b1"), w.Watch(w.ctx, powertest.Script, "x"), w.Ignore(w.ctx, nil), w.PauseOnExceptions(w.ctx, debugger.ExceptionsAll),
		second(w.ReadPause(w.ctx)), second(w.Step(w.ctx, debugger.StepOver)), second(w.Pause(w.ctx)), second(w.Evaluate(w.ctx, powertest.Script, "", "1")),
	} {
		if !errors.Is(err, debugger.ErrDisabled) {
			t.Errorf("while disabled: %v", err)
		}
	}
	if err := w.Disable(w.ctx); err != nil {
		t.Errorf("again: %v", err)
	}
	if err := w.Enable(w.ctx, debugger.AsyncDepth); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Step(w.ctx, debugger.StepOver); !errors.Is(err, debugger.ErrNotPaused) {
		t.Errorf("step while running: %v", err)
	}
	w.start("debugger")
	w.paused()
	w.resume()
	if got := w.heard(); got != "on, paused: breakpoint, resumed, off, on, paused: debugger statement, resumed" {
		t.Errorf("heard %s", got)
	}
}

func second[T any](_ T, err error) error { return err }

func TestCloseWhilePaused(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	w.start("debugger")
	w.paused()
	if err := w.session.CloseTab(w.ctx, w.tab.ID()); err != nil {
		t.Fatalf("close: %v", err)
	}
	w.eventually("gone")
}

// eventually waits for an event.
func (w *bench) eventually(want string) {
	w.t.Helper()
	for {
		w.mu.Lock()
		found := len(w.events) > 0 && w.events[len(w.events)-1] == want
		w.mu.Unlock()
		if found {
			break
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-w.ctx.Done():
			w.t.Fatalf("heard %s, never %s", w.heard(), want)
		}
	}
	if w.Enabled() {
		w.t.Error("enabled")
	}
	if _, ok := w.Paused(); ok || w.tab.Calls.Blocked() != nil {
		w.t.Error("paused")
	}
}

func TestCrashWhilePaused(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	w.line("app.js", 32)
	w.start("debugger")
	w.paused()
	session, err := w.tab.Protocol(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = cdp.Call(w.ctx, session, cdppage.Crash, cdp.Empty{}) }()
	w.eventually("gone")
	for w.session.Tabs(w.ctx)[0].LossReason == "" { // the tab learns of the crash by another event
		time.Sleep(5 * time.Millisecond)
	}
	if _, err := w.tab.Reload(w.ctx, powertest.Navigation, false, browser.NavigateOptions{}); err != nil {
		t.Fatalf("reload after the crash: %v", err)
	}
	w.title("app")
	// The browser restores the Debugger domain of the reloaded page; the debugger must disable it.
	for limit := time.Now().Add(time.Minute); ; {
		_, err := cdp.Call(w.ctx, session, cdpdebugger.SetPauseOnExceptions, cdpdebugger.SetPauseOnExceptionsParams{State: "none"})
		if err != nil && strings.Contains(err.Error(), "not enabled") {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("the Debugger domain of the reloaded page is enabled: %v", err)
		}
	}
}

func TestKillWhilePaused(t *testing.T) {
	t.Parallel()
	b := browser.New(browser.Config{Headless: true})
	t.Cleanup(func() { _ = b.Close(t.Context()) })
	w := openIn(t, b, "/app")
	w.line("app.js", 4)
	w.start("add(1, 2)")
	w.paused()
	if err := proctest.Kill(b.Status().PID); err != nil {
		t.Fatal(err)
	}
	w.eventually("gone")
	var gone *browser.BrowserGoneError
	if _, err := evaluate.Run(w.ctx, w.tab, powertest.Script, "1"); !errors.As(err, &gone) {
		t.Errorf("a call after it: %v", err)
	}
	if _, err := w.Step(w.ctx, debugger.StepOver); !errors.Is(err, debugger.ErrDisabled) {
		t.Errorf("a step after it: %v", err)
	}
}
