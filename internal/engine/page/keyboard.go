package page

import (
	"cmp"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// maxKeyedRunes is how much text is typed key by key. Longer text is inserted at once, as from an
// input method, because two events per character add up.
const maxKeyedRunes = 200

// Type types into the focused element. Characters of the keyboard are real key presses, others are
// inserted; a line end is Enter. Text longer than 200 characters is inserted line by line. Without
// focus it is a [NothingFocusedError].
func (p *Page) Type(ctx context.Context, text string) (Effect, error) {
	barrier := p.startBarrier(ctx)
	defer barrier.remove()
	a, err := p.beginAtFocus(ctx)
	if err == nil {
		err = barrier.waitReady(ctx, "")
	}
	if err != nil {
		return Effect{}, fmt.Errorf("typing: %w", err)
	}
	if a.element == nil {
		return Effect{}, &NothingFocusedError{}
	}
	if NamesSecret(text) && secretsOf(ctx) != nil {
		err = p.typeSecret(ctx, cmp.Or(a.world, p.current()), text)
	} else {
		err = p.typeText(ctx, text)
	}
	if err != nil {
		return Effect{Element: a.element}, fmt.Errorf("typing: %w", err)
	}
	barrier.remove()
	return p.waitForEffect(ctx, a)
}

// Focus focuses the element without a click, as Tab would. If neither it nor an element in it has
// the focus then, the error is a [NotActionableError].
func (p *Page) Focus(ctx context.Context, ref string) (Effect, error) {
	var at actionPoint
	w, err := p.evaluateRef(ctx, ref, "focus", nil, &at)
	if err == nil {
		err = p.translate(ctx, ref, p.waitForFrameFocus(ctx, w))
	}
	if err != nil {
		return Effect{}, fmt.Errorf("focusing %s: %w", ref, err)
	}
	a, err := p.beginActionIn(ctx, w, 0, false)
	if err != nil {
		return Effect{}, fmt.Errorf("focusing %s: %w", ref, p.translate(ctx, ref, err))
	}
	a.element = at.Element
	return p.waitForEffect(ctx, a)
}

// beginAtFocus begins an action at the focused element.
func (p *Page) beginAtFocus(ctx context.Context) (action, error) {
	var at actionPoint
	if err := p.evaluateWithRetry(ctx, "focusTarget", nil, &at); err != nil {
		return action{}, p.translate(ctx, "", err)
	}
	w := p.current()
	for at.FrameKey != 0 {
		found := p.frames.enter(ctx, w, []int{at.FrameKey})
		if len(found) == 0 {
			break
		}
		w, at = found[0], actionPoint{}
		if err := p.evaluateIn(ctx, w, "focusTarget", nil, &at); err != nil {
			return action{}, p.translate(ctx, "", err)
		}
	}
	if err := p.checkInputDelivery(ctx); err != nil {
		return action{}, err
	}
	a, err := p.beginActionIn(ctx, w, 1, false)
	a.element = at.Element
	return a, p.translate(ctx, "", err)
}

func (p *Page) typeText(ctx context.Context, text string) error {
	keyed := utf8.RuneCountInString(text) <= maxKeyedRunes
	run := ""
	flush := func() error {
		if run == "" {
			return nil
		}
		inserted := run
		run = ""
		return p.insertText(ctx, inserted)
	}
	for _, r := range text {
		key := kb.Keys[r]
		switch {
		case r == '\r':
			continue
		case r == '\n':
			key = kb.Keys['\r']
		case r == '\t' || keyed && key != nil && key.Print:
		default:
			run += string(r)
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		if err := p.pressChord(ctx, chord{key: key}); err != nil {
			return err
		}
	}
	return flush()
}

// Press presses a sequence of keys or chords: "Enter", "Control+a",
// "Tab Tab Enter". They go to the focused element, or to the document when
// nothing is focused. An unknown name is a [BadKeyError] before anything is pressed.
func (p *Page) Press(ctx context.Context, keys string) (Effect, error) {
	chords, err := parseKeys(keys)
	if err != nil {
		return Effect{}, err
	}
	barrier := p.startBarrier(ctx)
	defer barrier.remove()
	a, err := p.beginAtFocus(ctx)
	if err == nil {
		err = barrier.waitReady(ctx, "")
	}
	if err != nil {
		return Effect{}, fmt.Errorf("pressing %q: %w", keys, err)
	}
	for _, c := range chords {
		if err := p.pressChord(ctx, c); err != nil {
			return Effect{Element: a.element}, fmt.Errorf("pressing %q: %w", keys, err)
		}
	}
	barrier.remove()
	return p.waitForEffect(ctx, a)
}

// pressChord presses and releases one chord. Pressed keys come up in reverse order on every path.
func (p *Page) pressChord(ctx context.Context, c chord) error {
	if c.text != "" {
		return p.insertText(ctx, c.text)
	}
	var held int64
	var down []*kb.Key
	err := func() error {
		for _, m := range c.modifiers {
			held |= modifierBit(m)
			down = append(down, m)
			if err := p.dispatchKey(ctx, "rawKeyDown", m, held, ""); err != nil {
				return err
			}
		}
		down = append(down, c.key)
		return p.keyDown(ctx, c.key, held)
	}()
	for i := len(down) - 1; i >= 0; i-- {
		held &^= modifierBit(down[i])
		up := func(ctx context.Context) error { return p.dispatchKey(ctx, "keyUp", down[i], held, "") }
		if err == nil {
			err = up(ctx)
		}
		if err != nil {
			withReleaseDeadline(ctx, func(ctx context.Context) { _ = up(ctx) })
		}
	}
	return err
}

// keyDown presses a key with the text it types. A chord with Control, Alt or
// Meta is a command and types nothing.
func (p *Page) keyDown(ctx context.Context, key *kb.Key, held int64) error {
	if held&int64(kb.ModifierShift) != 0 && key.Print && !key.Shift {
		if shifted := shiftedKey(key); shifted != nil {
			key = shifted
		}
	}
	text := key.Text
	if held&^int64(kb.ModifierShift) != 0 {
		text = ""
	}
	if text == "" {
		return p.dispatchKey(ctx, "rawKeyDown", key, held, "")
	}
	return p.dispatchKey(ctx, "keyDown", key, held, text)
}

// shiftedKey returns the key that the same physical key types with Shift.
func shiftedKey(key *kb.Key) *kb.Key {
	for r := rune(' '); r <= '~'; r++ {
		if k := kb.Keys[r]; k != nil && k.Code == key.Code && k.Shift {
			return k
		}
	}
	return nil
}

// dispatchKey dispatches one key event with the held modifiers.
func (p *Page) dispatchKey(
	ctx context.Context, kind input.DispatchKeyEventType, key *kb.Key, held int64, text string,
) error {
	if key.Shift {
		held |= int64(kb.ModifierShift)
	}
	_, err := cdp.Call(ctx, p.session, input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: kind, Key: key.Key, Code: key.Code, Modifiers: held, Text: text, UnmodifiedText: text,
		WindowsVirtualKeyCode: virtualCode(key), NativeVirtualKeyCode: virtualCode(key),
	})
	if err != nil {
		return fmt.Errorf("dispatching %s %q: %w", kind, key.Key, err)
	}
	return nil
}

// virtualCode returns the key code without side: pages compare keyCode with 16 to 18.
func virtualCode(key *kb.Key) int64 {
	switch key.Key {
	case "Shift":
		return 16
	case "Control":
		return 17
	case "Alt":
		return 18
	}
	return key.Windows
}
