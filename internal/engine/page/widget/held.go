package widget

import (
	"cmp"
	"context"
	"fmt"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// heldValue says whether a field or list holds what was set, and what it holds.
type heldValue struct {
	Held   bool   `json:"held"`
	Secret bool   `json:"secret"`
	Holds  string `json:"holds"`
}

// pickOption clicks an option of an open list. It fails with a [document.NotAppliedError] where the control of
// the list does not show the option then.
func (s *Setter) pickOption(ctx context.Context, ref string, found foundOption) (settle.Effect, error) {
	effect, err := s.Click(ctx, input.Target{Ref: found.Option.Ref}, input.ClickOptions{})
	if err != nil || effect.NewDocument || len(found.Before) == 0 {
		return effect, err
	}
	var now heldValue
	argument := map[string]any{"before": found.Before, "limit": document.Remaining(ctx, toggleTimeout)}
	if _, err := s.doc.EvaluateRef(ctx, ref, "waitForChosen", argument, &now); err != nil {
		return effect, nil // the control left the page with its list
	}
	if !now.Held {
		return effect, &document.NotAppliedError{Ref: ref, Holds: now.Holds}
	}
	return effect, nil
}

// CheckHeld fails with a [document.NotAppliedError] where a field no longer holds what it held after it was set,
// as happens when another field is set. A field that left the page holds nothing to compare.
func (s *Setter) CheckHeld(ctx context.Context, set document.Element) error {
	if set.Value == "" && set.Checked == "" {
		return nil
	}
	var now heldValue
	argument := map[string]any{"value": set.Value, "checked": set.Checked}
	if _, err := s.doc.EvaluateRef(ctx, set.Ref, "stillHolds", argument, &now); err != nil || now.Held {
		return ctx.Err()
	}
	holds := cmp.Or(checkedWords[now.Holds], now.Holds)
	if set.Checked == "" {
		holds = now.Holds
	}
	return fmt.Errorf("checking %s: %w", set.Ref, &document.NotAppliedError{Ref: set.Ref, Holds: holds, Secret: now.Secret})
}
