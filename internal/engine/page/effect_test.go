package page_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
)

// after answers with a text once a time has passed or the client has left.
func after(d time.Duration, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, text)
	}
}

func TestSettleFollowsChainsAndGivesUp(t *testing.T) {
	b := open(t, map[string]any{
		"/": `<title>One</title><button id=chain onclick="go()">Chain</button><button id=hang onclick="fetch('/hang')">Hang</button><p id=out>-</p>
<script>async function go() { for (const n of [1,2,3]) out.textContent = await (await fetch('/step')).text() + n }</script>`,
		"/step": after(60*time.Millisecond, "step "),
		"/hang": after(20*time.Second, ""),
		"/two":  after(150*time.Millisecond, `<title>Two</title><script src=/late.js></script><p id=p>-</p><script>fetch('/step').then(r=>r.text()).then(x=>p.textContent=x)</script>`),
	})
	if e := b.click(b.ref("#chain")); !slices.Contains(e.Changes, "+ step 3") || e.Pending != "" {
		t.Errorf("chain: %+v", e)
	}
	begun := time.Now()
	e := b.click(b.ref("#hang"))
	if took := time.Since(begun); !strings.Contains(e.Pending, "/hang") || took < 4*time.Second || took > 7*time.Second {
		t.Errorf("hanging request after %s: %+v", took, e)
	}
	b.js(`(location = '/two', 1)`)
	if _, err := b.WaitFor(b.ctx, page.WaitOptions{URL: "/two"}); err != nil {
		t.Fatal(err)
	}
	e, err := b.WaitForStable(b.ctx)
	if err != nil || e.Title != "Two" || !strings.Contains(b.outline(), "step") {
		t.Errorf("after a navigation: %+v %v\n%s", e, err, b.outline())
	}
}

// A page that never stops asking for news must not hold an action up.
func TestSettleIsNotHeldByPolling(t *testing.T) {
	b := open(t, map[string]any{
		"/":     `<button type=button onclick="this.textContent='Done'">Do</button><script>setInterval(() => fetch('/news'), 20)</script>`,
		"/news": after(50*time.Millisecond, "none"),
	})
	ref := b.ref("button")
	if _, err := b.WaitFor(b.ctx, page.WaitOptions{Duration: 300 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if e := b.click(ref); e.Element.Name != "Done" || time.Since(begun) > time.Second {
		t.Errorf("after %s: %+v", time.Since(begun), e)
	}
}

// The owner of the tab ends the context when a dialog opens: the click must
// come back although the page stands still, and nothing may stay pressed.
func TestClickThatOpensADialog(t *testing.T) {
	b := show(t, `<button id=b onclick="alert('Stop'); document.title='after'">Alert</button><button id=c onclick="document.title='next'">Next</button>`)
	ref, next := b.ref("#b"), b.ref("#c")
	ctx, cancel := context.WithCancelCause(b.ctx)
	opened := errors.New("a dialog opened")
	events, stop := b.session.Subscribe(cdppage.JavascriptDialogOpening.Method)
	defer stop()
	go func() {
		if _, ok := <-events; ok {
			cancel(opened)
		}
	}()
	begun := time.Now()
	_, err := b.Click(ctx, page.Target{Ref: ref}, page.ClickOptions{})
	if !errors.Is(context.Cause(ctx), opened) || err == nil || time.Since(begun) > 2*time.Second {
		t.Fatalf("after %s: %v", time.Since(begun), err)
	}
	if _, err := cdp.Call(b.ctx, b.session, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: true}); err != nil {
		t.Fatal(err)
	}
	if e := b.click(next); e.Title != "next" {
		t.Errorf("the next click: %+v", e)
	}
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	at := elsewhere(t, map[string]string{"/leaf": leaf})
	b := show(t, `<iframe title=F src="`+at("localhost", "/leaf")+`"></iframe>`)
	count := func() int {
		stacks := make([]byte, 1<<20)
		return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "created by github.com/callsheet/callsheet/internal/engine/page.(*tracker).join")
	}
	before := count()
	b.outline()
	if count() <= before {
		t.Fatal("the page follows no events of the frame")
	}
	b.Close()
	b.Close()
	if got := count(); got != before {
		t.Errorf("%d goroutines follow events, %d before", got, before)
	}
}

// What is there and cannot be seen is waited for, and what fades away is gone.
func TestWaitForTextThatCanBeSeen(t *testing.T) {
	b := show(t, `<p id=toast style="opacity:0">Saved<br>well</p><h1><span style="display:inline-block">W</span><span style="display:inline-block">ow</span></h1>`)
	if _, err := b.WaitFor(b.ctx, page.WaitOptions{Text: "wow"}); err != nil {
		t.Error(err)
	}
	var late *page.WaitTimeoutError
	if _, err := b.WaitFor(b.within(400*time.Millisecond), page.WaitOptions{Text: "saved well"}); !errors.As(err, &late) {
		t.Errorf("a transparent text was seen: %v", err)
	}
	if _, err := b.WaitFor(b.ctx, page.WaitOptions{TextGone: "saved well"}); err != nil {
		t.Error(err)
	}
	b.js(`(toast.style.opacity = 1)`)
	if _, err := b.WaitFor(b.ctx, page.WaitOptions{Text: "saved well"}); err != nil {
		t.Error(err)
	}
}
