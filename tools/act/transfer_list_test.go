package act_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

const transferPage = `<!doctype html><title>Rights</title><p>Rights</p><div style="display:flex">
<div><p>Available</p><ul role=listbox></ul></div><div><button>Add</button><button>Remove</button></div><div><p>Granted</p><ul role=listbox></ul></div></div>
<label>Reason<input id=reason></label><script>
const uls = document.querySelectorAll('ul'), buttons = document.querySelectorAll('button');
for (const name of ['Read', 'Write', 'Admin']) { const li = document.createElement('li'); li.role = 'option'; li.textContent = name; li.ariaSelected = 'false';
  li.onclick = () => { li.ariaSelected = String(li.ariaSelected !== 'true') }; uls[0].append(li) }
[0, 1].forEach((from) => buttons[from].onclick = () => { for (const li of uls[from].querySelectorAll('[aria-selected=true]')) { li.ariaSelected = 'false'; uls[1 - from].append(li) } });
var held = () => [...uls[1].children].map((li) => li.textContent).sort().join()</script>`

// TestTransferListByEachTool sets what the second of two lists holds by its title, its label or a ref.
func TestTransferListByEachTool(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, transferPage)
	answer := c.Expect("form_input", tooltest.Args{"query": "Granted", "value": `["Write","Admin"]`}, `set group "Granted" [e`, `"Write, Admin"`)
	c.ExpectScript("held()", "Admin,Write")
	c.Call("form_input", tooltest.Args{"ref": tooltest.Ref(t, answer, `"Granted"`), "value": []string{"Read"}})
	c.ExpectScript("held()", "Read")
	c.Call("fill_form", tooltest.Args{"fields": []tooltest.Args{{"query": "Rights", "value": `["Admin"]`}, {"query": "Reason", "value": "[urgent]"}}})
	c.ExpectScript("held() + reason.value", "Admin[urgent]")
	c.Call("act", tooltest.Args{"steps": []tooltest.Args{{"action": "set", "query": "Granted", "value": `[]`}}})
	c.ExpectScript("held()", `""`)
	c.ExpectRefusal("INVALID_ARGUMENTS", "form_input", tooltest.Args{"query": "Granted", "value": `["Wrife"]`}, "neither list shows", "Wrife", "try form_input", "Write")
}
