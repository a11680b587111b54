package widget

import (
	"context"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// drawTimeout bounds the wait until an editor draws its new text.
const drawTimeout = time.Second

// checkDrawnText waits until an editor that draws its text itself shows the text that was set, and
// returns a [document.NotAppliedError] with what it shows otherwise.
func (s *Setter) checkDrawnText(ctx context.Context, w *document.World, ref, value string) error {
	var drawn struct {
		Shown bool   `json:"shown"`
		Text  string `json:"text"`
	}
	argument := map[string]any{"n": document.RefNumber(ref), "value": value, "limit": document.Remaining(ctx, drawTimeout)}
	if err := s.doc.EvaluateIn(ctx, w, "waitForEditorText", argument, &drawn); err != nil {
		return fmt.Errorf("setting %s: %w", ref, s.doc.Translate(ctx, ref, err))
	}
	if drawn.Shown {
		return nil
	}
	return fmt.Errorf("setting %s: %w", ref, &document.NotAppliedError{Ref: ref, Holds: drawn.Text})
}
