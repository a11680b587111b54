package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const (
	// moveTimeout bounds how long a transfer list may take to show a move.
	moveTimeout = 1500 * time.Millisecond
	// maxTransferClicks bounds the clicks that set a transfer list.
	maxTransferClicks = 400
)

// setTransfer makes the second of two lists hold the wanted items, by clicks on the items and on the
// buttons between the lists. It fails with a [ValueRefusedError] where an item is in neither list, or
// where no button moves it.
func (p *Page) setTransfer(ctx context.Context, w *world, value string, plan editPlan) (Effect, error) {
	effect, ref := Effect{Element: plan.Element}, plan.Ref
	for range maxTransferClicks {
		var step struct {
			Done    bool     `json:"done"`
			Click   string   `json:"click"`
			Element *Element `json:"element"`
		}
		argument := map[string]any{"limit": remaining(ctx, moveTimeout)}
		err := p.translate(ctx, ref, p.evaluateIn(ctx, w, "transferStep", argument, &step))
		if refused, ok := errors.AsType[*ValueRefusedError](err); ok {
			refused.Value = value
		}
		if err == nil && step.Done {
			effect.Element, effect.Detached = step.Element, false
			return effect, nil
		}
		if err == nil {
			effect, err = p.Click(ctx, Target{Ref: step.Click}, ClickOptions{})
		}
		if err != nil {
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
	}
	reason := fmt.Sprintf("it does not hold the items after %d clicks", maxTransferClicks)
	return effect, fmt.Errorf("setting %s: %w", ref, &ValueRefusedError{Ref: ref, Value: value, Reason: reason, Remedy: RemedyRead})
}

// TransferByLabel returns the ref of a list of a transfer list: the one that a visible text is the
// title of, or the target of the transfer list that the text labels. It returns "" where there is
// none.
func (p *Page) TransferByLabel(ctx context.Context, label string) (string, error) {
	return p.refByLabel(ctx, "transferByLabel", label)
}

// refByLabel returns the first ref that an operation finds for a label, in the page before its frames.
func (p *Page) refByLabel(ctx context.Context, operation, label string) (string, error) {
	ref := ""
	err := p.evaluateAll(ctx, operation, map[string]any{"query": label}, func(w *world, result json.RawMessage) error {
		var found Element
		if err := json.Unmarshal(result, &found); err != nil {
			return fmt.Errorf("reading the field: %w", err)
		}
		if w.parent == nil {
			ref = ""
		}
		if ref == "" {
			ref = found.Ref
		}
		return nil
	})
	return ref, p.translate(ctx, "", err)
}
