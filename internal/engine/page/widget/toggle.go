package widget

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// toggleTimeout bounds how long a checkbox may take to show its new state after the click.
const toggleTimeout = time.Second

// checkedWords says the state of a toggle in words.
var checkedWords = map[string]string{"true": "checked", "false": "unchecked"}

// toggle clicks a checkbox, radio button or switch, and once more where it was mixed. It fails with
// a [document.NotAppliedError] when the page leaves it as it was, or puts it back.
func (s *Setter) toggle(ctx context.Context, ref, value string, mixed bool) (settle.Effect, error) {
	effect, err := s.mouse.Click(ctx, input.Target{Ref: ref}, input.ClickOptions{Unread: true})
	if err != nil || effect.NewDocument || effect.Detached {
		return effect, err
	}
	if effect.Element != nil {
		ref = effect.Element.Ref // a switch may have its state in its name
	}
	var now struct {
		Held    bool              `json:"held"`
		Pending bool              `json:"pending"`
		Element *document.Element `json:"element"`
	}
	argument := map[string]any{"value": value, "limit": document.Remaining(ctx, toggleTimeout), "inForm": s.form != nil}
	w, err := s.doc.EvaluateRef(ctx, ref, "waitForToggle", argument, &now)
	if err == nil && !now.Held && w.RefreshInternals(ctx) {
		_, err = s.doc.EvaluateRef(ctx, ref, "waitForToggle", argument, &now)
	}
	if err != nil {
		return effect, nil // it left the page, as a filter may that it applied
	}
	switch {
	case !now.Held && mixed:
		return s.toggle(ctx, ref, value, false)
	case !now.Held:
		holds := cmp.Or(checkedWords[now.Element.Checked], now.Element.Checked)
		return effect, fmt.Errorf("setting %s: %w", ref, &document.NotAppliedError{Ref: ref, Holds: holds})
	}
	effect.Element, effect.HeldPending = now.Element, now.Pending
	return effect, nil
}
