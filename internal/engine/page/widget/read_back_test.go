package widget_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/proctest"
)

// drawnList returns a select that a script draws, with what a press on its second option does.
func drawnList(press string) string {
	return `<div id=f role=combobox tabindex=0 aria-label=Num aria-haspopup=listbox aria-expanded=false aria-controls=lb onclick="lb.hidden=!lb.hidden;this.ariaExpanded=String(!lb.hidden)">One</div>
<div role=listbox id=lb hidden><div role=option>One</div><div role=option onclick="` + press + `">Two</div></div><script>const close = () => { lb.hidden = true; f.ariaExpanded = 'false' }</script>`
}

// typedList returns a field with suggestions, with what a press on one does.
func typedList(press string) string {
	return `<label>City <input id=f role=combobox aria-expanded=false aria-controls=lb autocomplete=off oninput="lb.hidden=false;this.ariaExpanded='true'"></label>
<ul role=listbox id=lb hidden><li role=option onclick="` + press + `">Oslo<li role=option onclick="` + press + `">Bergen</ul><script>const close = () => { lb.hidden = true; f.ariaExpanded = 'false' }</script>`
}

// unapplied are fields that do not hold what is set, and what they hold instead.
var unapplied = map[string]struct{ field, value, holds string }{
	"input that cancels":                {`<input id=f value=old onbeforeinput="event.preventDefault()">`, "new", "old"},
	"textarea that cancels":             {`<textarea id=f onbeforeinput="event.preventDefault()">old</textarea>`, "new", "old"},
	"editable that cancels":             {`<div id=f role=textbox contenteditable onbeforeinput="event.preventDefault()">old</div>`, "new", "old"},
	"document that cancels":             {`<input id=f><script>document.addEventListener('beforeinput', e => e.preventDefault(), true)</script>`, "new", ""},
	"put back at once":                  {`<input id=f value=old oninput="this.value = 'old'">`, "new", "old"},
	"put back by a promise":             {`<input id=f value=old oninput="Promise.resolve().then(() => this.value = 'old')">`, "new", "old"},
	"put back by a timer":               {`<input id=f value=old oninput="setTimeout(() => this.value = 'old', 200)">`, "new", "old"},
	"put back in a frame":               {`<input id=f value=old oninput="requestAnimationFrame(() => this.value = 'old')">`, "new", "old"},
	"put back by a message":             {`<input id=f value=old oninput="const c = new MessageChannel; c.port1.onmessage = () => this.value = 'old'; c.port2.postMessage(1)">`, "new", "old"},
	"put back by a response":            {`<input id=f value=old oninput="fetch('/').then(r => r.text()).then(() => this.value = 'old')">`, "new", "old"},
	"put back on change":                {`<input id=f value=old onchange="this.value = 'old'">`, "new", "old"},
	"drawn anew":                        {`<form id=o><input id=f name=n value=old oninput="setTimeout(() => o.innerHTML = o.innerHTML, 100)"></form>`, "new", "old"},
	"shorter than the text":             {`<input id=f maxlength=3>`, "abcdef", "abc"},
	"characters that it drops":          {`<input id=f oninput="this.value = this.value.replace(/[^0-9]/g, '')">`, "seven7", "7"},
	"not emptied":                       {`<input id=f value=old onbeforeinput="event.preventDefault()">`, "", "old"},
	"added to the old text":             {`<input id=f value=old oninput="this.value = 'old' + this.value">`, "new", "oldnew"},
	"select put back":                   {`<select id=f onchange="this.value = 'a'"><option value=a>Alpha<option value=b>Beta</select>`, "Beta", "Alpha"},
	"select put back by a timer":        {`<select id=f onchange="setTimeout(() => this.value = 'a', 150)"><option value=a>Alpha<option value=b>Beta</select>`, "Beta", "Alpha"},
	"several of a select put back":      {`<select id=f multiple onchange="this.options[1].selected = false"><option>x<option>y</select>`, "x\ny", "x"},
	"date put back":                     {`<input id=f type=date value=2024-01-01 onchange="this.value = '2024-01-01'">`, "2026-01-31", "2024-01-01"},
	"range put back":                    {`<input id=f type=range min=0 max=10 value=3 oninput="setTimeout(() => this.value = 3, 50)">`, "7", "3"},
	"checkbox put back":                 {`<input id=f type=checkbox onchange="this.checked = false">`, "true", "unchecked"},
	"checkbox put back by a timer":      {`<input id=f type=checkbox onchange="setTimeout(() => this.checked = false, 200)">`, "true", "unchecked"},
	"switch put back by a timer":        {`<div id=f role=switch tabindex=0 aria-checked=false onclick="this.ariaChecked='true'; setTimeout(() => this.ariaChecked='false', 100)">S</div>`, "true", "unchecked"},
	"editable put back by a timer":      {`<div id=f role=textbox contenteditable oninput="setTimeout(() => this.textContent = 'old', 100)">old</div>`, "new", "old"},
	"sign that it drops on change":      {`<input id=f onchange="this.value = this.value.replace('-', '')">`, "-50", "50"},
	"point that it drops on change":     {`<input id=f onchange="this.value = this.value.replace('.', '')">`, "12.50", "1250"},
	"cents of a whole number on change": {`<input id=f onchange="this.value = '$' + (this.value / 100).toFixed(2)">`, "1250", "$12.50"},
	"digits in another order on change": {`<input id=f onchange="this.value = [...this.value].reverse().join('')">`, "1234", "4321"},
	"sign that it drops":                {`<input id=f oninput="this.value = this.value.replace('-', '')">`, "-50", "50"},
	"point that it drops":               {`<input id=f oninput="this.value = this.value.replace('.', '')">`, "12.50", "1250"},
	"number field with a limit":         {`<input id=f type=number oninput="if (this.value > 9) this.value = 9">`, "12", "9"},
}

// unchosen are lists that a script draws, whose control does not show what is chosen.
var unchosen = map[string]struct{ field, value, holds string }{
	"list that does nothing":   {drawnList(""), "Two", "One"},
	"list that only closes":    {drawnList("close()"), "Two", "One"},
	"list that takes another":  {drawnList("f.textContent = 'Three'; f.textContent = 'One'; close()"), "Two", "One"},
	"list put back by a timer": {drawnList("f.textContent = 'Two'; close(); setTimeout(() => f.textContent = 'One', 200)"), "Two", "One"},
	"suggestion that empties":  {typedList("f.value = ''; close()"), "Bergen", ""},
	"suggestion of another":    {typedList("f.value = 'Oslo'; close()"), "Bergen", "Oslo"},
	"options that do nothing":  {`<div id=f role=listbox aria-label=Num tabindex=0><div role=option aria-selected=true>One</div><div role=option aria-selected=false>Two</div></div>`, "Two", ""},
}

func TestSetValueComparesWhatTheFieldHolds(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, "")
	cases := maps.Clone(unapplied)
	maps.Copy(cases, unchosen)
	for name, c := range proctest.Pick(t, cases, "input that cancels", "put back at once", "put back by a timer", "put back by a response", "put back on change",
		"drawn anew", "shorter than the text", "characters that it drops", "not emptied", "select put back by a timer", "date put back", "range put back",
		"checkbox put back by a timer", "switch put back by a timer", "editable put back by a timer", "list that does nothing", "list put back by a timer",
		"suggestion of another") {
		t.Run(name, func(t *testing.T) {
			b.Body(c.field)
			_, err := b.Widget.SetValue(b.Ctx, b.Ref("#f"), c.value)
			if not, ok := errors.AsType[*document.NotAppliedError](err); !ok || not.Holds != c.holds {
				t.Errorf("set to %q: %v", c.value, err)
			}
		})
	}
}

// Formats, corrections and spreads are not refused.
func TestSetValueAcceptsFormats(t *testing.T) {
	b := pagetest.Show(t, "")
	for name, c := range map[string]struct{ field, value, holds string }{
		"telephone": {`<input id=f oninput="this.value = this.value.replace(/(\d{3})(\d{3})(\d{4})/, '($1) $2-$3')">`, "5551234567", "(555) 123-4567"},
		"currency":  {`<input id=f value="$5.00" onchange="this.value = '$' + Number(this.value).toFixed(2)">`, "500", "$500.00"},
		"upper":     {`<input id=f value=old oninput="this.value = this.value.toUpperCase()">`, "new", "NEW"},
		"flag":      {drawnList("f.firstChild.data = '+47'; close()"), "Two", "+47"},
		"count":     {drawnList("f.textContent = '1 selected'; close()"), "Two", "1 selected"},
		"icon":      {drawnList("f.firstChild.className = 'two'; close()") + `<script>f.innerHTML = '<i class=one style="display:inline-block;width:9px;height:9px"></i>'</script>`, "Two", ""},
		"token":     {drawnList("f.insertAdjacentHTML('afterend', '<b>Two</b>'); close()"), "Two", "One"},
		"several":   {drawnList("m.options[1].selected = true; close()") + `<select id=m multiple hidden><option selected>One<option>Two</select><script>f.innerHTML = '&nbsp;'</script>`, "Two", ""},
		"date":      {`<input id=f onchange="this.value = this.value.split('-').reverse().join('/')">`, "2026-01-31", "31/01/2026"},
		"comma":     {`<input id=f onchange="this.value = this.value.replace('.', ',')">`, "12.50", "12,50"},
		"thousands": {`<input id=f onchange="this.value = '1.234,50 kr'">`, "1234.5", "1.234,50 kr"},
		"decimals":  {`<input id=f onchange="this.value = Number(this.value)">`, "12.50", "12.5"},
		"debit":     {`<input id=f onchange="this.value = '(50.00)'">`, "-50", "(50.00)"},
		"card":      {`<input id=f onchange="this.value = this.value.match(/..../g).join(' ')">`, "4111111111111111", "4111 1111 1111 1111"},
		"day first": {`<input id=f onchange="this.value = '31.1.2026'">`, "2026-01-31", "31.1.2026"},
		"spaces":    {`<input id=f onchange="this.value = this.value.trim()">`, " new ", "new"},
		"completed": {`<input id=f oninput="this.value = 'Berlin'">`, "Ber", "Berlin"},
		"debounced": {`<input id=f oninput="setTimeout(() => document.title = 'searched', 100)">`, "new", "new"},
		"code":      {`<div><input id=f maxlength=1 oninput="[...this.parentNode.children].forEach((c, i) => c.value = '123'[i])"><input maxlength=1><input maxlength=1></div>`, "123", "123"},
		"late":      {`<div id=f role=textbox contenteditable onbeforeinput="event.preventDefault(); setTimeout(() => this.textContent = event.data, 80)">old</div>`, "new", "new"},
		"emptied":   {`<input id=f value=7 onchange="this.value ||= '0'">`, "", "0"},
		"the same":  {`<input id=f value=new onbeforeinput="event.preventDefault()">`, "new", "new"},
	} {
		t.Run(name, func(t *testing.T) {
			b.Body(c.field)
			if e := b.MustSet(b.Ref("#f"), c.value); e.Element.Value != c.holds {
				t.Errorf("set to %q: %q", c.value, e.Element.Value)
			}
		})
	}
}

func TestTypingComparesWhatTheFieldHolds(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, "")
	for name, c := range proctest.Pick(t, unapplied, "input that cancels", "editable put back by a timer", "put back by a response", "drawn anew",
		"shorter than the text", "characters that it drops", "number field with a limit") {
		if strings.Contains(c.field, "<select") || strings.Contains(c.field, "type=") && !strings.Contains(c.field, "number") ||
			strings.Contains(c.field, "role=switch") || c.value == "" || strings.Contains(name, "change") || strings.Contains(name, "old text") {
			continue // takes no typing, or is no different from it
		}
		t.Run(name, func(t *testing.T) {
			b.Body(c.field)
			b.JS(`(f.focus(), f.select?.(), 1)`)
			_, err := b.Keyboard.Type(b.Ctx, c.value)
			if not, ok := errors.AsType[*document.NotAppliedError](err); !ok || not.Holds != c.holds {
				t.Errorf("typed %q: %v", c.value, err)
			}
		})
	}
}

// TestTypingOverASelection types a text that resembles what it replaces: of the selection nothing stays.
func TestTypingOverASelection(t *testing.T) {
	t.Parallel()
	tab := pagetest.Show(t, "")
	for name, c := range map[string]struct{ field, selects, value, want string }{
		"a date":       {`<input id=f value=2026-03-10>`, `f.select()`, "2026-03-20", "2026-03-20"},
		"a part":       {`<input id=f value="June 2026">`, `f.setSelectionRange(0, 4)`, "Jun", "Jun 2026"},
		"an area":      {`<textarea id=f>one two</textarea>`, `f.select()`, "one", "one"},
		"a rich field": {`<div id=f contenteditable>one two</div>`, `getSelection().selectAllChildren(f)`, "one", "one"},
	} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, c.field)
			b.JS(`(f.focus(), ` + c.selects + `, 1)`)
			if _, err := b.Keyboard.Type(b.Ctx, c.value); err != nil {
				t.Error(err)
			}
			if got := b.JS(`f.value ?? f.innerText`); got != c.want {
				t.Errorf("it holds %v", got)
			}
		})
	}
}

func TestNotAppliedShowsNoSecret(t *testing.T) {
	b := pagetest.Show(t, `<input id=f type=password value=hunter2 onbeforeinput="event.preventDefault()">`)
	_, err := b.Widget.SetValue(b.Ctx, b.Ref("#f"), "new")
	not, ok := errors.AsType[*document.NotAppliedError](err)
	if !ok || not.Holds != "" || strings.Contains(err.Error(), "hunter2") || len(not.Fields()) != 1 {
		t.Errorf("%v", err)
	}
}
