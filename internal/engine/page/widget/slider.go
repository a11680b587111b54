package widget

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/text"
)

// maxSliderSteps bounds the key presses that move a slider.
const maxSliderSteps = 400

// moveSlider moves a slider that a script draws to a value, with arrow keys. A slider that does not
// follow them, or cannot take the value, stays where it is.
func (s *Setter) moveSlider(ctx context.Context, ref, value string, plan editPlan) (settle.Effect, error) {
	effect := settle.Effect{Element: plan.Element}
	refused := func(reason string) (settle.Effect, error) {
		return effect, fmt.Errorf("setting %s: %w", ref, &document.ValueRefusedError{Ref: ref, Value: value, Reason: reason, Remedy: document.RemedyDrag})
	}
	keys := [...][2]string{{"ArrowUp", "ArrowDown"}, {"ArrowRight", "ArrowLeft"}}
	now, pair := plan.Current, 0
	for range maxSliderSteps {
		if now == plan.Target {
			return s.withElement(ctx, effect, ref), nil
		}
		key := keys[pair][0]
		if plan.Target < now {
			key = keys[pair][1]
		}
		var err error
		if effect, err = s.keyboard.Press(ctx, key); err != nil {
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
		var at struct {
			Value *float64 `json:"value"`
		}
		if _, err := s.doc.EvaluateRef(ctx, ref, "sliderValue", nil, &at); err != nil {
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
		switch {
		case at.Value == nil:
			return refused("it tells its value no longer")
		case *at.Value == now && pair == 0 && now == plan.Current:
			pair = 1 // some answer to the other pair alone
		case *at.Value == now, (*at.Value > now) != (plan.Target > now):
			return refused("at " + text.Decimal(now) + " it does not follow the arrow keys towards it")
		case (plan.Target > now) == (*at.Value > plan.Target) && *at.Value != plan.Target:
			reason := "it moves in steps, from " + text.Decimal(now) + " to " + text.Decimal(*at.Value)
			return effect, fmt.Errorf("setting %s: %w", ref,
				&document.ValueRefusedError{Ref: ref, Value: value, Reason: reason, Example: text.Decimal(*at.Value)})
		default:
			now = *at.Value
			if left := math.Abs(plan.Target - now); left > maxSliderSteps*math.Abs(now-plan.Current) {
				return refused("it is at " + text.Decimal(now) + ", and too many steps away")
			}
		}
	}
	return refused("it is at " + text.Decimal(now) + " after " + strconv.Itoa(maxSliderSteps) + " steps")
}

// setRange sets the two sliders of a range. The one that moves away from the other is the first, because
// they do not pass each other.
func (s *Setter) setRange(ctx context.Context, ref, value string, plan editPlan) (settle.Effect, error) {
	if plan.Values[0] > plan.Values[1] {
		return settle.Effect{Element: plan.Element}, fmt.Errorf("setting %s: %w", ref, &document.ValueRefusedError{
			Ref: ref, Value: value, Reason: "a range begins at its lower value",
			Example: text.Decimal(plan.Values[1]) + ".." + text.Decimal(plan.Values[0]),
		})
	}
	order := []int{0, 1}
	if plan.Values[0] > plan.Current {
		order = []int{1, 0}
	}
	var effect settle.Effect
	for _, i := range order {
		var err error
		if effect, err = s.SetValue(ctx, plan.Refs[i], text.Decimal(plan.Values[i])); err != nil {
			return effect, err
		}
	}
	return s.withElement(ctx, effect, ref), nil
}
