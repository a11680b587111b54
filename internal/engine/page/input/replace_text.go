package input

import (
	"context"

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
