package control_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/session/control"
)

// TestKeysAndWheel edits a field by keys and texts, and scrolls.
func TestKeysAndWheel(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{})
	s.eval("(document.body.append(Object.assign(document.createElement('div'), { style: 'height:4000px' })), 1)", new(int))
	s.attend(ann)
	s.take(ann)
	key := func(name string, code int64, modifiers int64) {
		e := input.Event{Kind: input.KeyDown, Key: name, Code: name, KeyCode: code, Modifiers: modifiers}
		released := e
		released.Kind = input.KeyUp
		s.act(ann, e, released)
	}
	s.act(ann, click("Person field")...)
	s.act(ann, input.Event{Kind: input.TextInput, Text: "日本x"})
	key("Backspace", 8, 0)
	var value string
	if s.eval("document.querySelector('[data-id=pf]').value", &value); value != "日本" {
		t.Errorf("the field has %q", value)
	}
	s.act(ann, input.Event{Kind: input.Wheel, X: 600, Y: 400, DeltaY: 400})
	s.eval("new Promise((done) => { const look = () => (scrollY > 100 ? done('') : setTimeout(look, 20)); look(); })", new(string))
	key("a", 65, 2)
	s.handBack(ann, "")
	s.Expect("read_page", nil, `typed into textbox "Person field" = "日本"`, "scrolled", `pressed Control+a in textbox "Person field"`)
}

// TestFieldsOfOneRequest types into two fields by events of one request, as a page sends them that was kept waiting: each
// field has its value in the result.
func TestFieldsOfOneRequest(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{})
	s.attend(ann)
	s.take(ann)
	events := append(click("Passphrase"), keys("swordfish")...)
	events = append(append(events, click("Person field")...), keys("hello")...)
	tab := input.Event{Kind: input.KeyDown, Key: "Tab", Code: "Tab", KeyCode: 9}
	released := tab
	released.Kind = input.KeyUp
	s.act(ann, append(events, tab, released)...)
	s.handBack(ann, "")
	s.Expect("read_page", nil, `typed into textbox "Passphrase", a secret field`, `typed into textbox "Person field" = "hello"`, `pressed Tab in textbox "Person field"`)
}
