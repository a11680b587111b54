package widget_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// labelled returns the ref of the field that a text labels.
func labelled(b *pagetest.Tab, text string) string {
	b.T.Helper()
	m, err := b.Locate.Name(b.Ctx, text, locate.FindOptions{Want: locate.WantField})
	if err != nil {
		b.T.Fatalf("the text %q labels %q, %v", text, m.Ref, err)
	}
	return m.Ref
}

const starRow = `<p>Stars</p><ul id=r style="display:flex;padding:0;list-style:none"></ul>
<p>Tools</p><div id=tools style="display:flex"><button class="i bold">B</button><button class="i italic">I</button><button class="i list">L</button></div><script>
var stars = 0; for (let i = 1; i <= 5; i++) { const li = document.createElement('li'); li.textContent = '☆'; li.className = 'star';
li.style = 'width:24px;height:24px;cursor:pointer'; li.onclick = () => { stars = i; [...r.children].forEach((c, n) => { c.textContent = n < i ? '★' : '☆' }) }; r.append(li) }</script>`

func TestSetValueOfARowOfStars(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, starRow)
	ref := labelled(b, "Stars")
	b.MustSet(ref, "4")
	if got := b.JS("stars"); got != "4" {
		t.Errorf("gave %v stars", got)
	}
	b.MustSet(ref, "2")
	if got := b.JS("stars"); got != "2" {
		t.Errorf("gave %v stars the second time", got)
	}
	_, err := b.Widget.SetValue(b.Ctx, ref, "7")
	if _, ok := errors.AsType[*document.ValueRefusedError](err); !ok {
		t.Errorf("seven of five stars give %v", err)
	}
	if m, err := b.Locate.Name(b.Ctx, "Tools", locate.FindOptions{Want: locate.WantField}); err == nil {
		t.Errorf("a row of buttons is taken for a rating: %s", m)
	}
}

func TestSetValueOfAStripOfStars(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<p>Your rating</p><div id=r style="width:160px;height:32px;cursor:pointer;background:url(data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=) 0 0/32px repeat-x"></div>
<script>var stars = 0; r.onclick = (e) => { stars = Math.ceil((e.clientX - r.getBoundingClientRect().left) / 32) }</script>`)
	b.MustSet(labelled(b, "Your rating"), "4")
	if got := b.JS("stars"); got != "4" {
		t.Errorf("gave %v stars", got)
	}
}

const drawnSliderFixture = `<p>Volume</p><div id=track style="position:relative;width:400px;height:10px;background:#ccc;margin:20px"></div><script>
var values = HANDLES, step = 10;
values.forEach((v, i) => { const h = document.createElement('span'); h.tabIndex = 0; track.append(h);
const draw = () => { h.style = 'position:absolute;top:-4px;width:18px;height:18px;margin-left:-9px;background:#333;left:' + values[i] + '%' }; draw();
h.onmousedown = (e) => { e.preventDefault(); const move = (e) => { values[i] = Math.max(0, Math.min(100, Math.round((e.clientX - track.getBoundingClientRect().left) / 4 / step) * step)); draw() };
addEventListener('mousemove', move); addEventListener('mouseup', () => removeEventListener('mousemove', move), { once: true }) } })</script>`

func replaceHandles(values string) string {
	return strings.Replace(drawnSliderFixture, "HANDLES", values, 1)
}

func TestSetValueOfADrawnSlider(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, replaceHandles("[10]"))
	b.MustSet(labelled(b, "Volume"), "40")
	if got := b.JS("values.join()"); got != "40" {
		t.Errorf("the volume is %v", got)
	}
	_, err := b.Widget.SetValue(b.Ctx, labelled(b, "Volume"), "45")
	if _, ok := errors.AsType[*document.ValueRefusedError](err); !ok {
		t.Errorf("a value between two steps gives %v", err)
	}
}

func TestSetValueOfADrawnSliderOfARange(t *testing.T) {
	t.Parallel()
	tab := pagetest.Show(t, "")
	for _, value := range []string{"20..60", `["20","60"]`, "20 - 60", "20-60", "[20,60]"} {
		b := tab.Row(t, replaceHandles("[10, 90]"))
		b.MustSet(labelled(b, "Volume"), value)
		if got := b.JS("values.join()"); got != "20,60" {
			t.Errorf("%s gives %v", value, got)
		}
	}
}

// replacedSelect is a native select that a script hides and draws anew; the native one is ignored.
const replacedSelect = `<label for=s>Toppings</label><div id=box role=combobox aria-haspopup=listbox aria-expanded=false tabindex=0 style="position:relative;width:200px;height:30px;border:1px solid">
<select id=s multiple style="position:absolute;opacity:0;pointer-events:none"><option>Ham</option><option>Cheese</option></select><span id=shown></span></div>
<ul id=list role=listbox hidden style="position:absolute;background:#fff;margin:0"><li role=option>Ham</li><li role=option>Cheese</li></ul><script>
var chosen = []; const open = (on) => { list.hidden = !on; box.setAttribute('aria-expanded', on) };
box.onclick = () => open(list.hidden); for (const o of list.children) o.onclick = () => { chosen.push(o.textContent); shown.textContent = chosen.join(); open(false) }</script>`

func TestSetValueOfASelectThatIsDrawnAnew(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, replacedSelect)
	b.MustSet(labelled(b, "Toppings"), `["Ham","Cheese"]`)
	if got := b.JS("chosen.join()"); got != "Ham,Cheese" {
		t.Errorf("chose %v", got)
	}
}

const cascade = `<label for=c>Place</label><input id=c role=combobox aria-expanded=false readonly>
<div role=tree>Other<div role=treeitem>Plants</div></div>
<div id=pop style="position:absolute;top:150px;background:#fff"></div><script>
var place = ''; const places = { Germany: ['Berlin', 'Munich'], Norway: ['Oslo'] };
const column = (names, pick) => { const ul = document.createElement('ul'); ul.setAttribute('role', 'menu'); pop.append(ul);
names.forEach((n) => { const li = document.createElement('li'); li.setAttribute('role', 'menuitemcheckbox'); li.textContent = n; li.onclick = () => pick(n); ul.append(li) }) };
c.onclick = () => { c.setAttribute('aria-expanded', 'true'); pop.innerHTML = ''; column(Object.keys(places), (a) => column(places[a], (b) => { place = a + '/' + b; pop.innerHTML = ''; c.setAttribute('aria-expanded', 'false') })) }</script>`

func TestSetValueOfACascade(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, cascade)
	b.MustSet(b.Ref("#c"), "Germany / Munich")
	if got := b.JS("place"); got != "Germany/Munich" {
		t.Errorf("chose %v", got)
	}
}
