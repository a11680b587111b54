package input

import (
	"cmp"
	"context"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// TextEdit is a replacement of the selected content of the focused field. SelectAll selects the
// content first, by keys.
type TextEdit struct {
	World      *document.World
	Barrier    *Barrier
	Ref, Value string
	Origin     string // of a document that gets a secret, else ""
	SelectAll  bool
}

// How long the page may take to move the focus on from a box of a code: from the first, and from others where it moves it.
const (
	firstBoxPatience = 150 * time.Millisecond
	movedBoxPatience = time.Second
)

// TypeBoxes types a text into each of the boxes. Where the first of a code does not take its character, the value is pasted.
func (k *Keyboard) TypeBoxes(ctx context.Context, e TextEdit, boxes, texts []string) error {
	if err := k.doc.WaitForFrameFocus(ctx, e.World); err != nil {
		return err
	}
	if err := cmp.Or(k.checkInputDelivery(ctx), e.Barrier.waitReady(ctx, e.Ref)); err != nil {
		return err
	}
	k.editor = nil
	patience := firstBoxPatience
	for i, text := range texts {
		_, err := k.doc.EvaluateRef(ctx, boxes[i], "focusBox", nil, nil)
		switch {
		case err != nil:
			return err
		case e.Origin != "":
			err = k.insertSecret(ctx, e.World, text, e.Origin)
		default:
			err = k.typeText(ctx, text)
		}
		var first struct{ Pasted bool }
		if i == 0 && err == nil {
			_, err = k.doc.EvaluateRef(ctx, boxes[0], "pasteCode", map[string]any{"text": e.Value, "origin": e.Origin}, &first)
		}
		if err != nil || first.Pasted {
			return err
		}
		if patience > 0 && i < len(boxes)-1 {
			patience = k.waitForNextBox(ctx, boxes[i], patience)
		}
	}
	return nil
}

// waitForNextBox waits until the page has moved the focus on from a box of a code, as it may by a timer: one that comes late
// would take the focus from a later box. It returns how long to wait for that at the next box.
func (k *Keyboard) waitForNextBox(ctx context.Context, box string, patience time.Duration) time.Duration {
	var was struct{ Left bool }
	_, err := k.doc.EvaluateRef(ctx, box, "boxLeft", map[string]any{"patience": patience.Milliseconds()}, &was)
	if err == nil && !was.Left {
		return 0 // it moves nothing
	}
	return movedBoxPatience
}

// ReplaceText replaces the selected content of the focused field.
func (k *Keyboard) ReplaceText(ctx context.Context, e TextEdit) error {
	if err := k.doc.WaitForFrameFocus(ctx, e.World); err != nil {
		return err
	}
	if err := k.checkInputDelivery(ctx); err != nil {
		return err
	}
	if err := e.Barrier.waitReady(ctx, e.Ref); err != nil {
		return err
	}
	if e.SelectAll {
		chords, err := parseKeys("Control+a")
		if err == nil {
			err = k.pressChord(ctx, chords[0], 0)
		}
		if err != nil {
			return err
		}
	}
	if e.Value == "" {
		return k.pressChord(ctx, chord{key: kb.Keys['\b']}, 0)
	}
	if e.Origin != "" {
		return k.insertSecret(ctx, e.World, e.Value, e.Origin)
	}
	return k.insertText(ctx, e.Value)
}
