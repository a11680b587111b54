package input_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

func TestClickRejectsNotActionable(t *testing.T) {
	b := pagetest.Show(t, `<style>@keyframes go { to { transform: translateX(900px) } }</style>
<button id=off disabled>Off</button><button id=hid style="visibility:hidden">Hid</button>
<button id=mov style="animation: go 15s infinite linear">Moving</button>
<div style="position:relative"><button id=cov>Covered</button>
<div role=dialog aria-label="Cookie notice" style="position:absolute;inset:0;background:#fff"><p>Hello</p></div></div>`)
	b.NotActionable(b.Ref("#off"), "disabled")
	b.NotActionable(b.Ref("#hid"), "visibility")
	b.NotActionable(b.Ref("#mov"), "moving")
	e := b.NotActionable(b.Ref("#cov"), "covers")
	if e.Covering == nil || e.Covering.Role != "dialog" || e.Covering.Name != "Cookie notice" {
		t.Errorf("covering: %+v", e.Covering)
	}
}

func TestClickWaitsUntilActionable(t *testing.T) {
	b := pagetest.Show(t, `<button id=late disabled onclick="document.title='clicked'">Late</button><div style="height:3000px"></div>
<button id=far onclick="document.title='far'">Far</button>
<div id=slide style="position:absolute;top:60px;left:0"><button id=s onclick="document.title='slid'">Slide</button></div>
<script>setTimeout(() => late.disabled = false, 150);
function run() { const t0 = performance.now(); (function step() { const t = performance.now()-t0; slide.style.left = Math.min(t, 300)+'px'; if (t<300) requestAnimationFrame(step) })() }</script>`)
	if e := b.MustClick(b.Ref("#late")); e.Title != "clicked" {
		t.Errorf("late: %+v", e)
	}
	if e := b.MustClick(b.Ref("#far")); e.Title != "far" {
		t.Errorf("far: %+v", e)
	}
	var e settle.Effect
	for range 3 { // a machine that draws no frame for a while may keep the pointer from it, and then says so
		ref := b.Ref("#s")
		b.JS(`run()`)
		if e = b.MustClick(ref); e.Title == "slid" {
			return
		}
		if !strings.Contains(strings.Join(e.Changes, " "), "no click came of it") {
			break
		}
	}
	t.Errorf("sliding: %+v", e)
}

func TestClickButtonsCountAndModifiers(t *testing.T) {
	b := pagetest.Show(t, `<button id=b>Target</button><script>window.log=[];
for (const type of ['mousedown','mouseup','click','dblclick','contextmenu','auxclick'])
  b.addEventListener(type, e => { log.push(type+e.button+(e.shiftKey?'S':'')+(e.isTrusted?'':'!')); e.preventDefault() })</script>`)
	ref := b.Ref("#b")
	for _, c := range []struct {
		options input.ClickOptions
		want    string
	}{
		{input.ClickOptions{}, "mousedown0,mouseup0,click0"},
		{input.ClickOptions{Count: 2}, "mousedown0,mouseup0,click0,mousedown0,mouseup0,click0,dblclick0"},
		{input.ClickOptions{Button: input.ButtonRight}, "mousedown2,contextmenu2,mouseup2,auxclick2"},
		{input.ClickOptions{Modifiers: []string{"Shift"}}, "mousedown0S,mouseup0S,click0S"},
	} {
		b.JS(`(log.length = 0)`)
		if _, err := b.Widget.Click(b.Ctx, input.Target{Ref: ref}, c.options); err != nil {
			t.Fatal(err)
		}
		if got := b.JS(`log.join()`); got != c.want {
			t.Errorf("%+v: %s, want %s", c.options, got, c.want)
		}
	}
	if _, err := b.Widget.Click(b.Ctx, input.Target{Ref: ref}, input.ClickOptions{Modifiers: []string{"Cntrol"}}); err == nil || !strings.Contains(err.Error(), `"Control"`) {
		t.Errorf("bad modifier: %v", err)
	}
	box, err := b.Document.Describe(b.Ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	e, err := b.Widget.Click(b.Ctx, input.Target{Point: &document.Point{X: box.Box.X + 3, Y: box.Box.Y + 3}}, input.ClickOptions{})
	if err != nil || e.Element == nil || e.Element.Ref != ref {
		t.Errorf("click at a point: %+v %v", e, err)
	}
}

func TestClickReportsTheEffect(t *testing.T) {
	b := pagetest.Show(t, `<button id=m aria-expanded=false onclick="this.setAttribute('aria-expanded','true'); menu.hidden=false">Menu</button>
<div id=menu role=menu aria-label=File hidden><div role=menuitem>Open</div></div>
<button id=s onclick="out.textContent='Saved 3 files'">Save</button><div id=out role=status></div>
<button id=d onclick="row.remove()">Delete</button><p id=row>Row seven</p>
<button id=k onclick="this.textContent='Count '+ ++n">Count 0</button><button id=g onclick="this.remove()">Vanish</button>
<button id=v onclick="document.querySelector('dialog').showModal()">Ask</button><dialog aria-label=Sure><button>Yes</button></dialog>
<script>n=0</script>`)
	changes := func(css string, want ...string) settle.Effect {
		t.Helper()
		e := b.MustClick(b.Ref(css))
		for _, w := range want {
			if !slices.Contains(e.Changes, w) {
				t.Errorf("%s: %q lacks %q", css, e.Changes, w)
			}
		}
		return e
	}
	changes("#m", `button "Menu" expanded`, `menu "File" shown`)
	changes("#s", "status: Saved 3 files")
	changes("#d", "- Row seven")
	if e := changes("#k", "+ Count 1"); e.Element.Name != "Count 1" {
		t.Errorf("counter: %+v", e.Element)
	}
	if e := changes("#g"); !e.Detached {
		t.Errorf("vanished: %+v", e)
	}
	if e := changes("#v", `dialog "Sure" opened`); e.Focus == nil || e.Focus.Name != "Yes" {
		t.Errorf("dialog: %+v", e.Focus)
	}
}

func TestEffectIsLimited(t *testing.T) {
	b := pagetest.Show(t, `<button onclick="for (let i=0;i<500;i++) document.body.append(Object.assign(document.createElement('p'),{textContent:'Zeile „'+i+'“ '+'x'.repeat(300)}))">Flood</button>`)
	e := b.MustClick(b.Ref("button"))
	if size := len(strings.Join(e.Changes, "")); size == 0 || size > 500 || len(e.Changes) > 8 {
		t.Errorf("%d bytes in %d lines", size, len(e.Changes))
	}
}

func TestClickThatNavigates(t *testing.T) {
	b := pagetest.Open(t, map[string]any{
		"/": `<title>One</title><a href=/slow>Go</a><a id=hash href="#part">Hash</a><a id=none href=/none>None</a>
<a id=file href=/file>File</a><button id=push onclick="history.pushState(0,'','/pushed')">Push</button>`,
		"/slow": pagetest.RespondAfter(200*time.Millisecond, `<title>Two</title><h1>Arrived</h1>`),
		"/none": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
		"/file": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Disposition", "attachment; filename=x.bin")
			fmt.Fprint(w, "data")
		}),
	})
	if e := b.MustClick(b.Ref("#hash")); !e.Navigated || e.NewDocument || !strings.HasSuffix(e.URL, "#part") {
		t.Errorf("hash: %+v", e)
	}
	if e := b.MustClick(b.Ref("#push")); !e.Navigated || e.NewDocument || !strings.HasSuffix(e.URL, "/pushed") {
		t.Errorf("push: %+v", e)
	}
	for _, css := range []string{"#none", "#file"} {
		if e := b.MustClick(b.Ref(css)); e.Navigated || e.Pending != "" {
			t.Errorf("%s: %+v", css, e)
		}
	}
	e := b.MustClick(b.Ref("a[href='/slow']"))
	if !e.Navigated || !e.NewDocument || e.Title != "Two" || !strings.HasSuffix(e.URL, "/slow") || e.Element.Name != "Go" {
		t.Errorf("slow: %+v", e)
	}
	if text := b.Outline(); !strings.Contains(text, "Arrived") {
		t.Errorf("reading:\n%s", text)
	}
}

func TestClickWaitsForFetch(t *testing.T) {
	b := pagetest.Open(t, map[string]any{
		"/":     `<button onclick="fetch('/data').then(r=>r.text()).then(x=>out.textContent=x)">Load</button><p id=out>Waiting</p>`,
		"/data": pagetest.RespondAfter(400*time.Millisecond, "Loaded"),
	})
	if e := b.MustClick(b.Ref("button")); !slices.Contains(e.Changes, "+ Loaded") || e.Pending != "" {
		t.Errorf("%+v", e)
	}
}

func TestHoverAndScroll(t *testing.T) {
	b := pagetest.Show(t, `<style>#tip{display:none;position:absolute} #h:hover + #tip{display:block}</style><button id=h>Hover me</button><p id=tip>The tip</p>
<div style="height:4000px"></div><button id=end>End</button>`)
	if _, err := b.Mouse.Hover(b.Ctx, input.Target{Ref: b.Ref("#h")}); err != nil {
		t.Fatal(err)
	}
	if text := b.Outline(); !strings.Contains(text, "The tip") {
		t.Errorf("after hovering:\n%s", text)
	}
	e, err := b.Mouse.Scroll(b.Ctx, input.Target{}, 0, 500)
	if err != nil || b.JS("Math.round(scrollY)") != "500" || !strings.HasPrefix(e.Scrolled, "scrolled 500 px down, now 500 of ") {
		t.Errorf("scrolled to %s: %+v %v", b.JS("scrollY"), e, err)
	}
	if _, err := b.Mouse.ScrollIntoView(b.Ctx, b.Ref("#end")); err != nil || b.MustRead(read.Options{}).Scroll.Y < 2000 {
		t.Errorf("not scrolled to the end: %v", err)
	}
}

// What covers an element while the pointer hovers elsewhere goes when the pointer leaves.
func TestClickBelowHoverCards(t *testing.T) {
	const layout = `<style>body{margin:0}#h{position:absolute;top:0;width:100px;height:30px;background:#ccc}#c{position:absolute;top:0;left:0;width:200px;height:200px;background:#eee}
#c:not(.on){display:none}#a{position:absolute;top:60px}</style><button id=a onclick="document.title='hit'">Target</button>`
	b := pagetest.Show(t, "")
	for name, body := range map[string]string{
		"of a rule":        `<style>#h:hover #c{display:block}</style><div id=h tabindex=0>Hover<div id=c></div></div>`,
		"of listeners":     `<div id=h tabindex=0>Hover</div><div id=c></div><script>h.onmouseenter=()=>c.className='on';h.onmouseleave=()=>c.className=''</script>`,
		"that closes late": `<div id=h tabindex=0>Hover</div><div id=c></div><script>h.onmouseenter=()=>c.className='on';c.onmouseleave=()=>setTimeout(()=>c.className='',200)</script>`,
	} {
		b.Body(layout + body)
		if _, err := b.Mouse.Hover(b.Ctx, input.Target{Ref: b.Ref("#h")}); err != nil {
			t.Fatal(err)
		}
		if e := b.MustClick(b.Ref("#a")); e.Title != "hit" {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
