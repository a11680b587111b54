package widget_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// transferOfChecks has a checkbox for each item and nameless buttons that are enabled by a selection,
// the button back first. Its empty list has no list element.
const transferOfChecks = `<p>Rights</p><div id=box style="display:flex"></div><p>Other</p><input id=other><script>
var lists = [['Read', 'Write', 'Admin', 'Audit'], []], held = new Set(['Audit']);
Object.defineProperty(window, 'holds', { get: () => lists[1].join() });
function draw() {
  box.replaceChildren(); const side = (title, i) => { const el = document.createElement('section'); el.style.width = '200px';
    el.innerHTML = '<header><input type=checkbox>' + lists[i].length + ' items<b>' + title + '</b></header>' + (lists[i].length ? '<ul></ul>' : '<p>No data</p>');
    for (const name of lists[i]) { const li = document.createElement('li'); li.innerHTML = '<input type=checkbox> <span></span>'; li.lastChild.textContent = name;
      li.firstChild.checked = held.has(name); li.onclick = () => { held.has(name) ? held.delete(name) : held.add(name); draw() }; el.lastChild.append(li) }
    return el };
  const moves = document.createElement('div');
  for (const to of [0, 1]) { const b = document.createElement('button'); b.innerHTML = '<svg width=9 height=9></svg>'; b.disabled = !lists[1 - to].some((n) => held.has(n));
    b.onclick = () => setTimeout(() => { for (const n of lists[1 - to].filter((n) => held.has(n))) { lists[1 - to].splice(lists[1 - to].indexOf(n), 1); lists[to].push(n); held.delete(n) } draw() }, 30); moves.append(b) }
  box.append(side('Available', 0), moves, side('Granted', 1)) }
draw()</script>`

// transferOfOptions has listboxes of options, and buttons that say by their names where they move.
const transferOfOptions = `<p>Rights</p><div id=box style="display:flex"><div><p>Available</p><ul role=listbox></ul></div><div></div><div><p>Granted</p><ul role=listbox></ul></div></div><script>
var holding = null; const uls = document.querySelectorAll('#box ul'), add = (name, to) => { const li = document.createElement('li'); li.role = 'option'; li.textContent = name; li.ariaSelected = 'false';
  li.onclick = () => { if (holding) holding.ariaSelected = 'false'; holding = li; li.ariaSelected = 'true' }; uls[to].append(li) };
['Read', 'Write', 'Admin', 'Audit'].forEach((n) => add(n, 0));
const b = (label, to, all) => { const el = document.createElement('button'); el.ariaLabel = label; el.innerHTML = '<i>x</i>'; box.children[1].append(el);
  el.onclick = () => { for (const li of [...uls[1 - to].children]) if (all || li === holding) { li.remove(); add(li.textContent, to) } } };
b('Move All to Target', 1, true); b('Move to Target', 1); b('Move to Source', 0); b('Move All to Source', 0, true);
Object.defineProperty(window, 'holds', { get: () => [...uls[1].children].map((li) => li.textContent).join() })</script>`

// transferOfSelects has two native lists, and items that are the buttons' only hint.
const transferOfSelects = `<p>Rights</p><table><tr><td><select multiple size=5 aria-label=Available><option>Read<option>Write<option>Admin<option>Audit</select>
<td><button onclick="move(0, 1)">&gt;</button><button onclick="move(1, 0)">&lt;</button><td><select multiple size=5 aria-label=Granted></select></table><script>
const s = document.querySelectorAll('select'), move = (from, to) => { for (const o of [...s[from].selectedOptions]) s[to].append(o) };
Object.defineProperty(window, 'holds', { get: () => [...s[1].options].map((o) => o.text).join() })</script>`

// transferTarget returns the ref of the list that a text heads or labels.
func transferTarget(b *pagetest.Tab, text string) string {
	b.T.Helper()
	ref, err := b.Locate.TransferByLabel(b.Ctx, text)
	if err != nil || ref == "" {
		b.T.Fatalf("the text %q labels the transfer list %q, %v", text, ref, err)
	}
	return ref
}

func TestSetValueOfATransferList(t *testing.T) {
	t.Parallel()
	tab := pagetest.Show(t, "")
	for name, fixture := range map[string]string{"checkboxes": transferOfChecks, "options": transferOfOptions, "selects": transferOfSelects} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, fixture)
			granted := "Granted"
			if name == "selects" {
				granted = "Rights" // its title is no text
			}
			for _, c := range []struct{ label, value, want string }{
				{granted, `["Write","Admin"]`, "Admin,Write"}, {"Rights", `["Read","Write"]`, "Read,Write"}, {granted, `["write"]`, "Write"}, {"Rights", `[]`, ""}, {"Rights", `["Audit"]`, "Audit"},
			} {
				effect := b.MustSet(transferTarget(b, c.label), c.value)
				if got := b.JS("holds.split(',').sort().join()"); got != c.want {
					t.Errorf("%s = %s: it holds %s, want %s", c.label, c.value, got, c.want)
				}
				if e := effect.Element; e == nil || e.Name != "Granted" || strings.Count(e.Value, ",") != strings.Count(c.want, ",") {
					t.Errorf("%s = %s: the effect reports %+v", c.label, c.value, e)
				}
			}
			_, err := b.Widget.SetValue(b.Ctx, transferTarget(b, "Rights"), `["Audit","Wride"]`)
			if refused, ok := errors.AsType[*document.ValueRefusedError](err); !ok || refused.Example != `["Audit","Write"]` {
				t.Errorf("an item that neither list has gives %v", err)
			}
		})
	}
}

func TestTransferListRefusesItsSource(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, transferOfChecks)
	source, target := transferTarget(b, "Available"), transferTarget(b, "Granted")
	_, err := b.Widget.SetValue(b.Ctx, source, `["Read"]`)
	if refused, ok := errors.AsType[*document.ValueRefusedError](err); !ok || refused.Ref != target || b.JS("holds") != "" {
		t.Errorf("setting the source gives %v, and the target holds %q", err, b.JS("holds"))
	}
	if ref, err := b.Locate.TransferByLabel(b.Ctx, "Other"); ref != "" || err != nil {
		t.Errorf("the label of another field is taken for that of the lists: %q, %v", ref, err)
	}
}

func TestTransferListWithoutAButtonThatMoves(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, strings.Replace(transferOfSelects, "move(0, 1)", "0", 1))
	_, err := b.Widget.SetValue(b.Ctx, transferTarget(b, "Rights"), `["Read"]`)
	if refused, ok := errors.AsType[*document.ValueRefusedError](err); !ok || !strings.Contains(refused.Reason, `"Read" is selected, and no button moves it to the list "Granted"`) {
		t.Errorf("a button that moves nothing gives %v", err)
	}
}

// TestListsAreNoTransferList: alike lists with other things between them, and lists that nothing is
// selected in.
func TestListsAreNoTransferList(t *testing.T) {
	t.Parallel()
	tab := pagetest.Show(t, "")
	for _, body := range []string{
		`<p>Todo</p><div><ul><li>One</ul><button>Add</button><ul><li>Two</ul></div>`,
		strings.Replace(transferOfSelects, "<td><button", "<td>Filter <input><button", 1),
		`<p>Rights</p><select multiple><option>Read</select><button>Save</button>`,
	} {
		b := tab.Row(t, body)
		if ref, err := b.Locate.TransferByLabel(b.Ctx, "Rights"); ref != "" || err != nil {
			t.Errorf("%s is a transfer list: %q, %v", body, ref, err)
		}
		if ref, _ := b.Locate.TransferByLabel(b.Ctx, "Todo"); ref != "" {
			t.Errorf("%s is a transfer list", body)
		}
	}
}
