package document_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/proctest"
)

func TestFramesOfEveryKind(t *testing.T) {
	at := pagetest.ServeHosts(t, map[string]string{
		"/leaf": pagetest.LeafDocument,
		"/nest": `<!doctype html><p>middle</p><iframe title=Deepest src="http://b.localhost:PORT/leaf" style="margin:40px;width:400px;height:200px;border:3px solid"></iframe>`,
	})
	tab := pagetest.Open(t, map[string]any{"/": "", "/leaf": pagetest.LeafDocument})
	for name, body := range map[string]string{
		"same origin":           `<iframe title=F src=/leaf></iframe>`,
		"srcdoc":                `<iframe title=F srcdoc='` + strings.ReplaceAll(pagetest.LeafDocument, "'", "&#39;") + `'></iframe>`,
		"sandboxed":             `<iframe title=F sandbox=allow-scripts src=/leaf></iframe>`,
		"other port":            `<iframe title=F src="` + at("127.0.0.1", "/leaf") + `"></iframe>`,
		"other process":         `<iframe title=F src="` + at("localhost", "/leaf") + `"></iframe>`,
		"nested":                `<iframe title=F src="` + at("a.localhost", "/nest") + `" style="width:600px;height:400px"></iframe>`,
		"below the fold":        `<div style="height:3000px"></div><iframe title=F src="` + at("localhost", "/nest") + `" style="width:600px;height:1200px"></iframe>`,
		"in a scroller":         `<div style="height:200px;overflow:auto"><div style="height:900px"></div><iframe title=F src="` + at("localhost", "/leaf") + `"></iframe></div>`,
		"in a closed tree":      `<x-host></x-host><script>document.querySelector('x-host').attachShadow({mode:'closed'}).innerHTML='<iframe title=F src="` + at("localhost", "/leaf") + `"></iframe>'</script>`,
		"same origin in remote": `<iframe title=F src="` + at("localhost", "/nest") + `" style="width:600px;height:400px;padding:9px"></iframe>`,
	} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, `<title>Frames</title><h1>Top</h1>`+body)
			text := b.Outline()
			field, button := lineRef(t, text, `textbox "Name"`), lineRef(t, text, `button "Press"`)
			if again := b.Outline(); again != text {
				t.Errorf("a second reading differs:\n%s\n%s", text, again)
			}
			if e := b.MustSet(field, "Ada"); e.Element == nil || e.Element.Value != "Ada" {
				t.Errorf("the field holds %+v", e.Element)
			}
			if e := b.MustClick(button); e.Element == nil || e.Element.Name != "Pressed Ada" {
				t.Errorf("the button is %+v, changes %q", e.Element, e.Changes)
			}
			info, err := b.Document.Describe(b.Ctx, field)
			if err != nil || !info.Visible || info.Box.X < 20 || info.Box.Y < 0 {
				t.Errorf("%+v %v", info, err)
			}
			if e, err := b.Mouse.Hover(b.Ctx, input.Target{Point: &document.Point{X: info.Box.X + 5, Y: info.Box.Y + 5}}); err != nil || e.Element == nil || e.Element.Ref != field {
				t.Errorf("at the field's point there is %+v, %v", e.Element, err)
			}
			if _, err := b.Keyboard.Focus(b.Ctx, field); err != nil {
				t.Fatal(err)
			}
			if e, err := b.Keyboard.Type(b.Ctx, "x"); err != nil || e.Element == nil || e.Element.Ref != field {
				t.Errorf("typing went to %+v, %v", e.Element, err)
			}
			found, err := b.Locate.Find(b.Ctx, "name field", locate.FindOptions{})
			if err != nil || len(found) == 0 || found[0].Ref != field {
				t.Errorf("found %+v, %v", found, err)
			}
			if got := b.Ref("#name"); got != field {
				t.Errorf("the selector gives %s, the reading gave %s", got, field)
			}
		})
	}
}

// lineRef returns the ref on the line of a reading that contains want.
func lineRef(t testing.TB, text, want string) string {
	t.Helper()
	for line := range strings.Lines(text) {
		if _, rest, ok := strings.Cut(line, "[e"); ok && strings.Contains(line, want) {
			number, _, _ := strings.Cut(rest, "]")
			return "e" + number
		}
	}
	t.Fatalf("no ref for %s in\n%s", want, text)
	return ""
}

func TestFramesOfOtherProcessesAreTargets(t *testing.T) {
	at := pagetest.ServeHosts(t, map[string]string{"/leaf": pagetest.LeafDocument})
	b := pagetest.Show(t, `<iframe title=F src="`+at("localhost", "/leaf")+`"></iframe>`)
	b.Outline()
	infos, err := chromedp.Targets(b.Ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		if info.Type == "iframe" && info.URL == at("localhost", "/leaf") {
			return
		}
	}
	t.Error("the fixture's frame runs in the page's process: these tests do not test what they say")
}

func TestRefsOfFramesGoStale(t *testing.T) {
	at := pagetest.ServeHosts(t, map[string]string{"/leaf": pagetest.LeafDocument, "/other": `<!doctype html><button>Press</button><button>Else</button>`})
	b := pagetest.Show(t, `<button>Press on top</button><iframe title=F src="`+at("localhost", "/leaf")+`"></iframe>`)
	ref := lineRef(t, b.Outline(), `button "Press"`)
	stale := func(when string) *document.StaleRefError {
		t.Helper()
		_, err := b.Widget.Click(b.Ctx, input.Target{Ref: ref}, input.ClickOptions{})
		var e *document.StaleRefError
		if !errors.As(err, &e) || e.Name != "Press" {
			t.Fatalf("%s: %v", when, err)
		}
		return e
	}
	for _, step := range []struct{ when, host, path string }{
		{"after a navigation of the frame", "localhost", "/other"},
		{"after one to another process", "b.localhost", "/other"},
		{"after one into the page's process", "127.0.0.1", "/other"},
	} {
		b.JS(`new Promise(r => { const f = document.querySelector('iframe'); f.onload = r; f.src = '` + at(step.host, step.path) + `' })`)
		e := stale(step.when)
		if len(e.Candidates) == 0 || e.Candidates[len(e.Candidates)-1].Name != "Press" {
			t.Errorf("%s: candidates %+v", step.when, e.Candidates)
		}
		text := b.Outline()
		if !strings.Contains(text, `"Else"`) {
			t.Fatalf("%s the reading is\n%s", step.when, text)
		}
		ref = lineRef(t, text, `button "Press"`)
		if got := b.MustClick(ref); got.Element.Ref != ref {
			t.Errorf("%s: %+v", step.when, got)
		}
	}
	b.JS(`document.querySelector('iframe').remove()`)
	stale("after the frame left the page")
	if text := b.Outline(); strings.Contains(text, "Else") {
		t.Errorf("the frame is still read:\n%s", text)
	}
}

// A frame in a process of its own can hang while the page does not.
func TestReadSkipsHungFrame(t *testing.T) {
	at := pagetest.ServeHosts(t, map[string]string{"/leaf": pagetest.LeafDocument, "/hung": `<!doctype html><button onclick="for(;;);">Hang</button>`})
	b := pagetest.Show(t, `<iframe title=Hung src="`+at("a.localhost", "/hung")+`"></iframe><iframe title=Well src="`+at("b.localhost", "/leaf")+`"></iframe><p>after</p>`)
	hang := lineRef(t, b.Outline(), `button "Hang"`)
	text := ""
	for limit := time.Second; limit < 20*time.Second && !strings.Contains(text, "(not readable)"); limit *= 2 { // a busy machine presses late
		ctx, cancel := context.WithTimeout(b.Ctx, limit)
		_, err := b.Widget.Click(ctx, input.Target{Ref: hang}, input.ClickOptions{})
		cancel()
		if err == nil {
			t.Fatal("the click on an endless loop came back")
		}
		text = b.Outline()
	}
	if !strings.Contains(text, `button "Press"`) || !strings.Contains(text, "after") || !strings.Contains(text, "(not readable)") {
		t.Errorf("with one frame hung the reading is\n%s", text)
	}
	if found, err := b.Locate.Find(b.Ctx, "press", locate.FindOptions{}); err != nil || len(found) != 1 {
		t.Errorf("found %+v, %v", found, err)
	}
}

func TestFramesThatComeAndGoWhileReading(t *testing.T) {
	at := pagetest.ServeHosts(t, map[string]string{"/leaf": pagetest.LeafDocument})
	b := pagetest.Show(t, `<p>steady</p><div id=place></div><script>
let n = 0; function swap() { if (n++ > 150) return; const f = document.createElement('iframe'); f.title = 'Frame ' + n;
f.src = 'http://' + (n % 3 ? 'h' + n % 5 + '.localhost' : '127.0.0.1') + ':'+'`+at("", "")[len("http://:"):]+`/leaf';
place.append(f); if (place.children.length > 3) place.firstChild.remove(); setTimeout(swap, 30) } onload = swap</script>`)
	for range proctest.Tries(8) {
		if text := b.Outline(); !strings.Contains(text, "steady") {
			t.Fatalf("reading:\n%s", text)
		}
	}
}

func TestClosedShadowTrees(t *testing.T) {
	b := pagetest.Show(t, `<x-card>Light <b>words</b><button slot=act>Slotted</button></x-card>
<div id=plain></div><section id=covers><p>never rendered</p></section>
<x-outer></x-outer><x-none>nothing closed</x-none>
<div><template shadowrootmode=closed><label>Declared <input></label></template></div>
<script>const put = (el, html) => { const r = el.attachShadow({mode: 'closed'}); r.innerHTML = html; return r };
put(document.querySelector('x-card'), '<h2>Card <slot></slot></h2><button onclick="this.textContent=&quot;Done&quot;">Do</button><slot name=act></slot>');
put(document.querySelector('#plain'), '<button>In a div</button>');
put(document.querySelector('#covers'), '<p>instead</p>');
const outer = put(document.querySelector('x-outer'), '<x-inner></x-inner>');
put(outer.querySelector('x-inner'), '<a href="/deep">Deep link</a>');
</script>`)
	want := `- heading "Card Light words" level 2
- button "Do" [e2]
- button "Slotted" [e1]
- button "In a div" [e3]
- text: instead
- link "Deep link" [e5] → /deep
- text: nothing closed
- textbox "Declared" [e4]
`
	if diff := cmp.Diff(want, b.Outline()); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	if e := b.MustClick("e2"); e.Element.Name != "Done" {
		t.Errorf("after the click it is %+v", e.Element)
	}
	if e := b.MustClick("e1"); e.Element.Name != "Slotted" {
		t.Errorf("the slotted one is %+v", e.Element)
	}
	if e := b.MustSet("e4", "typed"); e.Element.Value != "typed" {
		t.Errorf("the field holds %+v", e.Element)
	}
}

// Elements and texts of a frame that does not answer do not count as gone.
func TestWaitHiddenFailsWithHungFrame(t *testing.T) {
	at := pagetest.ServeHosts(t, map[string]string{"/hangs": `<p id=deep>Deep words</p><script>onmessage = () => { for (const end = Date.now() + 4000; Date.now() < end;); }</script>`})
	tab := pagetest.Show(t, "")
	for name, o := range map[string]settle.WaitOptions{"selector": {Selector: "#deep", Hidden: true}, "text": {TextGone: "Deep words"}} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, `<iframe id=f src="`+at("localhost", "/hangs")+`"></iframe>`)
			if text := b.Outline(); !strings.Contains(text, "Deep words") {
				t.Fatal(text)
			}
			b.JS(`(f.contentWindow.postMessage(1, '*'), new Promise(done => setTimeout(done, 100)))`)
			_, err := b.Settle.WaitFor(b.WithTimeout(1500*time.Millisecond), o)
			var late *settle.WaitTimeoutError
			if !errors.As(err, &late) {
				t.Errorf("waited with %v", err)
			}
		})
	}
}

// TestReadOfAFrameThatMoves reads a frame whose document is replaced several times, by those of other processes.
func TestReadOfAFrameThatMoves(t *testing.T) {
	const moves = 12
	documents := map[string]string{}
	for i := range moves {
		documents["/"+strconv.Itoa(i)] = fmt.Sprintf(`<!doctype html><p>%d</p><script>location.replace("http://%c.localhost:PORT/%d")</script>`, i, 'b'+i%2, i+1)
	}
	documents["/"+strconv.Itoa(moves)] = `<!doctype html><button>Arrived</button>`
	at := pagetest.ServeHosts(t, documents)
	b := pagetest.Show(t, "")
	for range 3 {
		b.Body(`<iframe src="` + at("b.localhost", "/0") + `"></iframe>`)
		for text := ""; !strings.Contains(text, "Arrived"); {
			if text = b.Outline(); strings.Contains(text, "not readable") {
				t.Fatalf("a frame that moves is read as\n%s", text)
			}
		}
	}
}
