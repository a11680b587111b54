package widget_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// drawnGroups is a listbox of two groups that have an option in common.
const drawnGroups = `<div id=s role=listbox aria-label=Food><div role=group aria-label=Fruit><div role=option>Other</div></div>
<div role=group aria-label=Nuts><div role=option>Other</div><div role=option data-value=Other>Pecan</div></div></div><script>
for (const o of document.querySelectorAll('[role=option]')) o.onclick = () => { for (const p of document.querySelectorAll('[role=option]')) p.ariaSelected = p === o }</script>`

// TestSetValueByTheTextOfAnOption chooses by what a person reads, then by what only the markup says.
func TestSetValueByTheTextOfAnOption(t *testing.T) {
	t.Parallel()
	const chosen = "s.options[s.selectedIndex].text + ' ' + s.value"
	groups := `<select id=s><optgroup label=Fruit><option value=f>Other</option></optgroup><optgroup label=Nuts><option value=n>Other</option><option value=Other>Pecan</option></optgroup></select>`
	radios := `<fieldset id=s><legend>Size</legend><label><input type=radio name=s value=1> S</label><label><input type=radio name=s value=2> M</label><input type=radio name=s value=3> L</fieldset>`
	plain := `<select id=s><optgroup label=Red><option>Apple<option>Cherry</optgroup><optgroup label=Green><option>Apple</optgroup></select>`
	b := pagetest.Show(t, "")
	for _, c := range []struct {
		body, value, shows, want string
		candidates               []string
	}{
		{`<select id=s><option value=0>0<option value=2>1<option value=1>2</select>`, "1", chosen, "1 2", nil},
		{`<select id=s><option value=0>0<option value=Two>one<option value=ONE>Two</select>`, "two", chosen, "Two ONE", nil},
		{`<select id=s><option>-<option value=b>Beta</select>`, "b", chosen, "Beta b", nil},
		{groups, "Other", "", "", []string{"Other in Fruit", "Other in Nuts"}},
		{groups, "other in nuts", chosen, "Other n", nil},
		{groups, "Other (Nuts)", chosen, "Other n", nil},
		{groups, "Nuts > Other", chosen, "Other n", nil},
		{groups, "n", chosen, "Other n", nil},
		{plain, "Apple", "", "", []string{"Apple in Red", "Apple in Green"}},
		{plain, "Apple in Green", "s.selectedIndex", "2", nil},
		{plain, "cherry", "s.selectedIndex", "1", nil},
		{`<select id=s><optgroup label=Near><option value=a>Same</optgroup><optgroup label=All><option value=a>Same</optgroup></select>`, "Same", "s.selectedIndex", "0", nil},
		{`<select id=s><option value=0>-<option value=a>Same<option value=b>Same</select>`, "Same", "", "", []string{"a", "b"}},
		{`<select id=s><option value=0>-<option value=a disabled>Same<option value=b>Same</select>`, "Same", chosen, "Same b", nil},
		{`<select id=s multiple><option value=1>2<option value=2>1</select>`, `["1"]`, chosen, "1 2", nil},
		{drawnGroups, "Other", "", "", []string{"Other in Fruit", "Other in Nuts"}},
		{drawnGroups, "Other in Nuts", "s.querySelector('[aria-selected=true]').parentElement.ariaLabel", "Nuts", nil},
		{radios, "M", "s.querySelector(':checked').value", "2", nil},
		{radios, "3", "s.querySelector(':checked').value", "3", nil},
		{`<div id=s role=radiogroup aria-label=Size onclick="event.target.ariaChecked=true"><div role=radio tabindex=0 aria-checked=false>S</div><div role=radio tabindex=0 aria-checked=false>M</div></div>`, "m", "s.querySelector('[aria-checked=true]').textContent", "M", nil},
	} {
		b.Body(c.body)
		_, err := b.Widget.SetValue(b.Ctx, b.Ref("#s"), c.value)
		if c.candidates != nil {
			if several, ok := errors.AsType[*document.AmbiguousOptionError](err); !ok || !slices.Equal(several.Options, c.candidates) {
				t.Errorf("%s: %q gives %v, want %q", c.body, c.value, err, c.candidates)
			}
			continue
		}
		if got := b.JS(c.shows); err != nil || got != c.want {
			t.Errorf("%s: %q chooses %q (%v), want %q", c.body, c.value, got, err, c.want)
		}
	}
}

// An option that its list does not show is none that a person chooses, unless the page draws the list itself.
func TestSetValueOfAHiddenOption(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, "")
	for _, c := range []struct {
		body    string
		refused bool
	}{
		{`<select id=s><option>A<option hidden>B</select>`, true},
		{`<select id=s multiple><option>A<option style="display:none">B</select>`, true},
		{`<select id=s><option>A<optgroup label=G hidden><option>B</optgroup></select>`, true},
		{`<select id=s><option>A<option>B</select>`, false},
		{`<select id=s><option>A<option hidden>B<option>b</select>`, false},
		{`<select id=s style="position:absolute;opacity:0;width:1px;height:1px"><option>A<option hidden>B</select>`, false},
	} {
		b.Body(c.body)
		_, err := b.Widget.SetValue(b.Ctx, b.Ref("#s"), "B")
		_, refused := errors.AsType[*document.OptionNotFoundError](err)
		if refused != c.refused || (b.JS("s.selectedIndex > 0") == "true") == c.refused {
			t.Errorf("%s: %v", c.body, err)
		}
	}
}

// A field that its page replaces as it gets the focus is set in its successor of the same role and name.
func TestSetValueOfAFieldThatTheFocusReplaces(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, "")
	for _, c := range []struct {
		into string
		held bool
	}{
		{`<input id=i value=0.00>`, true}, {`<textarea id=i></textarea>`, true},
		{`<input id=o aria-label=Other>`, false}, {`<button>Amount</button>`, false},
	} {
		b.Body(`<label for=i>Amount</label><span id=s><input id=i></span><script>i.onfocus = () => { s.innerHTML = '` + c.into + `'; s.firstChild.focus() }</script>`)
		_, err := b.Widget.SetValue(b.Ctx, b.Ref("#i"), "12")
		if got := b.JS("s.firstChild.value"); (err == nil) != c.held || (got == "12") != c.held {
			t.Errorf("%s: %v, it holds %s", c.into, err, got)
		}
	}
}
