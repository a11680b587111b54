package browser

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/powertest"
)

// ticks reads the counter of a page without a call of its tab, which would wake it.
func ticks(t *testing.T, tab *Tab) int {
	t.Helper()
	res, err := cdp.Call(deadline(t, 2*time.Minute), tab.cdp, runtime.Evaluate, runtime.EvaluateParams{Expression: "String(window.n)"})
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.Trim(string(res.Result.Value), `"`))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// waitForTicks waits until the counter of a page has grown by n.
func waitForTicks(t *testing.T, tab *Tab, n int) {
	t.Helper()
	from := ticks(t, tab)
	for end := time.Now().Add(60 * time.Second); ticks(t, tab) < from+n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("tab %s counts no further than %d", tab.ID(), ticks(t, tab))
		}
	}
}

func (t *Tab) isFrozenNow() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.freezer.frozen
}

// TestUnusedTabsAreFrozen has three counting pages of which one may stay live. The two that were
// unused longest stop, but for one with an instrument; the next call finds the page as it was, with
// its refs, and counting.
func TestUnusedTabsAreFrozen(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 3*time.Minute)
	b := New(Config{Headless: true})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	var tabs []*Tab
	for _, id := range []string{"a", "b", "c"} {
		tab, _, err := b.IsolatedSession(id).Open(ctx,
			powertest.Window, powertest.Navigation, "data:text/html,<button onclick='n=-1000'>Press</button><script>n=0;setInterval(()=>{n++},10)</script>", NavigateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		tabs = append(tabs, tab)
	}
	unused, observed, live := tabs[0], tabs[1], tabs[2]
	observed.Instruments.Get("test", func() any { return "instrument" })
	var reading read.Reading
	err := unused.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
		reading, err = p.Read.Page(ctx, read.Options{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := evaluate.Run(ctx, live, powertest.Script, "1"); err != nil {
		t.Fatal(err)
	}

	unused.instance.freezeTabs(3, 0)
	unused.instance.freezeTabs(1, time.Hour)
	if unused.isFrozenNow() {
		t.Fatal("a tab is frozen within the limit, or too early")
	}
	unused.instance.freezeTabs(1, 0)
	if !unused.isFrozenNow() || observed.isFrozenNow() || live.isFrozenNow() {
		t.Fatalf("frozen: %v %v %v", unused.isFrozenNow(), observed.isFrozenNow(), live.isFrozenNow())
	}
	before := ticks(t, unused)
	waitForTicks(t, live, 20)
	waitForTicks(t, observed, 20)
	if n := ticks(t, unused); n > before+1 { // a timer that was due may still run
		t.Errorf("the frozen page counts on, from %d to %d", before, n)
	}

	_, ref, _ := strings.Cut(reading.Text, "[")
	ref, _, _ = strings.Cut(ref, "]")
	if _, err := evaluate.RunOn(ctx, unused, powertest.Script, "els[0].click()", []string{ref}); err != nil {
		t.Fatalf("click %s of %s: %v", ref, reading.Text, err)
	}
	if n := ticks(t, unused); n > 0 || unused.isFrozenNow() {
		t.Errorf("the woken page counts %d, frozen %v", n, unused.isFrozenNow())
	}
	waitForTicks(t, unused, 20)
	if v, err := evaluate.Run(ctx, unused, powertest.Script, "document.visibilityState + document.hasFocus()"); err != nil || !strings.Contains(string(v.JSON), "visibletrue") {
		t.Errorf("the woken page is %s, %v", v.JSON, err)
	}
}
