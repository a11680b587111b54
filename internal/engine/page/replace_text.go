package page

import (
	"context"

	"github.com/chromedp/chromedp/kb"
)

// textEdit is a replacement of the selected content of the focused field. selectAll selects the
// content first, by keys.
type textEdit struct {
	world      *world
	barrier    *inputBarrier
	ref, value string
	origin     string // of a document that gets a secret, else ""
	selectAll  bool
}

// replaceText replaces the selected content of the focused field.
func (p *Page) replaceText(ctx context.Context, e textEdit) error {
	if err := p.waitForFrameFocus(ctx, e.world); err != nil {
		return err
	}
	if err := p.checkInputDelivery(ctx); err != nil {
		return err
	}
	if err := e.barrier.waitReady(ctx, e.ref); err != nil {
		return err
	}
	if e.selectAll {
		chords, err := parseKeys("Control+a")
		if err == nil {
			err = p.pressChord(ctx, chords[0])
		}
		if err != nil {
			return err
		}
	}
	if e.value == "" {
		return p.pressChord(ctx, chord{key: kb.Keys['\b']})
	}
	if e.origin != "" {
		return p.insertSecret(ctx, e.world, e.value, e.origin)
	}
	return p.insertText(ctx, e.value)
}
