package widget_test

import (
	"errors"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// customSelect is a select as component libraries draw it: the input is transparent, options appear
// in a popup at the end of the body and have no role, and the roles that are announced belong to
// hidden elements.
const customSelect = `<div class=item><label for=f>Fruit</label>
<div id=box style="position:relative;width:200px;height:32px;border:1px solid;cursor:pointer">
<span id=shown style="pointer-events:none">none</span>
<input id=f role=combobox aria-expanded=false aria-controls=list autocomplete=off style="position:absolute;inset:0;opacity:0"></div></div>
<div id=list role=listbox style="height:0;overflow:hidden"><div role=option aria-label=Apple></div></div><script>
const f = document.getElementById('f'), box = document.getElementById('box');
let popup = null, chosen = [];
const close = () => { popup?.remove(); popup = null; f.setAttribute('aria-expanded', 'false'); f.value = ''; };
const draw = () => { popup.replaceChildren(...['Apple', 'Pear', 'Plum'].filter((o) => o.toLowerCase().includes(f.value.toLowerCase())).map((o) => {
  const d = document.createElement('div'); d.textContent = o;
  d.onclick = () => { chosen = window.many ? [...chosen, o] : [o]; document.getElementById('shown').textContent = chosen.join(); if (!window.many) close(); };
  return d; })); };
box.addEventListener('mousedown', () => { if (popup) return close();
  popup = document.createElement('div'); popup.style = 'position:absolute;top:120px;left:8px;background:#fff';
  document.body.append(popup); f.setAttribute('aria-expanded', 'true'); draw(); });
f.addEventListener('input', () => popup && draw());
f.addEventListener('keydown', (e) => { if (e.key === 'Escape') close();
  if (e.key === 'Enter' && window.create && f.value) { chosen = [f.value]; document.getElementById('shown').textContent = f.value; close(); } });
</script>`

func TestSetValueOfACustomSelect(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, customSelect)
	found, err := b.Locate.Find(b.Ctx, "Fruit", locate.FindOptions{})
	if err != nil || len(found) == 0 || found[0].Role != "combobox" {
		t.Fatalf("found %+v, %v; the input is the control", found, err)
	}
	b.MustSet(found[0].Ref, "Pear")
	if got := b.JS("chosen.join()"); got != "Pear" {
		t.Errorf("chose %v", got)
	}
	b.JS("(window.many = true, chosen = [])")
	b.MustSet(b.Ref("#f"), `["Apple","Plum"]`)
	if got := b.JS("chosen.join()"); got != "Apple,Plum" {
		t.Errorf("chose %v of several", got)
	}
}

func TestSetValueOfACustomSelectWithoutTheOption(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, customSelect)
	_, err := b.Widget.SetValue(b.Ctx, b.Ref("#f"), "Kiwi")
	if _, ok := errors.AsType[*document.OptionNotFoundError](err); !ok {
		t.Errorf("a missing option gives %v", err)
	}
	if open := b.JS("f.getAttribute('aria-expanded') + f.value"); open != "false" {
		t.Errorf("the list stays open: %v", open)
	}
	b.JS("window.create = true")
	b.MustSet(b.Ref("#f"), "Kiwi")
	if got := b.JS("chosen.join()"); got != "Kiwi" {
		t.Errorf("made %v", got)
	}
}

// dateField is a read-only field with a calendar of its own.
const dateField = `<label>Day <input id=d readonly></label><script>
let at = new Date(2026, 2, 1), popup = null, first = '';
const input = document.getElementById('d');
const iso = (d) => [d.getFullYear(), String(d.getMonth() + 1).padStart(2, '0'), String(d.getDate()).padStart(2, '0')].join('-');
function draw() {
  popup.innerHTML = '<span class=prev-month>‹</span> <b>' + at.toLocaleString('en', { month: 'long', year: 'numeric' }) + '</b> <span class=next-month>›</span><div class=days></div>';
  popup.querySelector('.prev-month').onclick = () => { at.setMonth(at.getMonth() - 1); draw(); };
  popup.querySelector('.next-month').onclick = () => { at.setMonth(at.getMonth() + 1); draw(); };
  const days = popup.querySelector('.days');
  for (const n of [27, 28]) days.insertAdjacentHTML('beforeend', '<span class=other-month>' + n + '</span> ');
  for (let n = 1; n <= new Date(at.getFullYear(), at.getMonth() + 1, 0).getDate(); n++) {
    const d = document.createElement('span'); d.textContent = n; d.style = 'display:inline-block;width:24px';
    d.onclick = () => { const day = iso(new Date(at.getFullYear(), at.getMonth(), n));
      if (window.range && !first) { first = day; input.value = day; return; }
      input.value = window.range ? first + ' to ' + day : day; popup.remove(); popup = null; };
    days.append(d);
  }
}
input.onclick = () => { if (popup) return; popup = document.createElement('div'); popup.style = 'position:absolute;top:60px;width:220px'; document.body.append(popup); draw(); };
</script>`

func TestSetValueOfAReadOnlyDateField(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, dateField)
	for _, day := range []string{"2026-03-27", "2026-05-01", "2025-12-31"} {
		b.MustSet(b.Ref("#d"), day)
		if got := b.JS("input.value"); got != day {
			t.Errorf("the field has %v, want %s", got, day)
		}
	}
	b.JS("(window.range = true)")
	b.MustSet(b.Ref("#d"), "2026-01-30 to 2026-02-02")
	if got := b.JS("input.value"); got != "2026-01-30 to 2026-02-02" {
		t.Errorf("the field has %v", got)
	}
	if _, err := b.Widget.SetValue(b.Ctx, b.Ref("#d"), "soon"); err == nil {
		t.Error("a value that is no day is accepted")
	}
}

func TestFindPrefersTheControlInItsWrapper(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<div style="cursor:pointer"><button id=save>Save</button></div>
<p>Volume</p><div><div role=slider tabindex=0 id=volume aria-valuenow=3 style="width:20px;height:20px"></div></div>`)
	for query, id := range map[string]string{"Save": "#save", "Volume slider": "#volume"} {
		found, err := b.Locate.Find(b.Ctx, query, locate.FindOptions{})
		if err != nil || len(found) == 0 || found[0].Ref != b.Ref(id) || len(found) > 1 && found[1].Score == found[0].Score {
			t.Errorf("%q finds %+v, %v; want %s alone at the top", query, found, err, id)
		}
	}
}
