package input

import (
	"cmp"
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/chromedp/chromedp/kb"

	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// maxKeyedRunes is the longest text that is typed key by key, in characters. Longer text is inserted at once, as from an
// input method, because two events per character add up.
const maxKeyedRunes = 200

// Type types into the focused element. Characters of the keyboard are real key presses, others are
// inserted; a line end is Enter. Text longer than 200 characters is inserted line by line. Without
// focus it is a [NothingFocusedError], unless a canvas was pressed last.
func (k *Keyboard) Type(ctx context.Context, text string) (settle.Effect, error) {
	barrier := k.StartBarrier(ctx)
	defer barrier.Remove()
	a, err := k.beginAtFocus(ctx)
	if err == nil {
		err = barrier.waitReady(ctx, "")
	}
	if err != nil {
		return settle.Effect{}, fmt.Errorf("typing: %w", err)
	}
	filled := secret.NamedIn(text) && secret.FillerOf(ctx) != nil
	if a.Element == nil && (filled || !k.canvas) {
		return settle.Effect{}, &NothingFocusedError{}
	}
	if a.Element != nil {
		a.Typed = &text
	}
	if filled {
		a.Typed = new(string)
		err = k.typeSecret(ctx, cmp.Or(a.World, k.doc.Current()), text)
	} else {
		err = k.typeText(ctx, text)
	}
	if err != nil {
		return settle.Effect{Element: a.Element}, fmt.Errorf("typing: %w", err)
	}
	barrier.Remove()
	return k.settle.WaitForApplied(ctx, a)
}

// Focus focuses the element without a click, as Tab would. If neither it nor an element in it has
// the focus then, the error is a [document.NotActionableError].
func (k *Keyboard) Focus(ctx context.Context, ref string) (settle.Effect, error) {
	var at actionPoint
	w, err := k.doc.EvaluateRef(ctx, ref, "focus", nil, &at)
	if err == nil {
		err = k.doc.Translate(ctx, ref, k.doc.WaitForFrameFocus(ctx, w))
	}
	if err != nil {
		return settle.Effect{}, fmt.Errorf("focusing %s: %w", ref, err)
	}
	a, err := k.settle.BeginActionIn(ctx, w, 0, false)
	if err != nil {
		return settle.Effect{}, fmt.Errorf("focusing %s: %w", ref, k.doc.Translate(ctx, ref, err))
	}
	a.Element = at.Element
	return k.settle.WaitForEffect(ctx, a)
}

// beginAtFocus begins an action at the focused element.
func (k *Keyboard) beginAtFocus(ctx context.Context) (settle.Action, error) {
	var at actionPoint
	if err := k.doc.EvaluateWithRetry(ctx, "focusTarget", nil, &at); err != nil {
		return settle.Action{}, k.doc.Translate(ctx, "", err)
	}
	w := k.doc.Current()
	for at.FrameKey != 0 {
		found := k.doc.Frames.Enter(ctx, w, []int{at.FrameKey})
		if len(found) == 0 {
			break
		}
		w, at = found[0], actionPoint{}
		if err := k.doc.EvaluateIn(ctx, w, "focusTarget", nil, &at); err != nil {
			return settle.Action{}, k.doc.Translate(ctx, "", err)
		}
	}
	if err := k.checkInputDelivery(ctx); err != nil {
		return settle.Action{}, err
	}
	a, err := k.settle.BeginActionIn(ctx, w, 1, false)
	a.Element = at.Element
	k.editor, k.atOnce, k.canvas = nil, 0, at.Canvas
	if at.Editor {
		k.editor = w
	}
	return a, k.doc.Translate(ctx, "", err)
}

func (k *Keyboard) typeText(ctx context.Context, text string) error {
	keyed := utf8.RuneCountInString(text) <= maxKeyedRunes
	run := ""
	flush := func() error {
		if run == "" {
			return nil
		}
		inserted := run
		run = ""
		return k.insertText(ctx, inserted)
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
		if err := k.pressChord(ctx, chord{key: key}, 0); err != nil {
			return err
		}
		k.waitForEditor(ctx, key)
	}
	return flush()
}

// waitForEditor waits after a key until the focused editor has drawn it. After two letters that an editor draws at once,
// it waits for letters no more: most start timers for other things.
func (k *Keyboard) waitForEditor(ctx context.Context, key *kb.Key) {
	w := k.editor
	if w == nil || k.atOnce >= 2 && key.Print {
		return
	}
	var drawn struct {
		Late bool `json:"late"`
	}
	if k.doc.EvaluateIn(ctx, w, "editorSettled", nil, &drawn) == nil {
		k.atOnce++
		if drawn.Late {
			k.atOnce = 0
		}
	}
}

// keyPatience is how long the next of several keys waits for a busy page.
const keyPatience = 500 * time.Millisecond

// Press presses a sequence of keys or chords: "Enter", "Control+a",
// "Tab Tab Enter". They go to the focused element, or to the document when
// nothing is focused. An unknown name is a [BadKeyError] before anything is pressed.
func (k *Keyboard) Press(ctx context.Context, keys string) (settle.Effect, error) {
	return k.press(ctx, keys, 0, keyPatience)
}

// Burst is Press without a wait between the keys, for a caller that looks whether each was taken.
func (k *Keyboard) Burst(ctx context.Context, keys string) (settle.Effect, error) {
	return k.press(ctx, keys, 0, 0)
}

// Hold is Press with each chord held for a time, in which its key repeats.
func (k *Keyboard) Hold(ctx context.Context, keys string, hold time.Duration) (settle.Effect, error) {
	return k.press(ctx, keys, hold, keyPatience)
}

func (k *Keyboard) press(ctx context.Context, keys string, hold, patience time.Duration) (settle.Effect, error) {
	chords, err := parseKeys(keys)
	if err != nil {
		return settle.Effect{}, err
	}
	barrier := k.StartBarrier(ctx)
	defer barrier.Remove()
	a, err := k.beginAtFocus(ctx)
	if err == nil {
		err = barrier.waitReady(ctx, "")
	}
	if err != nil {
		return settle.Effect{}, fmt.Errorf("pressing %q: %w", keys, err)
	}
	for i, c := range chords {
		if i > 0 && patience > 0 {
			waiting, cancel := context.WithTimeout(ctx, patience)
			_ = k.doc.EvaluateIn(waiting, cmp.Or(a.World, k.doc.Current()), "keySettled", nil, nil) // a key may replace the page
			cancel()
		}
		if err := k.pressChord(ctx, c, hold); err != nil {
			return settle.Effect{Element: a.Element}, fmt.Errorf("pressing %q: %w", keys, err)
		}
	}
	barrier.Remove()
	return k.settle.WaitForEffect(ctx, a)
}

// The time until a held key repeats, and between repetitions.
const repeatDelay, repeatInterval = 400 * time.Millisecond, 40 * time.Millisecond

// keepDown repeats a key that is down until it has been held long enough.
func (k *Keyboard) keepDown(ctx context.Context, key *kb.Key, held int64, hold time.Duration) error {
	k.repeating = true
	defer func() { k.repeating = false }()
	for end, wait := time.Now().Add(hold), repeatDelay; ; wait = repeatInterval {
		left := time.Until(end)
		if err := settle.Pause(ctx, min(left, wait)); err != nil || left <= wait {
			return err
		}
		if err := k.keyDown(ctx, key, held); err != nil {
			return err
		}
	}
}

// pressChord presses and releases one chord. Pressed keys come up in reverse order on every path.
func (k *Keyboard) pressChord(ctx context.Context, c chord, hold time.Duration) error {
	if c.text != "" {
		return k.insertText(ctx, c.text)
	}
	var held int64
	var down []*kb.Key
	err := func() error {
		for _, m := range c.modifiers {
			held |= modifierBit(m)
			down = append(down, m)
			if err := k.dispatchKey(ctx, "rawKeyDown", m, held, ""); err != nil {
				return err
			}
		}
		down = append(down, c.key)
		if err := k.keyDown(ctx, c.key, held); err != nil || hold == 0 {
			return err
		}
		return k.keepDown(ctx, c.key, held, hold)
	}()
	for i := len(down) - 1; i >= 0; i-- {
		held &^= modifierBit(down[i])
		up := func(ctx context.Context) error { return k.dispatchKey(ctx, "keyUp", down[i], held, "") }
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
func (k *Keyboard) keyDown(ctx context.Context, key *kb.Key, held int64) error {
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
		return k.dispatchKey(ctx, "rawKeyDown", key, held, "")
	}
	return k.dispatchKey(ctx, "keyDown", key, held, text)
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
