package widget_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	cdpinput "github.com/chromedp/cdproto/input"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// pressDroppingSession drops presses and releases of the mouse.
type pressDroppingSession struct {
	cdp.Session
	drops *int // how many more
}

func (s pressDroppingSession) Call(ctx context.Context, method string, params, result any) error {
	if mouse, ok := params.(cdpinput.DispatchMouseEventParams); ok && mouse.Type != "mouseMoved" && *s.drops > 0 {
		*s.drops--
		return nil
	}
	return s.Session.Call(ctx, method, params, result)
}

func TestALostPressIsRepeated(t *testing.T) {
	b := pagetest.Show(t, `<label><input type=checkbox id=c checked>News</label>`)
	drops := 2
	b.UseSession(pressDroppingSession{b.Session, &drops})
	if e := b.MustSet(b.Ref("#c"), "false"); e.Element.Checked != "false" || b.JS("c.checked") != "false" {
		t.Errorf("set %+v, and the box is %v", e.Element, b.JS("c.checked"))
	}
	drops = 1000
	_, err := b.Widget.SetValue(b.Ctx, b.Ref("#c"), "true")
	if _, ok := errors.AsType[*document.NotActionableError](err); !ok || !strings.Contains(err.Error(), "no press arrived") {
		t.Errorf("lost presses give %v", err)
	}
}

// A page may stop a press before the engine sees it: it arrived, and is not repeated.
func TestAPressThatThePageStopsIsNotRepeated(t *testing.T) {
	b := pagetest.Show(t, `<button id=x>X</button><script>var n = 0; for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
addEventListener(type, (e) => { e.stopImmediatePropagation(); n += type === 'click' }, true)</script>`)
	b.MustClick(b.Ref("#x"))
	if got := b.JS("n"); got != "1" {
		t.Errorf("the page saw %s clicks", got)
	}
}

func TestSetValueOfAToggleThatThePagePutsBack(t *testing.T) {
	b := pagetest.Show(t, `<label><input type=checkbox id=c onchange="this.checked = false">Never</label>
<input type=checkbox id=m aria-label=Mixed><script>m.indeterminate = true; m.checked = false;
m.onclick = () => { window.clicks = (window.clicks ?? 0) + 1 }</script>`)
	_, err := b.Widget.SetValue(b.Ctx, b.Ref("#c"), "true")
	if _, ok := errors.AsType[*document.NotAppliedError](err); !ok {
		t.Errorf("a checkbox that the page puts back gives %v", err)
	}
	if e := b.MustSet(b.Ref("#m"), "false"); e.Element.Checked != "false" {
		t.Errorf("a mixed checkbox is %+v after %s clicks", e.Element, b.JS("clicks"))
	}
}

// A press that rebuilds what it hit, as a calendar does, has done its work.
func TestNoWordAboutAnElementThatItsPressRebuilt(t *testing.T) {
	b := pagetest.Show(t, `<div id=days><button>7</button></div><script>
days.addEventListener('mousedown', () => { days.innerHTML = '<i style="position:absolute;top:200px"><button>7</button></i>' })</script>`)
	e := b.MustClick(b.Ref("#days button"))
	if text := strings.Join(e.Changes, "\n"); strings.Contains(text, "moved away") {
		t.Errorf("told %q", text)
	}
}

// A switch that cancels the click on its input keeps its state in aria-checked.
func TestSetValueOfASwitchDrawnBesideItsInput(t *testing.T) {
	b := pagetest.Show(t, `<input id=s type=checkbox role=switch aria-checked=false aria-label=Instant>
<script>s.onclick = (e) => { e.preventDefault(); s.setAttribute('aria-checked', String(s.getAttribute('aria-checked') !== 'true')) }</script>`)
	if b.MustSet(b.Ref("#s"), "true"); !strings.Contains(b.Outline(), `switch "Instant" [e1] checked`) {
		t.Errorf("the reading is %s", b.Outline())
	}
}

// A popup that opens over its field on the press takes the release: the field has done its work.
func TestNoWordAboutAFieldUnderThePopupThatItOpened(t *testing.T) {
	t.Parallel()
	const popup = `<div style="position:fixed;inset:0;background:#fff">March 2026</div>`
	b := pagetest.Show(t, `<input id=d aria-label=Day><button id=go>Go</button><script>
for (const el of [d, go]) el.addEventListener('mousedown', () => { document.body.insertAdjacentHTML('beforeend', '`+popup+`') })</script>`)
	e := b.MustClick(b.Ref("#d"))
	if text := strings.Join(e.Changes, "\n"); strings.Contains(text, "no click") || !strings.Contains(text, "March 2026") {
		t.Errorf("told %q", text)
	}
	b.JS("document.body.lastElementChild.remove()")
	e = b.MustClick(b.Ref("#go"))
	if text := strings.Join(e.Changes, "\n"); !strings.Contains(text, "covered it") {
		t.Errorf("told %q of a button that did not click", text)
	}
}

// The report lists several boxes with the same long text once.
func TestChangesAreReportedOnce(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<button id=go onclick="for (let i = 0; i < 3; i++) { const d = document.createElement('div'); d.textContent = 'long '.repeat(40) + i; document.body.append(d) }">Go</button>`)
	if e := b.MustClick(b.Ref("#go")); len(e.Changes) != 1 {
		t.Errorf("told %q", e.Changes)
	}
}

// customRadios keep their state in their element internals, where no attribute and no property tells it.
const customRadios = `<fieldset id=g><legend>Size</legend><x-r id=s>Small</x-r><x-r id=l>Large</x-r></fieldset><x-c id=n>News</x-c><x-c id=k class=stuck>Never</x-c><script>
class Own extends HTMLElement { connectedCallback() { this.i = this.attachInternals(); this.i.role = this.kind; this.i.ariaChecked = 'false'; this.tabIndex = 0; this.onclick = () => this.press() } }
customElements.define('x-r', class extends Own { kind = 'radio'; press() { for (const r of document.querySelectorAll('x-r')) r.i.ariaChecked = String(r === this) } })
customElements.define('x-c', class extends Own { kind = 'checkbox'; press() { if (!this.className) this.i.ariaChecked = String(this.i.ariaChecked !== 'true') } })</script>`

func TestSetValueOfElementsWithInternals(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, customRadios)
	b.Outline() // the roles are found by a reading
	for _, c := range []struct{ css, value, checked string }{
		{"#l", "true", "true"}, {"#s", "true", "true"}, {"#n", "true", "true"}, {"#n", "false", "false"}, {"#k", "true", ""},
	} {
		e, err := b.Widget.SetValue(b.Ctx, b.Ref(c.css), c.value)
		if c.checked == "" {
			if _, refused := errors.AsType[*document.NotAppliedError](err); !refused {
				t.Errorf("%s: %+v %v", c.css, e, err)
			}
			continue
		}
		if err != nil || e.Element == nil || e.Element.Checked != c.checked || b.JS("document.querySelector('"+c.css+"').i.ariaChecked") != c.checked {
			t.Errorf("%s = %s gives %+v %v", c.css, c.value, e.Element, err)
		}
	}
}

// TestClickOnAToggleThatIsPutBack clicks toggles whose page keeps the click, puts it back at once or later, cancels it or
// asks about it.
func TestClickOnAToggleThatIsPutBack(t *testing.T) {
	b := pagetest.Show(t, "")
	for _, c := range []struct{ name, body, holds string }{
		{"by a timer", `<input type=checkbox id=f aria-label=A onchange="setTimeout(() => this.checked = false, 300)">`, "unchecked"},
		{"at once", `<input type=checkbox id=f aria-label=A checked onchange="this.checked = true">`, "checked"},
		{"by a response", `<input type=checkbox id=f aria-label=A onchange="fetch('/').then(r => r.text()).then(() => this.checked = false)">`, "unchecked"},
		{"a radio button", `<input type=radio name=r checked id=o><input type=radio name=r id=f aria-label=A onchange="setTimeout(() => o.checked = true, 200)">`, "unchecked"},
		{"a drawn switch", `<div role=switch id=f tabindex=0 aria-checked=false aria-label=A onclick="this.ariaChecked = 'true'; setTimeout(() => this.ariaChecked = 'false', 250)">x</div>`, "unchecked"},
		{"its label", `<label id=f style="display:block"><input type=checkbox style="opacity:0;position:absolute;width:0;height:0" onchange="setTimeout(() => this.checked = false, 200)">Wifi</label>`, "unchecked"},
		{"drawn anew", `<form id=o><input type=checkbox name=n id=f aria-label=A onchange="setTimeout(() => o.innerHTML = o.innerHTML, 100)"></form>`, "unchecked"},
		{"kept", `<input type=checkbox id=f aria-label=A onchange="setTimeout(() => document.title = 'saved', 100)">`, ""},
		{"cancelled", `<input type=checkbox id=f aria-label=A onclick="event.preventDefault()">`, ""},
		{"asked about", `<input type=checkbox id=f aria-label=A onchange="this.checked = false; d.showModal()"><dialog id=d aria-label=Sure>Sure?<button>Yes</button></dialog>`, ""},
		{"shown late", `<input type=checkbox id=f aria-label=A onchange="this.checked = false; fetch('/').then(r => r.text()).then(() => this.checked = true)">`, ""},
		{"pressed already", `<input type=radio name=r checked id=f aria-label=A>`, ""},
	} {
		b.Body(c.body)
		_, err := b.Widget.Click(b.Ctx, input.Target{Ref: b.Ref("#f")}, input.ClickOptions{})
		not, refused := errors.AsType[*document.NotAppliedError](err)
		if refused != (c.holds != "") || refused && not.Holds != c.holds || !refused && err != nil {
			t.Errorf("%s: %v, want it to hold %q", c.name, err, c.holds)
		}
	}
	b.Body(`<input type=checkbox id=f aria-label=A>`)
	if _, err := b.Widget.Click(b.Ctx, input.Target{Ref: b.Ref("#f")}, input.ClickOptions{Count: 2}); err != nil {
		t.Errorf("a double click: %v", err)
	}
}
