package widget_test

import (
	"errors"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// sliders are moved by keys, those in a track by the pointer too. Each says how it takes a key and where its scale ends.
const sliders = `<style>.track { width: 300px; height: 20px; margin: 30px; background: #ddd; position: relative } .track.up { width: 20px; height: 300px }
	[role=slider] { width: 20px; height: 20px; background: #333; position: absolute; touch-action: none }</style>
<div class=track><div id=plain></div></div><div class=track><div id=far data-max=100000></div></div><div class=track><div id=uneven></div></div>
<div class="track up"><div id=upright></div></div><div class=track dir=rtl><div id=leftward data-max=2000></div></div>
<div class=track><div id=tens data-by=10></div></div><div><div id=slow></div></div><div class=track><div id=still data-max=1000></div></div>
<script>let keys = 0; under = most = 0; for (const s of document.querySelectorAll('div[id]')) {
	const max = +(s.dataset.max ?? 100), track = s.parentNode, up = track.classList.contains('up'), rtl = track.dir === 'rtl';
	s.role = 'slider'; s.tabIndex = 0; s.ariaLabel = s.id; s.ariaValueMin = 0; s.ariaValueMax = max; if (up) s.ariaOrientation = 'vertical';
	const put = v => { v = Math.min(max, Math.max(0, v)); s.ariaValueNow = v; const at = v / max * 280 + 'px'; if (up) s.style.bottom = at; else if (rtl) s.style.right = at; else s.style.left = at };
	s.onkeydown = e => { const way = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[e.key]; if (!way || s.id === 'still') return; keys++;
		const by = way * (s.id === 'uneven' && +s.ariaValueNow + way > 20 ? 5 : +(s.dataset.by ?? 1)), go = () => put(+s.ariaValueNow + by);
		if (s.id === 'slow') { most = Math.max(most, ++under); fetch('/wait').then(r => r.text()).then(() => { under--; go() }) } else go() };
	s.onpointerdown = e => { if (s.id === 'still') return; s.setPointerCapture(e.pointerId); s.onpointermove = e => { const r = track.getBoundingClientRect();
		put(Math.round(max * (up ? r.bottom - e.clientY - 10 : rtl ? r.right - e.clientX - 10 : e.clientX - r.left - 10) / 280)) } };
	s.onpointerup = () => { s.onpointermove = null }; put(10) }</script>`

func TestSetValueOfASliderThatIsFarAway(t *testing.T) {
	t.Parallel()
	b := pagetest.Open(t, map[string]any{"/": sliders, "/wait": pagetest.RespondAfter(200*time.Millisecond, "ok")})
	for _, c := range []struct{ id, value string }{
		{"plain", "42"}, {"plain", "3"}, {"far", "73000"}, {"far", "12"}, {"uneven", "40"}, {"upright", "90"}, {"leftward", "1500"}, {"tens", "70"},
	} {
		b.MustSet(b.Ref("#"+c.id), c.value)
		if got := b.JS(c.id + ".ariaValueNow"); got != c.value {
			t.Errorf("%s set to %s holds %s", c.id, c.value, got)
		}
	}
	for id, value := range map[string]string{"still": "900", "tens": "75"} {
		var refused *document.ValueRefusedError
		if _, err := b.Widget.SetValue(b.Ctx, b.Ref("#"+id), value); !errors.As(err, &refused) {
			t.Errorf("%s: %v", id, err)
		}
	}
	// Of 16 keys that the page answers late, few are waited for.
	b.MustSet(b.Ref("#slow"), "26")
	if got := b.JS("slow.ariaValueNow + ' ' + (most > 9)"); got != "26 true" {
		t.Errorf("the slow one: %s, %s keys at once", got, b.JS("most"))
	}
}

// The handle of a covered slider is not dragged: the press would go to what covers it.
func TestSetValueOfACoveredSliderPressesNothingElse(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, sliders+`<style>.cover { position: fixed; left: 0; width: 400px; height: 60px; margin: 0 }</style>
<ul class=cover id=list style="z-index: 5"><li>Option</li></ul><div class=cover id=host style="z-index: 5"></div><div class=cover id=pop popover=manual></div><script>
	host.attachShadow({ mode: 'open' }).innerHTML = '<p style="height:60px;margin:0">Banner</p>'; pop.showPopover(); presses = [];
	onpointerdown = e => presses.push(e.target.id || e.target.tagName);
	[['list', plain], ['host', far], ['pop', uneven]].forEach(([id, s]) => { document.getElementById(id).style.top = s.getBoundingClientRect().top - 20 + 'px'; s.onkeydown = null;
		s.ariaValueMax = 300; s.addEventListener('keydown', e => { if (e.key === 'ArrowUp') s.ariaValueNow = +s.ariaValueNow + 1 }) })</script>`)
	for _, id := range []string{"plain", "far", "uneven"} {
		b.MustSet(b.Ref("#"+id), "90")
	}
	if got := b.JS("[plain, far, uneven].map(s => s.ariaValueNow).join() + presses"); got != "90,90,90" {
		t.Errorf("the sliders and the pressed elements are %s", got)
	}
}

func TestSetValueOfARangeSendsTheEventsOfAHand(t *testing.T) {
	t.Parallel()
	const log = `<script>log = []; for (const type of ['pointerdown', 'mousedown', 'input', 'pointerup', 'mouseup', 'change']) f.addEventListener(type, e => log.push(type + ' ' + f.value))</script>`
	b := pagetest.Show(t, `<input id=f type=range value=10>`+log)
	const hand = "pointerdown 10,mousedown 10,input 42,pointerup 42,mouseup 42,change 42"
	b.MustSet(b.Ref("#f"), "42")
	if got := b.JS("log.join()"); got != hand {
		t.Errorf("the page saw %s", got)
	}
	b.JS("(log.length = 0, 1)")
	b.MustSet(b.Ref("#f"), "42")
	if got := b.JS("log.join()"); got != "" {
		t.Errorf("of the same value the page saw %s", got)
	}
}
