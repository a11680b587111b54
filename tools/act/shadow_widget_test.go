package act_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// shadowWidgets has a list whose options are in shadow trees, a field that stands in a slot of the box that is drawn
// around it, and fields in shadow trees between a text and a list without a name.
const shadowWidgets = `<!doctype html><style>:not(:defined) { display: none }</style><p><span>Nickname</span> <x-field></x-field></p>
<p><x-select></x-select></p><p><x-combo><label slot=label for=c>Country</label><input slot=input id=c role=combobox aria-expanded=false aria-controls=countries></x-combo></p>
<div role=listbox id=countries hidden style="position:fixed;top:200px;left:8px;background:#fff"><div role=option>Norway</div><div role=option>Sweden</div></div><p id=out></p><script>
const define = (name, html, ready = () => {}) => customElements.define(name, class extends HTMLElement {
  constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = html; ready(this, (css) => this.shadowRoot.querySelector(css)) } });
define('x-inner', '<input>');
define('x-field', '<x-inner></x-inner>');
define('x-option', '<div role=option tabindex=-1><slot></slot></div>');
define('x-select', '<div role=combobox aria-label=Size aria-expanded=false tabindex=0>Small</div><div id=p hidden style="position:fixed;top:100px;left:8px;background:#fff"><div role=listbox><x-option>Small</x-option><x-option>Large</x-option></div></div>', (host, $) => {
  const box = $('[role=combobox]'), open = (is) => { $('#p').hidden = !is; box.setAttribute('aria-expanded', is) };
  box.onclick = () => open($('#p').hidden);
  for (const o of host.shadowRoot.querySelectorAll('x-option')) o.onclick = () => { box.textContent = o.textContent; open(false) } });
define('x-combo', '<slot name=label></slot><div style="display:inline-block;border:1px solid"><slot name=input></slot></div>');
const field = document.getElementById('c'), list = document.getElementById('countries');
field.onclick = () => { list.hidden = false; field.setAttribute('aria-expanded', 'true') };
for (const o of list.children) o.onclick = () => { field.value = o.textContent; list.hidden = true; field.setAttribute('aria-expanded', 'false') };
</script><x-list role=listbox tabindex=0></x-list>`

// Fields and options are found, and read back, across shadow trees and slots.
func TestWidgetsOfShadowTrees(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, shadowWidgets)
	c.Expect("form_input", tooltest.Args{"query": "Size", "value": "Large"}, `= "Large"`)
	c.Expect("form_input", tooltest.Args{"query": "Country", "value": "Sweden"}, `= "Sweden"`)
	c.Expect("form_input", tooltest.Args{"query": "Nickname", "value": "Bob"}, `= "Bob"`)
	c.ExpectRefusal("INVALID_ARGUMENTS", "form_input", tooltest.Args{"query": "Size", "value": "Huge"}, "Small", "Large")
	c.ExpectScript(`[document.querySelector('x-select').shadowRoot.querySelector('[role=combobox]').textContent, field.value,
document.querySelector('x-field').shadowRoot.querySelector('x-inner').shadowRoot.querySelector('input').value].join()`, "Large,Sweden,Bob")
}
