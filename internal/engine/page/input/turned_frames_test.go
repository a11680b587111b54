package input_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/proctest"
)

// turnedLeaf has its controls far from the corner, where a wrong place is outside of the frame or of the control.
const turnedLeaf = `<!doctype html><body style="margin:0"><div style="padding:60px 0 0 150px"><button style="width:40px;height:16px;padding:0;font-size:9px" onclick="this.textContent='Done'">Go</button>
<button style="width:40px;height:16px;padding:0;font-size:9px" onmouseenter="this.textContent='Over'">Aim</button></div>`

// TestTurnedFrames clicks and hovers in frames that their own styles, and those around them, scale, zoom and turn.
func TestTurnedFrames(t *testing.T) {
	const size = "width:300px;height:120px;border:5px solid;padding:7px;"
	at := pagetest.ServeHosts(t, map[string]string{
		"/leaf":  turnedLeaf,
		"/inner": `<!doctype html><div style="height:700px"></div><iframe style="` + size + `zoom:1.4" src="http://c.localhost:PORT/leaf"></iframe>`,
	})
	other := func(style string) string {
		return fmt.Sprintf(`<iframe style="%s%s" src="%s"></iframe>`, size, style, at("b.localhost", "/leaf"))
	}
	quote := func(s string) string { return strings.NewReplacer("&", "&amp;", "'", "&#39;").Replace(s) }
	b := pagetest.Show(t, "")
	type row struct{ name, body string }
	for _, c := range proctest.Rows([]row{
		{"turned", `<div style="padding:150px">` + other("transform:rotate(30deg)") + `</div>`},
		{"zoomed around", `<div style="zoom:.7;padding:50px">` + other("zoom:1.6") + `</div>`},
		{"turned around", `<div style="transform:rotate(90deg);width:320px;margin:120px;transform-origin:10px 90px">` + other("transform:skewX(20deg)") + `</div>`},
		{"below the fold", `<div style="height:2000px"></div>` + other("transform:rotate(20deg);margin:90px")},
		{"frame of a frame", fmt.Sprintf(`<iframe style="width:520px;height:300px;transform:scale(.8)" src="%s"></iframe>`, at("b.localhost", "/inner"))},
		{"in scaled srcdoc", `<div style="height:1500px"></div><iframe style="width:450px;height:250px;transform:scale(.8)" srcdoc='` + quote(`<body style="zoom:1.2"><div style="height:900px"></div>`+other("rotate:9deg;margin:60px")) + `'></iframe>`},
		{"sandboxed srcdoc", `<div style="padding:150px"><iframe sandbox="allow-scripts" style="` + size + `transform:rotate(30deg)" srcdoc='` + quote(turnedLeaf) + `'></iframe></div>`},
	}, []row{
		{"scaled", `<p>x</p>` + other("transform:scale(.6)")},
		{"turned by a property", `<div style="padding:150px">` + other("rotate:-60deg;scale:.8 1.2") + `</div>`},
		{"mirrored", other("transform:scaleX(-1)")},
		{"zoomed", other("zoom:1.3")},
		{"zoomed document", `<script>document.documentElement.style.zoom = 1.4</script>` + other("")},
		{"in turned parents", `<div style="scale:.5;width:500px"><div style="rotate:45deg;padding:200px">` + other("") + `</div></div>`},
		{"from right to left", `<div dir=rtl style="padding:90px">` + other("transform:scale(.7) rotate(15deg)") + `</div>`},
		{"turned at a corner", `<div style="padding:160px">` + other("transform-origin:100% 100%;transform:rotate(-40deg)") + `</div>`},
		{"moved and by a matrix", `<div style="padding:60px">` + other("translate:40px 30px;transform:matrix(.6,.2,-.2,.6,10,20)") + `</div>`},
		{"in srcdoc", `<div style="height:1500px"></div><iframe style="width:400px;height:200px" srcdoc='` + quote(`<div style="height:900px"></div>`+other("")) + `'></iframe>`},
		{"sandboxed and scaled", `<div style="height:900px"></div><div style="rotate:-20deg;padding:100px"><iframe sandbox="allow-scripts" style="` + size + `scale:.7" srcdoc='` + quote(turnedLeaf) + `'></iframe></div>`},
		{"in sandboxed srcdoc", `<div style="padding:100px"><iframe sandbox="allow-scripts" style="width:450px;height:250px;rotate:25deg" srcdoc='` + quote(other("")) + `'></iframe></div>`},
		{"of the page's own site", `<div style="padding:150px"><iframe style="` + size + `transform:rotate(30deg)" srcdoc='` + quote(turnedLeaf) + `'></iframe></div>`},
	}...) {
		b.Body(c.body)
		text := b.Outline()
		if _, err := b.Widget.Click(b.Ctx, input.Target{Ref: refAfter(t, text, `button "Go" [`)}, input.ClickOptions{}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := b.Mouse.Hover(b.Ctx, input.Target{Ref: refAfter(t, text, `button "Aim" [`)}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if text = b.Outline(); !strings.Contains(text, `button "Done"`) || !strings.Contains(text, `button "Over"`) {
			t.Errorf("%s: the page reads\n%s", c.name, text)
		}
	}
}

// TestFramesInPerspective refuses what is in a frame that perspective draws, at once: the place of a point is not known.
func TestFramesInPerspective(t *testing.T) {
	at := pagetest.ServeHosts(t, map[string]string{"/leaf": turnedLeaf})
	other := func(style string) string {
		return fmt.Sprintf(`<iframe style="width:300px;height:120px;%s" src="%s"></iframe>`, style, at("b.localhost", "/leaf"))
	}
	b := pagetest.Show(t, "")
	for _, body := range []string{
		`<div style="padding:60px">` + other("transform:perspective(200px) rotateX(40deg)") + `</div>`,
		`<div style="padding:60px;perspective:200px">` + other("rotate:y 40deg") + `</div>`,
		`<div style="padding:60px;perspective:300px"><div style="transform:translateZ(50px)">` + other("") + `</div></div>`,
		`<div style="padding:60px;transform:rotateY(30deg);transform-style:preserve-3d">` + other("transform:rotateY(30deg)") + `</div>`,
		`<div style="padding:60px;perspective:200px"><iframe style="width:300px;height:120px;transform:rotateY(40deg)" srcdoc='` + strings.ReplaceAll(turnedLeaf, "'", "&#39;") + `'></iframe></div>`,
	} {
		b.Body(body)
		b.NotActionable(refAfter(t, b.Outline(), `button "Go" [`), "perspective")
	}
	b.Body(`<div style="padding:60px">` + other("transform:rotateX(40deg)") + `</div>`)
	b.MustClick(refAfter(t, b.Outline(), `button "Go" [`))
}

// TestPressBesideItsFrame clicks while the browser takes a frame of another process for where it last drew it: it sends the
// press, the release or both to the page around the frame.
func TestPressBesideItsFrame(t *testing.T) {
	const away, back = `document.querySelector('.away').style.translate = '0 300px'`, `document.querySelector('.away').style.translate = ''`
	const drawn = `new Promise(f => { let n = 0; const next = () => n++ < 5 ? requestAnimationFrame(next) : f(n); next() })`
	const busy = `setTimeout(() => { const until = performance.now() + 150; while (performance.now() < until); })`
	leaf := `<!doctype html><body style="margin:0"><button id=b style="margin:40px">Go</button><script>n = 0; b.onclick = () => { b.textContent = 'Done ' + ++n }</script>`
	at := pagetest.ServeHosts(t, map[string]string{
		"/leaf": leaf, "/inner": `<!doctype html><iframe class=away style="width:200px;height:120px" src="http://c.localhost:PORT/leaf"></iframe>`,
	})
	frame := fmt.Sprintf(`<iframe class=away style="width:300px;height:150px" src="%s"></iframe>`, at("b.localhost", "/leaf"))
	b := pagetest.Show(t, "")
	for _, c := range []struct{ name, body, stray string }{
		{"the press", frame, "mousePressed"},
		{"the press, in a frame of the page's own", `<iframe style="width:400px;height:250px" srcdoc='` + strings.ReplaceAll(frame, "'", "&#39;") + `'></iframe>`, "mousePressed"},
		{"the press, in a frame of a frame", fmt.Sprintf(`<iframe class=away style="width:400px;height:250px" src="%s"></iframe>`, at("b.localhost", "/inner")), "mousePressed"},
		{"the release", frame, "mouseReleased"},
	} {
		b.Body(c.body)
		view := `window`
		if strings.Contains(c.body, "srcdoc") {
			view = `document.querySelector('iframe').contentWindow`
		}
		run := func(script string) { b.JS(view + `.eval(` + strconv.Quote(script) + `)`) }
		session := b.Session
		stray := hookedSession{session, "Input.dispatchMouseEvent", c.stray, new(sync.Once), func() { run(away); run(drawn); run(back + ";" + busy) }}
		b.UseSession(hookedSession{stray, "Input.dispatchMouseEvent", "mouseReleased", new(sync.Once), func() {
			if c.stray == "mousePressed" {
				run(drawn)
			}
		}})
		e, err := b.Widget.Click(b.Ctx, input.Target{Ref: refAfter(t, b.Outline(), `button "Go" [`)}, input.ClickOptions{})
		if text := b.Outline(); err != nil || !strings.Contains(text, `button "Done 1"`) {
			t.Errorf("%s strays: %v %+v; the page reads\n%s", c.name, err, e, text)
		}
		b.UseSession(session)
	}
}

// refAfter returns the ref that follows a line's beginning.
func refAfter(t *testing.T, text, line string) string {
	t.Helper()
	_, after, found := strings.Cut(text, line)
	ref, _, _ := strings.Cut(after, "]")
	if !found {
		t.Fatalf("no %s in\n%s", line, text)
	}
	return ref
}

// TestElementsWithoutABox clicks links and buttons that have no box of their own (display: contents).
func TestElementsWithoutABox(t *testing.T) {
	b := pagetest.Show(t, `<style>.c{display:contents}</style><p>See <a class=c href="#terms">the terms</a>, <span class=c role=button tabindex=0 onclick="log.push('span')">more</span>,
<button class=c onclick="log.push('button')">press</button>, <a class=c href="#bold"><b>bold</b> words</a>.</p><div style="height:2000px"></div>
<p style="width:60px">At the end <a class=c href="#long" onclick="log.push('long')">of several lines of text</a></p><script>log = []</script>`)
	text := b.Outline()
	for _, line := range []string{`link "the terms" [`, `button "more" [`, `button "press" [`, `link "bold words" [`, `link "of several lines of text" [`} {
		b.MustClick(refAfter(t, text, line))
	}
	if log := b.JS("log.join() + location.hash"); log != "span,button,long#long" {
		t.Errorf("the page saw %s", log)
	}
}

// TestDrawnEditorsByTheirField clicks fields without size, and fields below what their editor draws.
func TestDrawnEditorsByTheirField(t *testing.T) {
	const editor = `<div id=e style="position:relative;width:300px;height:100px">%s<div id=l style="position:absolute;inset:0;background:#fff;white-space:pre"></div></div>
<script>const f = document.querySelector('textarea,input'); e.onmousedown = (v) => { v.preventDefault(); f.focus() }; f.oninput = () => { l.textContent += f.value; f.value = '' }</script>`
	b := pagetest.Show(t, "")
	for name, field := range map[string]string{
		"tiny":        `<textarea aria-label=Code style="position:absolute;width:1px;height:1em;padding:0;border:0;opacity:0"></textarea>`,
		"clipped":     `<div style="overflow:hidden;position:relative;width:3px;height:0"><textarea aria-label=Code style="position:absolute;bottom:-1em;width:1000px;height:1em"></textarea></div>`,
		"transparent": `<textarea aria-label=Code style="position:absolute;width:300px;height:20px;opacity:0;z-index:-1"></textarea>`,
		"an input":    `<input aria-label=Code style="position:absolute;left:0;width:2px;border:0;padding:0;opacity:.01">`,
	} {
		b.Body(fmt.Sprintf(editor, field))
		if _, err := b.Widget.Click(b.Ctx, input.Target{Ref: refAfter(t, b.Outline(), `textbox "Code" [`)}, input.ClickOptions{}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := b.Keyboard.Type(b.Ctx, "abc"); err != nil || b.JS("l.textContent") != "abc" {
			t.Errorf("%s: %v; the editor shows %q", name, err, b.JS("l.textContent"))
		}
	}
}
