package input_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// TestClicksOnElementsThatMove clicks elements that never rest, beside others that must not be hit.
func TestClicksOnElementsThatMove(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<style>
		@keyframes go { from { left: 0 } to { left: 600px } } @keyframes shift { to { transform: translate(500px, 200px) } }
		.at { position: absolute; } button { width: 60px; height: 30px; padding: 0; }
		</style><div id=stage></div><script>log = []; onclick = e => log.push(e.target.id)
		function step(f) { const id = stage.dataset.run = Math.random() + ''; const go = t => { if (stage.dataset.run === id) { f(t); requestAnimationFrame(go) } }; requestAnimationFrame(go) }</script>`)
	run := func(code string) { b.JS("(() => {" + code + "; return 1 })()") }
	for _, row := range []struct{ name, body, script string }{
		{"an animation of left", `<button id=x class=at style="animation: go 2s linear infinite alternate">Go</button>`, ""},
		{"an animation of transform", `<button id=x class=at style="animation: shift 1.5s ease-in-out infinite alternate">Go</button>`, ""},
		{"a script at each frame", `<button id=x class=at>Go</button>`, "step(t => { x.style.left = 250 + 200 * Math.cos(t / 400) + 'px'; x.style.top = 220 + 200 * Math.sin(t / 400) + 'px' })"},
		{"a script at each second frame", `<button id=x class=at>Go</button>`, "n = 0; step(t => { if (n++ % 2) x.style.translate = (t / 5) % 600 + 'px' })"},
		{"a small one", `<button id=x class=at style="width: 16px; height: 16px; animation: go 3s linear infinite alternate">.</button>`, ""},
		{"one of a row that moves", `<div class=at style="animation: go 2s linear infinite alternate; white-space: nowrap"><button id=before>A</button><button id=x>B</button><button id=after>C</button></div>`, ""},
		{"past one that covers it at times", `<button id=x class=at style="animation: go 3s linear infinite alternate">Go</button><button id=cover class=at style="left: 300px; z-index: 1">Delete</button>`, ""},
		{"in a frame", `<iframe id=f srcdoc="<style>@keyframes go { from { left: 0 } to { left: 200px } } #x { position: absolute; animation: go 1s linear infinite alternate }</style><button id=x onclick='top.log.push(this.id)'>Go</button>"></iframe>`, ""},
	} {
		run("stage.innerHTML = " + strconv.Quote(row.body) + "; log.length = 0; stage.dataset.run = ''; " + row.script)
		css := "#x"
		if row.name == "in a frame" {
			b.JS("new Promise(done => { f.onload = () => done(1); if (f.contentDocument.getElementById('x')) done(1) })")
			css = "button"
		}
		ref := b.Ref(css)
		if row.name == "a small one" || css == "button" {
			b.NotActionable(ref, "moving: true")
		}
		if _, err := b.Mouse.Click(b.Ctx, input.Target{Ref: ref, Moving: true}, input.ClickOptions{}); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if log := b.JS("log.join()"); log != "x" {
			t.Errorf("%s: clicked %q", row.name, log)
		}
	}
	t.Run("no press hits it", func(t *testing.T) {
		run(`stage.innerHTML = '<button id=x class=at>Go</button>'; log.length = 0; step(t => { x.style.left = 100 + 300 * Math.random() + 'px'; x.style.top = 300 * Math.random() + 'px' })`)
		_, err := b.Mouse.Click(b.Ctx, input.Target{Ref: b.Ref("#x"), Moving: true}, input.ClickOptions{})
		var refused *document.NotActionableError
		if log := b.JS("log.join()"); log == "" && (!errors.As(err, &refused) || !strings.Contains(refused.Reason, "presses")) || log != "" && err != nil {
			t.Errorf("clicked %q, %v", log, err)
		}
	})
	t.Run("hovered", func(t *testing.T) {
		run(`stage.innerHTML = '<button id=x class=at style="animation: go 2s linear infinite alternate" onmouseenter="log.push(id)">Go</button>'; log.length = 0; stage.dataset.run = ''`)
		if _, err := b.Mouse.Hover(b.Ctx, input.Target{Ref: b.Ref("#x"), Moving: true}); err != nil || b.JS("log.includes('x')") != "true" {
			t.Errorf("hovered %s: %v", b.JS("log.join()"), err)
		}
	})
}
