package act_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// A pressed button that the page puts back is no success; one that is pressed for a moment, and one that stays so, are.
func TestPressedButtonsThatArePutBack(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, `<button aria-pressed=false onclick="set(this, true); setTimeout(() => set(this, false), 200)">Mute</button>
<button aria-pressed=true onclick="set(this, false); fetch('/x', { method: 'POST' }).then(() => setTimeout(() => set(this, true), 50))">Follow</button>
<button aria-pressed=false onmousedown="set(this, true)" onmouseup="set(this, false)" onclick="setTimeout(() => { out.textContent = 'Rung' }, 100)">Ring</button>
<button aria-pressed=false onclick="set(this, true); setTimeout(() => {}, 200)">Star</button><p id=out role=status></p>
<script>function set(b, is) { b.setAttribute('aria-pressed', is) }</script>`)
	c.ExpectRefusal("NOT_APPLIED", "interact", tooltest.Args{"query": "Mute"}, "not pressed")
	c.ExpectRefusal("NOT_APPLIED", "interact", tooltest.Args{"query": "Follow"}, "pressed")
	c.Expect("interact", tooltest.Args{"query": "Ring"}, "clicked button")
	c.Expect("interact", tooltest.Args{"query": "Star"}, "pressed")
}

// Options that a search draws anew while one of them is about to be clicked are found again.
func TestOptionsThatASearchDrawsAnew(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, `<label for=i>City</label><input id=i role=combobox aria-controls=l aria-expanded=false autocomplete=off><ul id=l role=listbox hidden></ul><p id=out></p><script>
i.oninput = () => { l.hidden = true; setTimeout(() => { l.innerHTML = ''; l.hidden = false; i.setAttribute('aria-expanded', 'true');
  for (const name of ['Berlin', 'Bern', 'Bergen'].filter((n) => n.startsWith(i.value))) { const o = document.createElement('li'); o.setAttribute('role', 'option'); o.textContent = name;
    o.onclick = () => { i.value = out.textContent = name; l.hidden = true; i.setAttribute('aria-expanded', 'false') }; l.append(o) } }, 300) }
i.onblur = () => setTimeout(() => { if (!out.textContent) i.value = '' }, 50)</script>`)
	c.Expect("form_input", tooltest.Args{"query": "City", "value": "Bern"}, `= "Bern"`)
	c.ExpectScript("out.textContent", "Bern")
	c.ExpectRefusal("INVALID_ARGUMENTS", "form_input", tooltest.Args{"query": "City", "value": "Paris"}, "no option")
}

// A custom element that tells no bounds takes any number.
func TestNumbersWithoutBounds(t *testing.T) {
	t.Parallel()
	c, text := openHTML(t, `<label for=s>Stars</label> <x-s id=s tabindex=0>3</x-s><script>customElements.define('x-s', class extends HTMLElement { static formAssociated = true;
constructor() { super(); const i = this.attachInternals(); i.role = 'spinbutton'; i.ariaValueNow = '3';
  this.onkeydown = (e) => { i.ariaValueNow = this.textContent = +this.textContent + (e.key === 'ArrowUp') - (e.key === 'ArrowDown') } } })</script>`)
	if strings.Contains(text, "0 to 0") {
		t.Errorf("the reading has bounds:\n%s", text)
	}
	c.Expect("form_input", tooltest.Args{"query": "Stars", "value": "5"}, `= "5"`)
}
