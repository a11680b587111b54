package page

import (
	"context"
	"fmt"
	"time"
)

// drawTimeout bounds the wait until an editor draws its new text.
const drawTimeout = time.Second

// checkDrawnText waits until an editor that draws its text itself shows the text that was set, and
// returns a [ValueRefusedError] with what it shows otherwise.
func (p *Page) checkDrawnText(ctx context.Context, w *world, ref, value string) error {
	var drawn struct {
		Shown bool   `json:"shown"`
		Text  string `json:"text"`
	}
	argument := map[string]any{"n": refNumber(ref), "value": value, "limit": remaining(ctx, drawTimeout)}
	if err := p.evaluateIn(ctx, w, "waitForEditorText", argument, &drawn); err != nil {
		return fmt.Errorf("setting %s: %w", ref, p.translate(ctx, ref, err))
	}
	if drawn.Shown {
		return nil
	}
	reason := fmt.Sprintf("the text was typed, but the editor shows %q", drawn.Text)
	return fmt.Errorf("setting %s: %w", ref, &ValueRefusedError{Ref: ref, Value: value, Reason: reason})
}
