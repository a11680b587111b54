package input_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// logPresses logs the elements that get the events of a press.
const logPresses = `<script>log = []; for (const k of ['pointerdown', 'click']) addEventListener(k, e => log.push(k + ' ' + e.target.id))</script>`

// A press whose events go to an element around the target is no click on it.
func TestClickIsJudgedByThePathOfItsEvents(t *testing.T) {
	const picture = `content:url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='30' height='14'/>");height:14px`
	tab := pagetest.Show(t, "")
	for name, body := range map[string]string{
		"picture hidden by the pointer": `<style>#m{` + picture + `}#m:hover{display:none}</style><div id=d><span id=m role=button aria-label=M></span></div>`,
		"button hidden by the pointer":  `<style>#m:hover{display:none}</style><div id=d><button id=m>M</button> text</div>`,
		"clear to the pointer":          `<style>#m:hover{pointer-events:none}</style><div id=d><button id=m>M</button> text</div>`,
		"invisible under the pointer":   `<style>#m:hover{visibility:hidden}</style><div id=d><button id=m>M</button> text</div>`,
		"moved by the pointer":          `<style>#m{position:absolute;left:10px;top:50px}#m:hover{top:300px}</style><div id=d style="height:200px"><button id=m>M</button> text</div>`,
	} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, body+logPresses)
			_, err := b.Widget.Click(b.Ctx, input.Target{Ref: b.Ref("#m")}, input.ClickOptions{})
			log := b.JS("log.join()")
			if err == nil && !strings.HasSuffix(log, "click m") || err != nil && strings.Contains(log, "click") || strings.Contains(log, " d") {
				t.Errorf("%v; the page saw %s", err, log)
			}
			if no, ok := errors.AsType[*document.NotActionableError](err); err != nil && !ok {
				t.Errorf("%v", no)
			}
		})
	}
}

func TestClickAtAPointNamesWhatItReached(t *testing.T) {
	tab := pagetest.Show(t, "")
	for name, body := range map[string]string{
		"opened by the pointer":       `<style>#x{display:none}div:hover #x{display:inline}div:hover #a{display:none}</style><div><button id=a>Alpha</button><button id=x>Other</button></div>`,
		"swapped on arrival":          `<div id=r style="width:80px"><button id=a style="width:80px">Alpha</button></div><script>r.onpointerover = () => { r.innerHTML = '<button style="width:80px">Other</button>'; r.onpointerover = null }</script>`,
		"covered on arrival":          `<button id=a>Alpha</button><script>a.onmouseenter = () => { document.body.insertAdjacentHTML('beforeend', '<button style="position:fixed;inset:0">Other</button>') }</script>`,
		"replaced again by the press": `<div id=r><button id=a>Alpha</button></div><script>r.onpointerover = () => { r.innerHTML = '<button onpointerdown="this.remove()">Other</button>'; r.onpointerover = null }</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, body+`<script>pressed = ''; addEventListener('pointerdown', e => { pressed = e.target.textContent }, true)</script>`)
			at := document.Point{X: 20, Y: 18}
			e, err := b.Widget.Click(b.Ctx, input.Target{Point: &at}, input.ClickOptions{})
			if pressed := b.JS("pressed"); err != nil || pressed == "" || e.Element == nil || e.Element.Name != pressed {
				t.Errorf("%+v %v; the page saw a press on %q", e.Element, err, pressed)
			}
		})
	}
}

// A hover is one where the element got an event of the pointer.
func TestHoverArrivesOrIsRefused(t *testing.T) {
	tab := pagetest.Open(t, map[string]any{
		"/":      "",
		"/inner": `<button id=m style="margin:40px 60px">M</button><script>m.onmouseenter = () => { document.title = 'in'; m.textContent = 'Entered' }</script>`,
	})
	for name, style := range map[string]string{
		"scaled": "transform:scale(.6)", "scaled from a corner": "transform:scale(.6);transform-origin:0 0", "zoomed": "zoom:.6",
		"rotated": "transform:rotate(20deg)", "plain": "",
	} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, `<iframe id=f style="width:300px;height:200px;`+style+`"></iframe><script>f.src = 'http://localhost:' + location.port + '/inner'</script>`)
			found, err := b.Locate.Find(b.Ctx, "M button", locate.FindOptions{Limit: 1, Wait: 10 * time.Second})
			if err != nil || len(found) == 0 {
				t.Fatal(found, err)
			}
			_, err = b.Mouse.Hover(b.Ctx, input.Target{Ref: found[0].Ref})
			entered := strings.Contains(b.Outline(), "Entered")
			if no, refused := errors.AsType[*document.NotActionableError](err); refused == entered || err != nil && !refused {
				t.Errorf("entered: %v; %v %v", entered, err, no)
			}
		})
	}
}

func TestClickReachesWhatIsPartlyCovered(t *testing.T) {
	tab := pagetest.Show(t, "")
	for name, body := range map[string]string{
		"top edge free":    `<button id=m style="position:absolute;top:20px;left:20px;width:100px;height:40px">M</button><button style="position:absolute;top:29px;left:0;width:200px;height:60px">Other</button>`,
		"right edge free":  `<button id=m style="position:absolute;top:20px;left:20px;width:100px;height:40px">M</button><button style="position:absolute;top:0;left:0;width:113px;height:90px">Other</button>`,
		"corner free":      `<button id=m style="position:absolute;top:20px;left:20px;width:100px;height:40px">M</button><i style="position:absolute;top:0;left:30px;width:130px;height:90px"></i><i style="position:absolute;top:28px;left:0;width:130px;height:90px"></i>`,
		"around the field": `<div id=w style="padding:4px;width:200px;border:1px solid"><input id=m readonly style="pointer-events:none"></div>`,
		"around a label":   `<span id=w style="display:inline-block;padding:4px"><button id=m style="pointer-events:none">M</button></span>`,
	} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, body+logPresses)
			_, err := b.Widget.Click(b.Ctx, input.Target{Ref: b.Ref("#m")}, input.ClickOptions{})
			if log := b.JS("log.join()"); err != nil || log != "pointerdown m,click m" && log != "pointerdown w,click w" {
				t.Errorf("%v; the page saw %s", err, log)
			}
		})
	}
	for name, body := range map[string]string{
		"layer":        `<button id=m>M</button><div role=dialog aria-label=Top style="position:fixed;inset:0;background:#fff">Text</div>`,
		"no pointer":   `<button id=m style="pointer-events:none">M</button><p style="height:400px">Text</p>`,
		"large parent": `<div style="height:500px"><button id=m style="pointer-events:none">M</button></div>`,
	} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, body+logPresses)
			b.NotActionable(b.Ref("#m"), "covers")
		})
	}
}

// A text below something that draws nothing is pressed through it, as a person does it.
func TestClickOnTextBelowAHitArea(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, "")
	const area = `style="position:absolute;inset:0"`
	for _, c := range []struct {
		body string
		want string // the element that gets the click, "" where the text is refused
	}{
		{`<svg width=200 height=60><g><text id=m x=20 y=30>Check order</text><rect id=w width=200 height=60 fill=none pointer-events=all /></g></svg>`, "w"},
		{`<svg width=200 height=60><g><g><text id=m x=20 y=30>Check order</text></g><rect id=w width=200 height=60 fill=white fill-opacity=0 stroke=white stroke-opacity=0 /></g></svg>`, "w"},
		{`<div style="position:relative"><p id=m>Check order</p><a id=w href=#x aria-label=Open ` + area + `></a></div>`, "w"},
		{`<div style="position:relative"><p id=m>Check order</p><div ` + area + `><b style="display:block;background:#fff">Another</b></div></div>`, ""},
		{`<div style="position:relative"><p id=m>Check order</p><div style="position:absolute;inset:0;background:#fff"></div></div>`, ""},
		{`<p id=m>Check order</p><div style="position:fixed;inset:0"></div>`, ""},
	} {
		b.Body(c.body + logPresses)
		_, err := b.Widget.Click(b.WithTimeout(20*time.Second), input.Target{Ref: b.Ref("#m")}, input.ClickOptions{})
		_, refused := errors.AsType[*document.NotActionableError](err)
		if log := b.JS("log.join()"); refused != (c.want == "") || c.want != "" && log != "pointerdown "+c.want+",click "+c.want {
			t.Errorf("%s\ngives %v; the page saw %s", c.body, err, log)
		}
	}
}

// A press that replaces its button by one like it is no click on it, and the answer says so.
func TestClickTellsThatThePressReplacedIt(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, "")
	for _, c := range []struct {
		into string // what the press makes of the button
		told bool
	}{
		{`<button>Send</button>`, true}, {`<button class=b><b>Send</b></button>`, true},
		{`<button>Sent</button>`, false}, {``, false},
	} {
		b.Body(`<div id=d><button id=m>Send</button></div><script>m.onmousedown = () => { d.innerHTML = '` + c.into + `' }</script>`)
		e := b.MustClick(b.Ref("#m"))
		if told := slices.Contains(e.Changes, "the press replaced it by another like it: no click came of it"); told != c.told || !e.Detached {
			t.Errorf("%q: %+v", c.into, e)
		}
	}
}
