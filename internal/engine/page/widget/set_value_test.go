package widget_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// controlledInput is a field as a framework controls it: it overrides the value property to tell
// the framework's own writes from a person's, and undoes every write that the framework does not
// accept.
const controlledInput = `<input id=f value=old><p id=state>old</p><script>
const f = document.getElementById('f'), own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
let tracked = 'old', state = 'old';
Object.defineProperty(f, 'value', { configurable: true, get() { return own.get.call(this) }, set(v) { tracked = String(v); own.set.call(this, v) } });
f.addEventListener('input', () => {
  const now = own.get.call(f);
  if (now === tracked) return;              // a write of its own: no change
  tracked = now; state = now.toUpperCase(); // the framework's state
  f.value = state;
  document.getElementById('state').textContent = state;
});</script>`

func TestSetValueOfAControlledInput(t *testing.T) {
	b := pagetest.Show(t, controlledInput)
	e := b.MustSet(b.Ref("#f"), "new")
	if e.Element.Value != "NEW" || !slices.Contains(e.Changes, "+ NEW") || b.JS("state") != "NEW" {
		t.Errorf("%+v, element %+v", e, e.Element)
	}
}

func TestSetValueOfEveryKind(t *testing.T) {
	b := pagetest.Show(t, `<script>window.log=[]; for (const type of ['input','change','click'])
 addEventListener(type, e => log.push(type+':'+e.target.id), true)</script>
<input id=text value=before><textarea id=area>before</textarea><div id=rich contenteditable aria-label=Rich><b>be</b>fore</div>
<select id=one aria-label=One><option value=a>Alpha<option value=b>Beta<option value=c disabled>Gamma</select>
<select id=many multiple aria-label=Many><option>x<option>y<option>z</select>
<input id=check type=checkbox><label><input id=fake type=checkbox style="position:absolute;opacity:0;width:0;height:0">Fancy</label>
<input id=r1 type=radio name=r><input id=r2 type=radio name=r checked>
<input id=date type=date><input id=color type=color><input id=range type=range min=0 max=10><input id=num type=number>
<div id=sw role=switch tabindex=0 aria-checked=false aria-label=Dark onclick="this.setAttribute('aria-checked', this.getAttribute('aria-checked')!='true')">D</div>`)
	for _, c := range []struct{ id, value, want, events string }{
		{"text", "ünï 🙂 \"q\"", "ünï 🙂 \"q\"", "input:text,change:text"},
		{"text", "", "", "input:text,change:text"},
		{"area", "two\nlines", "two\nlines", "input:area,input:area,input:area,change:area"},
		{"rich", "plain", "plain", "input:rich"},
		{"one", "b", "Beta", "input:one,change:one"},
		{"one", "alpha", "Alpha", "input:one,change:one"},
		{"one", "Alpha", "Alpha", ""},
		{"many", "x\nz", "x, z", "input:many,change:many"},
		{"date", "2024-02-29", "2024-02-29", "input:date,change:date"},
		{"color", "#FF0080", "#ff0080", "input:color,change:color"},
		{"range", "7", "7", "input:range,change:range"},
		{"num", "12.5", "12.5", "input:num,change:num"},
	} {
		ref := b.Ref("#" + c.id)
		b.JS(`(document.activeElement.blur(), log.length = 0)`)
		e := b.MustSet(ref, c.value)
		if e.Element.Value != c.want {
			t.Errorf("%s = %q: %q", c.id, c.value, e.Element.Value)
		}
		if got := b.JS("log.join()"); got != c.events {
			t.Errorf("%s: events %s, want %s", c.id, got, c.events)
		}
	}
	for _, c := range []struct{ id, value, want string }{
		{"check", "true", "true"}, {"check", "true", "true"}, {"check", "false", "false"},
		{"fake", "true", "true"}, {"r1", "true", "true"}, {"sw", "on", "true"},
	} {
		if e := b.MustSet(b.Ref("#"+c.id), c.value); e.Element.Checked != c.want {
			t.Errorf("%s = %s: %q", c.id, c.value, e.Element.Checked)
		}
	}
}

func TestSetValueRefusals(t *testing.T) {
	b := pagetest.Show(t, `<input id=off disabled><input id=ro readonly><fieldset disabled><input id=set></fieldset><p id=p tabindex=0>Text</p>
<input id=file type=file><select id=one><option value=a>Alpha<option disabled>Beta</select><input id=date type=date><input id=num type=number>
<input id=r type=radio checked><input id=c type=checkbox><input id=color type=color>`)
	set := func(id, value string) error {
		_, err := b.Widget.SetValue(b.Ctx, b.Ref("#"+id), value)
		return err
	}
	var fixed *document.NotEditableError
	for id, reason := range map[string]string{"off": "disabled", "ro": "read-only", "set": "disabled", "p": "takes no value", "file": "file"} {
		if err := set(id, "x"); !errors.As(err, &fixed) || !strings.Contains(fixed.Reason, reason) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if err := set("one", "Beta"); !errors.As(err, &fixed) {
		t.Errorf("disabled option: %v", err)
	}
	var none *document.OptionNotFoundError
	if err := set("one", "Gamma"); !errors.As(err, &none) || !slices.Equal(none.Options, []string{"Alpha", "Beta"}) {
		t.Errorf("missing option: %v", err)
	}
	var refused *document.ValueRefusedError
	for id, value := range map[string]string{"date": "29.2.2024", "num": "many", "r": "false", "c": "perhaps", "color": "red"} {
		if err := set(id, value); !errors.As(err, &refused) || refused.Value != value {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestTypeAndPress(t *testing.T) {
	b := pagetest.Show(t, `<p id=p>Words</p><input id=a><textarea id=t></textarea><form onsubmit="document.title='sent';return false"><input id=f></form>
<script>window.keys=[]; addEventListener('keydown', e => keys.push([e.ctrlKey&&'C',e.shiftKey&&'S',e.altKey&&'A',e.metaKey&&'M',e.key].filter(Boolean).join('+')));
window.held = new Set(); addEventListener('keydown', e => held.add(e.code)); addEventListener('keyup', e => held.delete(e.code))</script>`)
	var unfocused *input.NothingFocusedError
	if _, err := b.Keyboard.Type(b.Ctx, "x"); !errors.As(err, &unfocused) {
		t.Errorf("without focus: %v", err)
	}
	b.JS(`(a.focus(), 1)`)
	var no *document.NotActionableError
	if _, err := b.Keyboard.Focus(b.Ctx, b.Ref("#p")); !errors.As(err, &no) {
		t.Errorf("a paragraph took the focus: %v", err)
	}
	if e, err := b.Keyboard.Focus(b.Ctx, b.Ref("#a")); err != nil || e.Focus == nil || e.Focus.Ref != e.Element.Ref {
		t.Errorf("focusing: %+v %v", e, err)
	}
	press := func(keys string) settle.Effect {
		t.Helper()
		e, err := b.Keyboard.Press(b.Ctx, keys)
		if err != nil {
			t.Fatalf("%s: %v", keys, err)
		}
		return e
	}
	typed := func(text string) settle.Effect {
		t.Helper()
		e, err := b.Keyboard.Type(b.Ctx, text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		return e
	}
	if e := typed("Hi 日本 a+B!"); e.Element.Value != "Hi 日本 a+B!" {
		t.Errorf("typed %q", e.Element.Value)
	}
	if e := press("Control+a Backspace"); e.Element.Value != "" {
		t.Errorf("after select all and Backspace: %q", e.Element.Value)
	}
	if e := press("Shift+a b Shift+1 + ArrowLeft x"); e.Element.Value != "Ab!x+" {
		t.Errorf("keys gave %q", e.Element.Value)
	}
	if e := press("Tab"); e.Focus == nil || b.JS("document.activeElement.id") != "t" {
		t.Errorf("Tab led to %+v", e.Focus)
	}
	if e := typed("one\ntwo"); e.Element.Value != "one\ntwo" {
		t.Errorf("lines: %q", e.Element.Value)
	}
	if e := typed(strings.Repeat("long ", 100) + "\nend"); !strings.HasSuffix(b.JS("t.value.length"), "511") {
		t.Errorf("long text: %s, %+v", b.JS("t.value.length"), e.Element)
	}
	b.MustClick(b.Ref("#f"))
	if e := press("Enter"); e.Title != "sent" {
		t.Errorf("Enter: %+v", e)
	}
	b.JS("(keys.length = 0)")
	press("Control+Shift+k Escape")
	if got := b.JS("keys.join(' ')"); got != "C+Control C+S+Shift C+S+K Escape" {
		t.Errorf("keys seen: %s", got)
	}
	if b.JS("held.size") != "0" {
		t.Errorf("keys still held: %s", b.JS("[...held].join()"))
	}
	var bad *input.BadKeyError
	if _, err := b.Keyboard.Press(b.Ctx, "Tab Entr"); !errors.As(err, &bad) || bad.Nearest != "Enter" {
		t.Errorf("misspelt key: %v", err)
	}
}
