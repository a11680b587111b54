package widget_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// datePicker keeps a typed date as a draft until Enter, and would submit the form with it.
const datePicker = `<form onsubmit="submitted = true; return false"><label>Day <input id=d></label><button>Send</button></form>
<div id=cal style="position:absolute;top:100px;background:#fff" hidden><b>March 2026</b><div></div></div><script>
var day = '', submitted = false;
cal.lastChild.innerHTML = Array.from({ length: 31 }, (_, i) => '<span> ' + (i + 1) + ' </span>').join('');
d.oninput = () => { cal.hidden = false };
d.onkeydown = (e) => { if (e.key === 'Enter') { day = d.value; cal.hidden = true } };</script>`

func TestSetValueCommitsADateWithoutSubmitting(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, datePicker)
	b.MustSet(b.Ref("#d"), "2026-03-20")
	if got := b.JS("day + submitted"); got != "2026-03-20false" {
		t.Errorf("the day and the form are %v", got)
	}
}

const timePicker = `<label>Time <input id=t readonly value="08:00"></label>
<div id=clock style="position:absolute;top:100px;background:#fff" hidden><input id=h type=number value=08><input id=m type=number value=00><span id=half style="cursor:pointer">AM</span></div><script>
t.onclick = () => { clock.hidden = false }; half.onclick = () => { half.textContent = half.textContent === 'AM' ? 'PM' : 'AM'; show() };
const show = () => { t.value = h.value + ':' + m.value + half.textContent }; h.oninput = m.oninput = show;
clock.onkeydown = (e) => { if (e.key === 'Enter') clock.hidden = true };</script>`

func TestSetValueOfAReadOnlyTimeField(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, timePicker)
	b.MustSet(b.Ref("#t"), "21:30")
	if got := b.JS("t.value"); got != "09:30PM" {
		t.Errorf("the time is %v", got)
	}
}

// suggestions is a text field whose list suggests words.
const suggestions = `<input id=f role=combobox aria-expanded=false aria-controls=l aria-label=Language style="border:1px solid"><ul id=l role=listbox></ul><script>
const f = document.getElementById('f'), l = document.getElementById('l');
f.oninput = () => { l.innerHTML = ''; for (const o of ['Java', 'JavaScript', 'Go']) if (f.value && o.startsWith(f.value)) { const li = document.createElement('li');
li.setAttribute('role', 'option'); li.textContent = o; li.onclick = () => { f.value = o; l.innerHTML = '' }; l.append(li) } f.setAttribute('aria-expanded', l.children.length > 0) };</script>`

func TestSetValueKeepsTextWithSuggestions(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, suggestions)
	e := b.MustSet(b.Ref("#f"), "Jav")
	if got := b.JS("f.value + l.children.length"); got != "Jav2" {
		t.Errorf("the field and its list are %v", got)
	}
	if text := strings.Join(e.Changes, "\n"); !strings.Contains(text, `not chosen; its list has ["Java" "JavaScript"]`) {
		t.Errorf("told %q", text)
	}
}

// tokenField marks the first suggestion as selected before it is chosen.
const tokenField = `<div id=box style="border:1px solid;width:300px"><span class=tag>alpha</span><span id=f contenteditable role=textbox aria-label=Keywords style="outline:0;display:inline-block;min-width:80px;min-height:20px"></span></div>
<div id=l role=listbox style="position:absolute;top:100px;background:#fff" hidden><div role=option aria-selected=true>gamma</div></div><script>
const add = (text) => { const t = document.createElement('span'); t.className = 'tag'; t.textContent = text; f.before(t); f.textContent = '' };
f.onfocus = () => { l.hidden = false }; f.onclick = () => { l.hidden = false }; l.firstElementChild.onclick = () => { add('gamma'); l.hidden = true };
f.onkeydown = (e) => { if (e.key === 'Enter') { e.preventDefault(); add(f.textContent.trim()) } if (e.key === 'Escape') l.hidden = true };</script>`

func TestSetValueOfATokenField(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, tokenField)
	b.MustSet(b.Ref("#f"), `["alpha","gamma"]`)
	if got := b.JS("[...document.querySelectorAll('.tag')].map(t => t.textContent).join()"); got != "alpha,gamma" {
		t.Errorf("the tokens are %v", got)
	}
}

// drawnLists have their input in a box that hides it. They draw what is chosen beside it; those of several stay open.
const drawnLists = `<style>.h{position:absolute;width:1px;height:1px;overflow:hidden;border:0;margin:-1px}.c{clip:rect(0,0,0,0)}
.d{display:inline-block;border:1px solid;width:200px}ul{position:absolute;background:#fff;margin:0}</style>
<label for=city>City</label><div class=d><div class="h c"><input id=city readonly aria-haspopup=listbox></div><div class="h c"><select tabindex=-1><option selected>Pick a city</select></div><span>Pick a city</span><ul role=listbox hidden><li role=option>Rome<li role=option>Paris</ul></div><br>
<label for=size>Size</label><div class=d><div class=h><input id=size readonly role=combobox aria-expanded=false></div><span>Pick a size</span><ul role=listbox hidden><li role=option>Small<li role=option>Large</ul></div><br>
<label for=tags>Tags</label><div class="d m"><div class="h c"><input id=tags readonly role=combobox aria-expanded=false></div><span>Pick tags</span><ul role=listbox aria-multiselectable=true hidden><li role=option>Red<li role=option>Blue</ul></div><br>
<dialog id=g><label for=days>Days</label><div class="d m"><div class=h><input id=days readonly role=combobox aria-expanded=false></div><span>Pick days</span><ul role=listbox aria-multiselectable=true hidden><li role=option>Mon<li role=option>Tue</ul></div></dialog>
<div role=dialog aria-label=Plan id=p><label for=days2>Hours</label><div class="d m"><div class=h><input id=days2 readonly role=combobox aria-expanded=false></div><span>Pick hours</span><ul role=listbox aria-multiselectable=true hidden><li role=option>Early<li role=option>Late</ul></div></div>
<label for=gone>Delivery</label><div class=h><input id=gone></div><p>tomorrow</p>
<script>addEventListener('keydown', (e) => { if (e.key === 'Escape') p.remove() });
for (const d of document.querySelectorAll('.d')) {
  const list = d.querySelector('ul'), input = d.querySelector('input'), shown = d.querySelector('span'), many = d.matches('.m'), native = d.querySelector('option');
  const open = (on) => { list.hidden = !on; if (many || native === null) input.setAttribute('aria-expanded', on) };
  d.onclick = () => { input.focus(); open(list.hidden) };
  input.onkeydown = (e) => { if (e.key === 'Escape' && !g.open && !p.contains(d)) { open(false); e.stopPropagation() } };
  list.onclick = (e) => { e.stopPropagation(); const o = e.target;
    o.setAttribute('aria-selected', many ? o.ariaSelected !== 'true' : true);
    input.value = shown.textContent = many ? [...list.querySelectorAll('[aria-selected=true]')].map((x) => x.textContent).join(', ') : o.textContent;
    if (native) { native.textContent = o.textContent; native.selected = true }
    if (!many) open(false) };
}</script>`

func TestSetValueOfListsWithAHiddenInput(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, drawnLists)
	if outline := b.Outline(); !strings.Contains(outline, `textbox "City"`) || !strings.Contains(outline, `combobox "Tags"`) || !strings.Contains(outline, "Delivery") {
		t.Errorf("the reading is\n%s", outline)
	}
	for _, c := range []struct{ label, id, value, shown string }{
		{"City", "city", "Paris", "Paris"},
		{"Size", "size", "Large", "Large"},
		{"Tags", "tags", "Blue", "Blue"},
		{"Tags", "tags", `["Red","Blue"]`, "Red, Blue"},
		{"Hours", "days2", `["Early","Late"]`, "Early, Late"},
		{"Days", "days", `["Mon","Tue"]`, "Mon, Tue"},
	} {
		if c.id == "days" {
			b.JS("g.showModal()")
		}
		found, err := b.Locate.Find(b.Ctx, c.label, locate.FindOptions{Limit: 1, Want: locate.WantField})
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v %v in\n%s", c.label, found, err, b.Outline())
		}
		effect, err := b.Widget.SetValue(b.Ctx, found[0].Ref, c.value)
		got := b.JS(`(d => [d.querySelector('span').textContent, d.querySelector('ul').hidden, g.open].join('|'))(` + c.id + `.closest('.d'))`)
		if want := c.shown + "|true|" + strconv.FormatBool(c.id == "days"); err != nil || got != want || effect.Detached || effect.Element == nil || effect.Element.Value != c.shown {
			t.Errorf("%s = %s: the page has %s, want %s; %+v %v", c.label, c.value, got, want, effect, err)
		}
	}
}
