package widget

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

const (
	// moveTimeout bounds how long a transfer list may take to show a move.
	moveTimeout = 1500 * time.Millisecond
	// maxTransferClicks bounds the clicks that set a transfer list.
	maxTransferClicks = 400
)

// setTransfer makes the second of two lists hold the wanted items, by clicks on the items and on the
// buttons between the lists. It fails with a [document.ValueRefusedError] where an item is in neither list, or
// where no button moves it.
func (s *Setter) setTransfer(ctx context.Context, w *document.World, value string, plan editPlan) (settle.Effect, error) {
	effect, ref := settle.Effect{Element: plan.Element}, plan.Ref
	for range maxTransferClicks {
		var step struct {
			Done    bool              `json:"done"`
			Click   string            `json:"click"`
			Element *document.Element `json:"element"`
		}
		argument := map[string]any{"limit": document.Remaining(ctx, moveTimeout)}
		err := s.doc.Translate(ctx, ref, s.doc.EvaluateIn(ctx, w, "transferStep", argument, &step))
		if refused, ok := errors.AsType[*document.ValueRefusedError](err); ok {
			refused.Value = value
		}
		if err == nil && step.Done {
			effect.Element, effect.Detached = step.Element, false
			return effect, nil
		}
		if err == nil {
			effect, err = s.Click(ctx, input.Target{Ref: step.Click}, input.ClickOptions{})
		}
		if err != nil {
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
	}
	reason := fmt.Sprintf("it does not hold the items after %d clicks", maxTransferClicks)
	return effect, fmt.Errorf("setting %s: %w", ref, &document.ValueRefusedError{Ref: ref, Value: value, Reason: reason, Remedy: document.RemedyRead})
}
