package page

import (
	"context"
	"fmt"
	"time"
)

// drawTimeout bounds the wait until an editor draws its new text.
const drawTimeout = time.Second

// replaceEditorText replaces the text of an editor that draws its text itself, through the focused
// field that takes its keys: it selects all, as a person would, and inserts the text. An editor that
// does not draw the text then is a [ValueRefusedError].
func (p *Page) replaceEditorText(
	ctx context.Context, a action, w *world, barrier *inputBarrier, value string, plan editPlan,
) (Effect, error) {
	ref := plan.Element.Ref
	if err := p.replaceText(ctx, w, barrier, ref, value, plan.Select); err != nil {
		return Effect{Element: plan.Element}, fmt.Errorf("setting %s: %w", ref, p.translate(ctx, ref, err))
	}
	barrier.remove()
	effect, err := p.waitForEffect(ctx, a)
	if err != nil {
		return effect, err
	}
	var drawn struct {
		Shown bool   `json:"shown"`
		Text  string `json:"text"`
	}
	argument := map[string]any{"n": refNumber(ref), "value": value, "limit": remaining(ctx, drawTimeout)}
	if err := p.evaluateIn(ctx, w, "waitForEditorText", argument, &drawn); err != nil {
		return effect, fmt.Errorf("setting %s: %w", ref, p.translate(ctx, ref, err))
	}
	if !drawn.Shown {
		reason := fmt.Sprintf("the text was typed, but the editor shows %q", drawn.Text)
		return effect, fmt.Errorf("setting %s: %w", ref, &ValueRefusedError{Ref: ref, Value: value, Reason: reason})
	}
	return effect, nil
}
