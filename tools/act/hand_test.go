package act_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveBodies returns a client, and a function that serves a body in place of the one before and opens it.
func serveBodies(t *testing.T) (c tooltest.Client, show func(body string)) {
	t.Helper()
	shown := ""
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><title>Hand</title><link rel=icon href=data:,><style>body{margin:0}</style>" + shown + "<p role=status id=out></p>"))
	}))
	t.Cleanup(site.Close)
	c = tooltest.Connect(t, toolkit.Options{AllTools: true})
	return c, func(body string) { shown = body; c.Call("navigate", tooltest.Args{"url": site.URL}) }
}

func act(steps ...step) tooltest.Args { return tooltest.Args{"steps": steps} }

// Keys after a press on a canvas go to the document, which has the focus then; without such a press text goes nowhere.
func TestKeysAfterAPressOnACanvas(t *testing.T) {
	t.Parallel()
	c, show := serveBodies(t)
	const canvas = `<canvas id=k width=300 height=200></canvas><input id=i style="display:none"><script>log = []; addEventListener('keydown', e => log.push(e.key))</script>`
	show(canvas)
	c.ExpectRefusal("NOT_ACTIONABLE", "computer", tooltest.Args{"action": "type", "text": "ab"}, "nothing is focused")
	c.Expect("act", act(step{"action": "click", "coordinate": []int{50, 50}}, step{"action": "type", "value": "ab"}, step{"action": "key", "value": "Enter"}),
		"typed into the page", "pressed Enter in the page")
	c.Expect("computer", tooltest.Args{"action": "type", "text": "c"}, "typed")
	c.ExpectScript("log.join()", "a,b,Enter,c")
	show(`<button style="position:absolute;top:0;left:0;width:99px;height:99px" onclick="this.remove()">Close</button>` + canvas)
	c.ExpectRefusal("NOT_ACTIONABLE", "act", act(step{"action": "click", "coordinate": []int{50, 50}}, step{"action": "type", "value": "ab"}), "nothing is focused")
}

// The tasks need a hand: each is done in at most five calls.
func TestStepsDoWhatAHandDoes(t *testing.T) {
	t.Parallel()
	c, show := serveBodies(t)
	for _, task := range handTasks() {
		show(task.body)
		for i, call := range task.calls {
			if i == 5 {
				t.Fatalf("%s: more than five calls", task.name)
			}
			if said := tooltest.Text(c.Do("act", call)); strings.Contains(said, "failed") {
				t.Errorf("%s: %s", task.name, said)
			}
		}
		if got := c.Call("javascript_tool", tooltest.Args{"code": "out.textContent"}); got != task.want {
			t.Errorf("%s: the page says %q, want %q", task.name, got, task.want)
		}
	}
}

type handTask struct {
	name, body, want string
	calls            []tooltest.Args
}

func handTasks() []handTask {
	return []handTask{
		{name: "hold three seconds", want: "held", body: `<button id=b>Hold me</button><script>let at; b.onpointerdown = () => at = performance.now();
b.onpointerup = () => out.textContent = performance.now() - at >= 3000 ? 'held' : 'let go' </script>`,
			calls: []tooltest.Args{act(step{"action": "hold", "query": "Hold me", "ms": 3100})}},
		{name: "hold a key", want: "moving true, let go", body: `<input id=f aria-label=Track><script>let n = 0, down = 0; f.onkeydown = (e) => { if (e.key === 'ArrowRight') e.repeat ? n++ : down++ };
f.onkeyup = () => out.textContent = 'moving ' + (n > 3 && down === 1) + ', let go'</script>`,
			calls: []tooltest.Args{act(step{"action": "hold", "query": "Track", "value": "ArrowRight", "ms": 1000})}},
		// A busy browser tells several moves as one event.
		{name: "herd by moving", want: "at the fold", body: `<div id=sheep style="position:absolute;left:100px;top:100px;width:20px;height:20px;background:green"></div><script>
let x = 100, y = 100;
onpointermove = (e) => e.getCoalescedEvents().forEach((m) => { if (e.buttons) return out.textContent = 'pressed'; const dx = x + 10 - m.clientX, dy = y + 10 - m.clientY, d = Math.hypot(dx, dy);
  if (d > 60 || !d) return; x += dx / d * 6; y += dy / d * 6; sheep.style.left = x + 'px'; sheep.style.top = y + 'px'; if (x > 300) out.textContent = 'at the fold' })</script>`,
			calls: []tooltest.Args{act(step{"action": "mouse", "path": [][]float64{{20, 110}, {340, 110, 1500}}})}},
		{name: "stack blocks by waypoints", want: "stacked c,a", body: stacking,
			calls: []tooltest.Args{act(
				step{"action": "drag", "coordinate": []int{30, 230}, "path": [][]float64{{30, 60, 200}, {320, 60, 200}, {320, 230, 200}}, "ms": 300},
				step{"action": "drag", "selector": "#a", "path": [][]float64{{130, 60}, {320, 60}, {320, 190}}, "ms": 300})}},
		// A ball falls a step with each move, and the next one after it.
		{name: "catch on a canvas", want: "caught 3", body: `<canvas id=k width=400 height=200 aria-label=Game></canvas><script>let moves = 0, caught = 0;
k.onpointermove = (e) => e.getCoalescedEvents().forEach((m) => { if (++moves % 25) return; const at = [50, 350, 200][moves / 25 - 1]; if (Math.abs(m.clientX - k.offsetLeft - at) < 30) caught++; out.textContent = 'caught ' + caught })</script>`,
			calls: []tooltest.Args{act(step{"action": "mouse", "path": [][]float64{{50, 20}, {50, 120, 480}, {350, 120}, {350, 20, 288}, {200, 20}, {200, 120, 400}}})}},
		{name: "a carousel that turns each second", want: "took Slide 3", body: `<h2 id=s>Slide 1</h2><button onclick="out.textContent = 'took ' + s.textContent">Take</button><script>let n = 1; setInterval(() => s.textContent = 'Slide ' + (n = n % 4 + 1), 1000)</script>`,
			calls: []tooltest.Args{act(step{"action": "repeat", "value": "took Slide 3", "times": 5}, step{"action": "wait", "value": "Slide 3"}, step{"action": "click", "query": "Take"})}},
		{name: "a code shown for two seconds", want: "right", body: `<button id=b>Show the code</button><b id=code></b><label>Code <input id=f></label><button id=c>Check</button><script>
b.onclick = () => { code.textContent = 'K-' + Math.floor(1000 + Math.random() * 9000); b.dataset.code = code.textContent; setTimeout(() => code.textContent = '', 2000) };
c.onclick = () => out.textContent = f.value === b.dataset.code ? 'right' : 'wrong' </script>`,
			calls: []tooltest.Args{act(step{"action": "click", "query": "Show the code"}, step{"action": "read", "selector": "#code", "as": "code"},
				step{"action": "set", "query": "Code", "value": "{{code}}"}, step{"action": "click", "query": "Check"})}},
		{name: "a card that moves", want: "caught", body: `<button id=k style="position:absolute;top:100px;left:0">Card</button><script>let x = 0, by = 4;
const move = () => { x += by; if (x > 500 || x < 0) by = -by; k.style.left = x + 'px'; requestAnimationFrame(move) }; move(); k.onclick = () => out.textContent = 'caught'</script>`,
			calls: []tooltest.Args{act(step{"action": "click", "query": "Card", "moving": true})}},
		{name: "a slider that acts on release", want: "set 70", body: `<div id=track style="position:relative;width:200px;height:20px;background:#ddd"><div id=h role=slider tabindex=0 aria-label=Level aria-valuenow=0 style="position:absolute;left:0;width:20px;height:20px;background:#000"></div></div><script>
let down = 0, x = 0, at = 0; h.onpointerdown = (e) => { down = 1; h.setPointerCapture(e.pointerId) };
h.onpointermove = (e) => { if (down && e.clientX !== x) { x = e.clientX; at = performance.now(); h.style.left = x - 10 + 'px' } };
h.onpointerup = () => { down = 0; out.textContent = performance.now() - at > 250 ? 'set ' + Math.round(x / 2) : 'let go too soon' }</script>`,
			calls: []tooltest.Args{act(step{"action": "drag", "query": "Level", "to": "140,10", "ms": 400})}},
		{name: "a range selected in text", want: "jumps over the lazy dog", body: `<p>The quick <b>brown</b> fox jumps over
the <i>lazy</i> dog and runs away. The dog sleeps.</p><script>onmouseup = () => out.textContent = getSelection().toString().trim()</script>`,
			calls: []tooltest.Args{act(step{"action": "select_text", "value": "jumps over", "to": "lazy dog"})}},
		{name: "a range selected in a field", want: "bc de", body: `<textarea id=f aria-label=Notes>ab bc de ef</textarea><script>f.onselect = () => out.textContent = f.value.slice(f.selectionStart, f.selectionEnd)</script>`,
			calls: []tooltest.Args{act(step{"action": "select_text", "query": "Notes", "value": "bc", "to": "de"})}},
		{name: "62 clicks in a known order", want: "62 in order", body: `<div id=g></div><script>let n = 0, wrong = 0;
for (let i = 0; i < 10; i++) g.insertAdjacentHTML('beforeend', '<button>Key ' + i + '</button>');
g.onclick = (e) => { if (e.target.textContent !== 'Key ' + n * 7 % 10) wrong++; n++; out.textContent = n + (wrong ? ' with ' + wrong + ' wrong' : ' in order') }</script>`,
			calls: []tooltest.Args{act(keys(0, 60)...), act(append([]step{{"action": "repeat", "times": 1}}, keys(60, 62)...)...)}},
	}
}

// keys are the clicks from one number to another.
func keys(from, to int) (steps []step) {
	for n := from; n < to; n++ {
		steps = append(steps, step{"action": "click", "query": fmt.Sprintf("Key %d", n*7%10)})
	}
	return steps
}

// stacking has a wall between the blocks and the stack: a block that touches it falls back.
const stacking = `<style>.k{position:absolute;width:40px;height:40px;background:teal}#w{position:absolute;left:190px;top:100px;width:20px;height:200px;background:#333}</style>
<div id=w></div><div class=k id=c style="left:10px;top:210px">c</div><div class=k id=a style="left:110px;top:210px">a</div><script>
let held = null, dx, dy, home, still = 0; const stack = [];
onmousedown = (e) => { held = e.target.closest('.k'); if (!held) return; e.preventDefault(); const r = held.getBoundingClientRect(); dx = e.clientX - r.left; dy = e.clientY - r.top; home = [r.left, r.top] };
onmousemove = (e) => { if (!held) return; still = performance.now(); held.style.left = e.clientX - dx + 'px'; held.style.top = e.clientY - dy + 'px';
  const r = held.getBoundingClientRect(); if (r.right > 190 && r.left < 210 && r.bottom > 100) { held.style.left = home[0] + 'px'; held.style.top = home[1] + 'px'; held = null } };
onmouseup = () => { if (!held) return; const r = held.getBoundingClientRect(), k = held; held = null;
  if (performance.now() - still >= 0 && Math.abs(r.left - 300) < 15 && Math.abs(r.top - (210 - 40 * stack.length)) < 15) { stack.push(k.id); document.querySelector('#out').textContent = 'stacked ' + stack } };
</script>`

// Steps may wait, branch, repeat, and use what earlier ones gave.
func TestStepsBranchRepeatAndRemember(t *testing.T) {
	t.Parallel()
	c, show := serveBodies(t)
	if err := os.WriteFile(filepath.Join(c.Output, "a.txt"), []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	show(`<button id=n onclick="out.textContent = 'count ' + ++k; s.textContent = k > 2 ? 'Done' : ''">Next</button><b id=s></b><b id=code>47-11</b><label>Code <input id=f></label>
<label>File <input type=file id=u onchange="out.textContent = u.files[0].name"></label><textarea aria-label=Lines id=l></textarea><p id=busy>Saving</p>
<button id=start onclick="setTimeout(() => busy.remove(), 400)">Start</button><div style="height:3000px"></div><p>Far below</p><script>let k = 0</script>`)
	c.Expect("act", act(
		step{"action": "repeat", "value": "Done", "times": 9}, step{"action": "click", "query": "Next"}, step{"action": "end"},
		step{"action": "if", "value": "Cookies"}, step{"action": "click", "query": "Accept"}, step{"action": "else"}, step{"action": "type", "query": "Lines", "value": "a\nb"}, step{"action": "end"},
		step{"action": "read", "selector": "#code", "as": "code"}, step{"action": "set", "query": "Code", "value": "{{code}}"},
		step{"action": "find", "query": "Start", "as": "start"}, step{"action": "click", "ref": "{{start}}"}, step{"action": "wait", "value": "Saving", "type": "gone"},
		step{"action": "click", "query": "Nowhere", "optional": true}, step{"action": "upload", "query": "File", "filePaths": []string{"a.txt"}},
		step{"action": "screenshot", "region": []int{0, 0, 50, 40}}, step{"action": "screenshot", "region": []int{0, 0, 60, 40}},
		step{"action": "key", "query": "Code", "value": "Shift+Home"}, step{"action": "scroll", "value": "down", "to": "Far below"},
	), "1. repeated 3 times\n2. clicked", "4. if Cookies: false\n7. typed into", "47-11", "13. waited for the end of Saving", "14. not done:", "15. attached", "picture of 60×40", "19. scrolled to", "\nchanged:\n", "count 3")
	c.ExpectScript("[f.value, l.value, k, u.files[0].name, scrollY > 1000, f.selectionEnd - f.selectionStart].join()", "47-11,a\n  b,3,a.txt,true,5")
	if pictures := len(c.Do("act", act(step{"action": "screenshot"}, step{"action": "screenshot", "value": "each"}, step{"action": "screenshot"})).Content); pictures != 3 {
		t.Errorf("the answer has %d parts, want the text and two pictures", pictures)
	}
	c.ExpectRefusal("TIMEOUT", "act", act(step{"action": "repeat", "value": "Never", "times": 2}, step{"action": "click", "query": "Next"}), "repeated 2 times without Never")
	for _, wrong := range [][]step{
		{{"action": "else"}}, {{"action": "click", "query": "Next", "coordinate": []int{1, 1}}}, {{"action": "drag", "query": "Next"}}, {{"action": "mouse"}}, {{"action": "if", "value": "x", "type": "idle"}},
		{{"action": "hold", "query": "Next"}}, {{"action": "upload", "query": "File"}}, {{"action": "repeat", "times": 500}}, {{"action": "click", "query": "Next", "times": 2}},
	} {
		c.ExpectRefusal("INVALID_ARGUMENTS", "act", act(wrong...), "/steps/0")
	}
}
