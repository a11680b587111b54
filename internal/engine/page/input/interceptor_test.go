package input_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpinput "github.com/chromedp/cdproto/input"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

const swapFixture = `<div id=row><button id=a>Alpha</button><button id=b>Beta</button></div>
<script>window.log=[]; for (const t of ['pointerdown','mousedown','click','keydown','input']) document.addEventListener(t, e => log.push(t+' '+(e.target.textContent||e.target.id)))</script>`

// The pointer's move to an element can move another one under it.
func TestClickHitsOnlyItsTarget(t *testing.T) {
	b := pagetest.Show(t, swapFixture+`<script>let n=0; row.onmousemove = () => { if (n++ < 2) row.append(row.firstElementChild) }</script>`)
	e := b.MustClick(b.Ref("#a"))
	got := b.JS(`log.join()`)
	if strings.Contains(got, "Beta") || !strings.HasPrefix(got, "pointerdown Alpha,mousedown Alpha") {
		t.Errorf("the page saw %s", got)
	}
	if !strings.Contains(got, "click Alpha") && !strings.Contains(strings.Join(e.Changes, " "), "no click came of it") {
		t.Errorf("the page saw %s, and the effect is %+v", got, e)
	}
}

// An element may contain other controls.
func TestClickAvoidsNestedControls(t *testing.T) {
	tab := pagetest.Show(t, "")
	for name, c := range map[string]struct{ body, want string }{
		"tree": {`<ul role=tree><li role=treeitem tabindex=0 data-k=it id=it>Parent<ul role=group>` +
			strings.Repeat(`<li role=treeitem tabindex=-1 data-k=child>Child</li>`, 9) + `</ul></li></ul>`, "it"},
		"label": {`<label for=it data-k=it style="display:block;width:400px;text-align:center">Yes, <a href="#terms" data-k=terms>I accept the terms of use and all that they say</a>.</label>
<input id=it data-k=it type=checkbox style="position:absolute;opacity:0;width:0;height:0">`, "it,it"},
		"card": {`<div id=it data-k=it role=button tabindex=0 style="width:300px;height:90px;padding:5px"><button data-k=delete style="width:100%;height:80%">Delete</button></div>`, "it"},
		"shown by hovering": {`<style>#d{display:none;position:absolute;left:100px;top:20px;width:100px;height:50px}#it:hover #d{display:block}</style>
<div id=it data-k=it role=button aria-label=Card tabindex=0 style="position:relative;width:300px;height:90px">Card<button id=d data-k=delete>Delete</button></div>`, "it"},
		"nothing but controls": {`<div id=it data-k=it tabindex=0 style="width:200px"><button data-k=inner style="width:100%;height:60px">Inner</button></div>`, "inner"},
	} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, c.body+`<script>log=[]; document.addEventListener('click', e => log.push(e.target.closest('[data-k]')?.dataset.k), true)</script>`)
			b.MustClick(b.Ref("#it"))
			if got := b.JS(`log.join()`); got != c.want {
				t.Errorf("clicked %s, want %s", got, c.want)
			}
		})
	}
}

// hookedSession runs a hook, once, right before an input is sent.
type hookedSession struct {
	cdp.Session
	method, kind string
	once         *sync.Once
	hook         func()
}

func (s hookedSession) Call(ctx context.Context, method string, params, result any) error {
	if mouse, _ := params.(cdpinput.DispatchMouseEventParams); method == s.method && string(mouse.Type) == s.kind {
		s.once.Do(s.hook)
	}
	return s.Session.Call(ctx, method, params, result)
}

// runBeforeInput runs the script, and lets the page draw, right before the first press or text.
func runBeforeInput(b *pagetest.Tab, method, kind, script string) {
	b.UseSession(hookedSession{b.Session, method, kind, new(sync.Once), func() { b.JS(`(` + script + `)`) }})
}

// A frame that covers the target takes its cdpinput. A frame of another origin cannot be intercepted:
// the click fails.
func TestClickReportsCoveringFrame(t *testing.T) {
	tab := pagetest.Show(t, "")
	for name, c := range map[string]struct{ sandbox, want string }{"same origin": {"", "pointerdown Beta,mousedown Beta,click Beta"}, "other origin": {"sandbox=allow-scripts", "frame"}} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, swapFixture+`<style>#row{margin-left:50vw}</style><iframe id=f `+c.sandbox+` srcdoc="<body style='margin:0;height:100vh' onpointerdown='parent.postMessage(1,&quot;*&quot;)'>"
style="position:fixed;top:0;left:-95vw;width:100vw;height:100vh"></iframe><script>addEventListener('message', () => log.push('frame'))</script>`)
			runBeforeInput(b, "Input.dispatchMouseEvent", "mousePressed", `f.style.left = 0, f.sandbox.length || setTimeout(() => f.style.left = '-95vw', 900), new Promise(done => setTimeout(done, 500)).then(() => 0)`)
			_, err := b.Widget.Click(b.Ctx, input.Target{Ref: b.Ref("#b")}, input.ClickOptions{})
			if _, refused := errors.AsType[*document.NotActionableError](err); refused != (c.sandbox != "") {
				t.Errorf("clicking gives %v", err)
			}
			b.JS(`new Promise(done => setTimeout(done, 50))`)
			if got := b.JS(`log.join()`); got != c.want {
				t.Errorf("the page saw %q", got)
			}
		})
	}
}

// Text that arrived nowhere was not set.
func TestSetValueReportsLostText(t *testing.T) {
	b := pagetest.Show(t, `<div id=box><input id=i aria-label=I></div>`)
	runBeforeInput(b, "Input.insertText", "", `box.append(i), new Promise(done => setTimeout(done, 120))`) // what is moved loses the focus
	_, err := b.Widget.SetValue(b.Ctx, b.Ref("#i"), "words")
	var no *document.NotEditableError
	if !errors.As(err, &no) || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("set with %v, and the field has %q", err, b.JS(`i.value`))
	}
	if e := b.MustSet(b.Ref("#i"), "words"); e.Element.Value != "words" {
		t.Errorf("%+v", e.Element)
	}
}

func TestClickFailsOnMovingTarget(t *testing.T) {
	b := pagetest.Show(t, swapFixture+`<div id=cover role=dialog aria-label=Trap style="position:fixed;inset:0;display:none"><b>Trap</b></div>
<script>row.onmousemove = () => { cover.style.display = 'block' }; cover.onmouseleave = null;
setInterval(() => { cover.style.display = 'none' }, 150)</script>`)
	_, err := b.Widget.Click(b.WithTimeout(3*time.Second), input.Target{Ref: b.Ref("#a")}, input.ClickOptions{})
	var blocked *document.NotActionableError
	if err == nil {
		if got := b.JS(`log.join()`); strings.Contains(got, "Beta") || strings.Contains(got, "Trap") {
			t.Errorf("the page saw %s", got)
		}
		return
	}
	if !errors.As(err, &blocked) && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("refused with %v", err)
	}
	if got := b.JS(`log.join()`); strings.Contains(got, "click") && !strings.Contains(got, "click Alpha") || strings.Contains(got, "Trap") {
		t.Errorf("the page saw %s", got)
	}
}

// A cancelled call releases its keys and buttons, and the next call works.
func TestCancelReleasesKeysAndButtons(t *testing.T) {
	b := pagetest.Show(t, `<style>.i{width:80px;height:30px;border:1px solid}</style><div class=i id=a draggable=true>A</div><div class=i id=z>Z</div><input id=f>
<script>window.keys=new Set; window.held=-1; addEventListener('mousemove',e=>held=e.buttons,true);
addEventListener('keydown',e=>keys.add(e.code),true); addEventListener('keyup',e=>keys.delete(e.code),true);</script>`)
	a, z := b.Ref("#a"), b.Ref("#z")
	for _, limit := range []time.Duration{5, 15, 30, 60, 120} {
		ctx, cancel := context.WithTimeout(b.Ctx, limit*time.Millisecond)
		_, _ = b.Mouse.Drag(ctx, input.Target{Ref: a}, input.Target{Ref: z}, input.DragOptions{Steps: 30})
		cancel()
	}
	b.MustClick(b.Ref("#f"))
	for _, limit := range []time.Duration{1, 3, 6} {
		ctx, cancel := context.WithTimeout(b.Ctx, limit*time.Millisecond)
		_, _ = b.Keyboard.Press(ctx, "Control+Shift+a Control+b")
		cancel()
	}
	if _, err := b.Keyboard.Press(b.Ctx, "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Mouse.Hover(b.Ctx, input.Target{Ref: z}); err != nil {
		t.Fatal(err)
	}
	if got := b.JS(`held+' '+keys.size`); got != "0 0" {
		t.Errorf("still down: %s", got)
	}
	if got := b.JS(`f.value`); got != "x" {
		t.Errorf("typed %q: a modifier is held", got)
	}
}
