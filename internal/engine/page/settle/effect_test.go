package settle_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/powertest"
)

func TestWaitForStableFollowsRequestChains(t *testing.T) {
	b := pagetest.Open(t, map[string]any{
		"/": `<title>One</title><button id=chain onclick="go()">Chain</button><button id=hang onclick="fetch('/hang')">Hang</button><p id=out>-</p>
<script>async function go() { for (const n of [1,2,3]) out.textContent = await (await fetch('/step')).text() + n }</script>`,
		"/step": pagetest.RespondAfter(60*time.Millisecond, "step "),
		"/hang": pagetest.RespondAfter(20*time.Second, ""),
		"/two":  pagetest.RespondAfter(150*time.Millisecond, `<title>Two</title><script src=/late.js></script><p id=p>-</p><script>fetch('/step').then(r=>r.text()).then(x=>p.textContent=x)</script>`),
	})
	if e := b.MustClick(b.Ref("#chain")); !slices.Contains(e.Changes, "+ step 3") || e.Pending != "" {
		t.Errorf("chain: %+v", e)
	}
	if e := b.MustClick(b.Ref("#hang")); !strings.Contains(e.Pending, "/hang") {
		t.Errorf("hanging request: %+v", e)
	}
	b.JS(`(location = '/two', 1)`)
	if _, err := b.Settle.WaitFor(b.Ctx, settle.WaitOptions{URL: "/two"}); err != nil {
		t.Fatal(err)
	}
	e, err := b.Settle.WaitForStable(b.Ctx)
	if err != nil || e.Title != "Two" || !strings.Contains(b.Outline(), "step") {
		t.Errorf("after a navigation: %+v %v\n%s", e, err, b.Outline())
	}
}

// lateSession passes on the first answer of an operation late, once the function has returned.
type lateSession struct {
	cdp.Session
	operation string
	once      *sync.Once
	wait      func()
}

func (s lateSession) Call(ctx context.Context, method string, params, result any) error {
	err := s.Session.Call(ctx, method, params, result)
	if call, ok := params.(cdpruntime.CallFunctionOnParams); ok && string(call.Arguments[0].Value) == `"`+s.operation+`"` {
		s.once.Do(s.wait)
	}
	return err
}

// A request can end after the page is read and before the reading arrives.
func TestWaitForStableReadsAgainAfterARequest(t *testing.T) {
	answer := make(chan struct{})
	b := pagetest.Open(t, map[string]any{
		"/":     `<button onclick="go()">Go</button><p id=out>-</p><script>async function go() { out.textContent = await (await fetch('/text')).text() }</script>`,
		"/text": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { <-answer; fmt.Fprint(w, "the answer") }),
	})
	tab := *b
	b.UseSession(lateSession{b.Session, "waitForStable", new(sync.Once), func() {
		close(answer)
		if _, err := tab.Settle.WaitForFunction(tab.Ctx, powertest.Script, "out.textContent == 'the answer'"); err != nil {
			t.Error(err)
		}
	}})
	if e := b.MustClick(b.Ref("button")); !slices.Contains(e.Changes, "+ the answer") || e.Pending != "" {
		t.Errorf("%+v", e)
	}
}

// A page that polls must not delay an action.
func TestClickIgnoresPolling(t *testing.T) {
	var hang atomic.Bool
	b := pagetest.Open(t, map[string]any{
		"/": `<button type=button onclick="this.textContent='Done'">Do</button>
<script>polls = 0; setInterval(() => fetch('/news').then(() => polls++), 20)</script>`,
		"/news": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if hang.Load() {
				<-r.Context().Done()
			}
		}),
	})
	ref := b.Ref("button")
	if _, err := b.Settle.WaitForFunction(b.Ctx, powertest.Script, "polls > 5"); err != nil {
		t.Fatal(err)
	}
	hang.Store(true)
	if e := b.MustClick(ref); e.Element.Name != "Done" || e.Pending != "" {
		t.Errorf("%+v", e)
	}
}

// The owner of the tab ends the context when a dialog opens: the click must return although the
// page is blocked, and no button may stay pressed.
func TestClickThatOpensDialog(t *testing.T) {
	b := pagetest.Show(t, `<button id=b onclick="alert('Stop'); document.title='after'">Alert</button><button id=c onclick="document.title='next'">Next</button>`)
	ref, next := b.Ref("#b"), b.Ref("#c")
	ctx, cancel := context.WithCancelCause(b.Ctx)
	opened := errors.New("a dialog opened")
	events, stop := b.Session.Subscribe(cdppage.JavascriptDialogOpening.Method)
	defer stop()
	go func() {
		if _, ok := <-events; ok {
			cancel(opened)
		}
	}()
	_, err := b.Widget.Click(ctx, input.Target{Ref: ref}, input.ClickOptions{})
	if !errors.Is(context.Cause(ctx), opened) || err == nil {
		t.Fatal(err)
	}
	if _, err := cdp.Call(b.Ctx, b.Session, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: true}); err != nil {
		t.Fatal(err)
	}
	if e := b.MustClick(next); e.Title != "next" {
		t.Errorf("the next click: %+v", e)
	}
}

// Text waits until it is visible, TextGone until it is not.
func TestWaitForVisibleText(t *testing.T) {
	b := pagetest.Show(t, `<p id=toast style="opacity:0">Saved<br>well</p><h1><span style="display:inline-block">W</span><span style="display:inline-block">ow</span></h1>`)
	if _, err := b.Settle.WaitFor(b.Ctx, settle.WaitOptions{Text: "wow"}); err != nil {
		t.Error(err)
	}
	var late *settle.WaitTimeoutError
	if _, err := b.Settle.WaitFor(b.WithTimeout(400*time.Millisecond), settle.WaitOptions{Text: "saved well"}); !errors.As(err, &late) {
		t.Errorf("a transparent text was seen: %v", err)
	}
	if _, err := b.Settle.WaitFor(b.Ctx, settle.WaitOptions{TextGone: "saved well"}); err != nil {
		t.Error(err)
	}
	b.JS(`(toast.style.opacity = 1)`)
	if _, err := b.Settle.WaitFor(b.Ctx, settle.WaitOptions{Text: "saved well"}); err != nil {
		t.Error(err)
	}
}

// A click reports what the page does in the frames that it requests. A page that requests every
// frame does not delay it.
func TestEffectFollowsAnimationFrames(t *testing.T) {
	b := pagetest.Show(t, `<button id=raf onclick="requestAnimationFrame(()=>requestAnimationFrame(()=>out.textContent='Drawn'))">Later</button>
<button id=timer onclick="setTimeout(()=>out.textContent='Timed',0)">Timer</button>
<button id=task onclick="const c=new MessageChannel;c.port1.onmessage=()=>out.textContent='Posted';c.port2.postMessage(0)">Task</button>
<button id=loop onclick="(function f(){requestAnimationFrame(f)})()">Loop</button><p id=out></p>`)
	for range 5 {
		for css, want := range map[string]string{"#raf": "+ Drawn", "#timer": "+ Timed", "#task": "+ Posted"} {
			b.JS(`out.textContent=''`)
			if e := b.MustClick(b.Ref(css)); !slices.Contains(e.Changes, want) {
				t.Errorf("%s: %+v", css, e)
			}
		}
	}
	b.MustClick(b.Ref("#loop"))
	if e := b.MustClick(b.Ref("#timer")); !slices.Contains(e.Changes, "+ Timed") || e.Pending != "" {
		t.Errorf("beside a loop: %+v", e)
	}
}

// The report of an action names the element as it was, and what a person sees of its validation.
func TestEffectNamesWhatWasActedOn(t *testing.T) {
	b := pagetest.Show(t, `<button id=try onclick="this.textContent='Cancel'">Try it out</button>
<form><label>Email <input type=email required></label><button id=send>Send</button></form>
<div id=box style="display:none"><svg width=9 height=9><rect width=9 height=9 /></svg></div><button id=show onclick="box.style.display='block'">Show</button>`)
	if e := b.MustClick(b.Ref("#try")); !strings.HasPrefix(e.Element.Line(), `button "Try it out" [`) || !strings.HasSuffix(e.Element.Line(), `, now "Cancel"`) {
		t.Errorf("the name: %s", e.Element.Line())
	}
	if e := b.MustClick(b.Ref("#send")); !slices.Contains(e.Changes, `textbox "Email" is invalid: Please fill out this field.`) {
		t.Errorf("validation: %q", e.Changes)
	}
	if e := b.MustClick(b.Ref("#show")); len(e.Changes) != 0 {
		t.Errorf("a picture that appeared: %q", e.Changes)
	}
}

func TestEffectShowsNoScriptOfWhatLeft(t *testing.T) {
	b := pagetest.Show(t, `<div id=d>Draft <b>saved</b><script>var draft = 1</script><style>b{color:red}</style></div><button id=b onclick="d.remove();document.title=''">Discard</button>`)
	e := b.MustClick(b.Ref("#b"))
	if want := []string{"- Draft saved"}; !slices.Equal(e.Changes, want) {
		t.Errorf("changes %q, want %q", e.Changes, want)
	}
	b = pagetest.Show(t, `<p>All of it</p><button id=b onclick="document.documentElement.remove()">Clear</button>`)
	if e := b.MustClick(b.Ref("#b")); !slices.Contains(e.Changes, "- All of itClear") {
		t.Errorf("a document that was cleared: %q", e.Changes)
	}
}

// What a page draws anew in the same order is no change; another order, another text and what only left are.
func TestEffectOfAPageThatIsDrawnAnew(t *testing.T) {
	b := pagetest.Show(t, "")
	for script, want := range map[string]string{
		`l.innerHTML='<p>One<p>Two<p>Three'`:        "",
		`l.innerHTML='<p>One<p>Three'`:              "- Two",
		`l.innerHTML='<p>One<p>2<p>Three'`:          "+ 2 | - Two",
		`l.innerHTML='<p>Three<p>Two<p>One'`:        "+ Three | + Two | + One | - One | - Two | - Three",
		`l.innerHTML='<p>One<p>Two<p>Three<p>Four'`: "+ Four",
	} {
		b.Body(`<button id=b>Go</button><div id=l><p>One<p>Two<p>Three</div><script>b.onclick=()=>{` + script + `}</script>`)
		if got := strings.Join(b.MustClick(b.Ref("#b")).Changes, " | "); got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
}
