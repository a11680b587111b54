package input

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// EventKind is the kind of an event.
type EventKind string

// The kinds of input.
const (
	MouseMove EventKind = "move"
	MouseDown EventKind = "down"
	MouseUp   EventKind = "up"
	Wheel     EventKind = "wheel"
	KeyDown   EventKind = "keydown"
	KeyUp     EventKind = "keyup"
	TextInput EventKind = "text" // of an input method, an on-screen keyboard or the clipboard
)

// Event is one event of a person's mouse or keyboard. Points are CSS pixels of the top viewport, as
// the picture of the page shows it.
type Event struct {
	Kind   EventKind `json:"kind"`
	X      float64   `json:"x"`
	Y      float64   `json:"y"`
	Button Button    `json:"button"`
	Clicks int64     `json:"clicks"` // 1 is a click, 2 the second press of a double click
	DeltaX float64   `json:"deltaX"` // of the wheel
	DeltaY float64   `json:"deltaY"`
	// Modifiers are the bits of the protocol: Alt 1, Control 2, Meta 4, Shift 8.
	Modifiers int64  `json:"modifiers"`
	Key       string `json:"key"` // as KeyboardEvent.key
	Code      string `json:"code"`
	KeyCode   int64  `json:"keyCode"`
	Location  int64  `json:"location"`
	Repeat    bool   `json:"repeat"`
	Text      string `json:"text"`
}

// maxInputText bounds the text of one event in characters, maxKeyName the names of a key in bytes, and maxCoordinate
// points and turns of the wheel in CSS pixels: a tab that gets one far beyond answers no further input.
const (
	maxInputText  = 10_000
	maxKeyName    = 32
	maxCoordinate = 1_000_000
)

// BadEventError reports an event that no mouse and no keyboard sends.
type BadEventError struct{ Reason string }

func (e *BadEventError) Error() string { return e.Reason }

// Check returns a BadEventError for an event that cannot be forwarded.
func (e Event) Check() error {
	bad := func(reason string) error { return &BadEventError{Reason: reason} }
	for _, at := range []float64{e.X, e.Y, e.DeltaX, e.DeltaY} {
		if !(math.Abs(at) <= maxCoordinate) {
			return bad("points and turns of the wheel are at most 1,000,000 pixels")
		}
	}
	switch e.Kind {
	case MouseDown, MouseUp:
		if e.Button != ButtonLeft && e.Button != ButtonMiddle && e.Button != ButtonRight {
			return bad(fmt.Sprintf("there is no button %q", e.Button))
		}
	case MouseMove, Wheel:
	case KeyDown, KeyUp:
		if e.Key == "" || len(e.Key) > maxKeyName || len(e.Code) > maxKeyName {
			return bad("a key has a name and a code of at most 32 bytes")
		}
	case TextInput:
		if n := utf8.RuneCountInString(e.Text); n == 0 || n > maxInputText {
			return bad(fmt.Sprintf("a text has 1 to %d characters", maxInputText))
		}
	default:
		return bad(fmt.Sprintf("there is no event %q", e.Kind))
	}
	if e.Modifiers < 0 || e.Modifiers > 15 || e.Clicks < 0 || e.Clicks > 3 {
		return bad("modifiers are from 0 to 15 and clicks from 0 to 3")
	}
	return nil
}

// Held are the buttons and keys that a person holds down in one page: a release is dispatched only for a press,
// and nothing stays pressed. The zero value holds nothing.
type Held struct {
	loader  cdp.LoaderID   // the document of the presses
	at      document.Point // where the pointer is
	buttons map[Button]Event
	keys    map[string]Event // by code
}

// Empty reports whether nothing is held down.
func (h *Held) Empty() bool { return len(h.buttons)+len(h.keys) == 0 }

func (h *Held) buttonBits() int64 {
	var bits int64
	for b := range h.buttons {
		bits |= buttonBit(b)
	}
	return bits
}

// Forward dispatches an event of a person as real input. A release without its press is dropped, and
// what was held down when another document replaced the page is released first. It waits until the page has
// handled the event.
func (fw *Forwarder) Forward(ctx context.Context, held *Held, e Event) error {
	if err := e.Check(); err != nil {
		return err
	}
	fw.pointer = pointerPosition{} // an action of the agent moves it again
	if now := fw.doc.Tracker.CommittedLoader(); !held.Empty() && now != held.loader {
		if err := fw.ReleaseHeld(ctx, held); err != nil {
			return err
		}
	}
	held.loader = fw.doc.Tracker.CommittedLoader()
	switch e.Kind {
	case KeyDown, KeyUp:
		return fw.forwardKey(ctx, held, e)
	case TextInput:
		return fw.insertText(ctx, e.Text)
	}
	return fw.forwardMouse(ctx, held, e)
}

func (fw *Forwarder) forwardMouse(ctx context.Context, held *Held, e Event) error {
	held.at = document.Point{X: e.X, Y: e.Y}
	if e.Kind == Wheel {
		turn := wheelParams{Type: "mouseWheel", X: e.X, Y: e.Y, DeltaX: e.DeltaX, DeltaY: e.DeltaY, Modifiers: e.Modifiers}
		if err := fw.doc.Session.Call(ctx, input.DispatchMouseEvent.Method, turn, nil); err != nil {
			return fmt.Errorf("turning the wheel: %w", err)
		}
		return nil
	}
	event := input.DispatchMouseEventParams{X: e.X, Y: e.Y, Modifiers: e.Modifiers, Button: "none"}
	switch e.Kind {
	case MouseMove:
		event.Type = "mouseMoved"
		for b := range held.buttons {
			event.Button = input.MouseButton(b)
		}
	case MouseDown:
		if held.buttons == nil {
			held.buttons = make(map[Button]Event)
		}
		held.buttons[e.Button] = e // before the browser answers: the page may hang in its handler
		event.Type, event.Button, event.ClickCount = "mousePressed", input.MouseButton(e.Button), max(1, e.Clicks)
	case MouseUp:
		press, ok := held.buttons[e.Button]
		if !ok {
			return nil
		}
		delete(held.buttons, e.Button)
		event.Type, event.Button, event.ClickCount = "mouseReleased", input.MouseButton(e.Button), max(1, press.Clicks)
	}
	event.Buttons = held.buttonBits()
	return fw.dispatchMouse(ctx, event)
}

func (fw *Forwarder) forwardKey(ctx context.Context, held *Held, e Event) error {
	if e.Kind == KeyUp {
		if _, ok := held.keys[e.Code]; !ok {
			return nil
		}
		delete(held.keys, e.Code)
		return fw.dispatchInputKey(ctx, "keyUp", e)
	}
	if held.keys == nil {
		held.keys = make(map[string]Event)
	}
	held.keys[e.Code] = e
	e.Text = e.typedText()
	if e.Text == "" {
		return fw.dispatchInputKey(ctx, "rawKeyDown", e)
	}
	return fw.dispatchInputKey(ctx, "keyDown", e)
}

// typedText returns the text that a key types; "" for a command.
func (e Event) typedText() string {
	const alt, control, meta = 1, 2, 4
	switch bits := e.Modifiers & (alt | control | meta); {
	case bits != 0 && bits != alt|control: // AltGr is both
		return ""
	case e.Key == "Enter":
		return "\r"
	case utf8.RuneCountInString(e.Key) == 1:
		return e.Key
	}
	return ""
}

func (fw *Forwarder) dispatchInputKey(ctx context.Context, kind input.DispatchKeyEventType, e Event) error {
	params := input.DispatchKeyEventParams{
		Type: kind, Key: e.Key, Code: e.Code, Modifiers: e.Modifiers, Text: e.Text, UnmodifiedText: e.Text,
		WindowsVirtualKeyCode: e.KeyCode, NativeVirtualKeyCode: e.KeyCode, AutoRepeat: &e.Repeat,
	}
	if e.Location == 1 || e.Location == 2 {
		params.Location = e.Location
	}
	keypad := e.Location == 3
	params.IsKeypad = &keypad
	if _, err := cdp.Call(ctx, fw.doc.Session, input.DispatchKeyEvent, params); err != nil {
		return fmt.Errorf("dispatching %s %q: %w", kind, e.Key, err)
	}
	return nil
}

// ReleaseHeld releases every button and key that is held down, on every path: with a deadline of its own
// when ctx has ended.
func (fw *Forwarder) ReleaseHeld(ctx context.Context, held *Held) error {
	var errs []error
	for _, code := range slices.Sorted(maps.Keys(held.keys)) {
		e := held.keys[code]
		delete(held.keys, code)
		e.Kind, e.Modifiers, e.Text = KeyUp, 0, ""
		withReleaseDeadline(ctx, func(ctx context.Context) { errs = append(errs, fw.dispatchInputKey(ctx, "keyUp", e)) })
	}
	for _, b := range slices.Sorted(maps.Keys(held.buttons)) {
		press := held.buttons[b]
		delete(held.buttons, b)
		event := input.DispatchMouseEventParams{
			Type: "mouseReleased", X: held.at.X, Y: held.at.Y, Button: input.MouseButton(b), ClickCount: max(1, press.Clicks), Buttons: held.buttonBits(),
		}
		withReleaseDeadline(ctx, func(ctx context.Context) { errs = append(errs, fw.dispatchMouse(ctx, event)) })
	}
	fw.pointer = pointerPosition{}
	return errors.Join(errs...)
}
