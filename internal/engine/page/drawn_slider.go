package page

import (
	"context"
	"fmt"
	"math"
)

// maxSliderDrags bounds the drags that bring a drawn slider to its value: each corrects the one
// before.
const maxSliderDrags = 5

// drawnSlider is a slider that a script draws without a role.
type drawnSlider struct {
	Found   bool    `json:"found"`
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	Left    float64 `json:"left"`
	Right   float64 `json:"right"`
	Own     int     `json:"own"` // the handle that the ref names; -1 for the whole slider
	Handles []struct {
		Point
		Value float64 `json:"value"`
	} `json:"handles"`
}

// dragSlider drags the handles of a drawn slider to values, the left one first where there are two.
func (p *Page) dragSlider(ctx context.Context, ref, value string, plan editPlan) (Effect, error) {
	var effect Effect
	refused := func(reason string) (Effect, error) {
		return effect, fmt.Errorf("setting %s: %w", ref, &ValueRefusedError{Ref: ref, Value: value, Reason: reason})
	}
	for i, target := range plan.Values {
		for drags := 0; ; drags++ {
			var s drawnSlider
			if _, err := p.evaluateRef(ctx, ref, "drawnSliderState", nil, &s); err != nil {
				return effect, fmt.Errorf("setting %s: %w", ref, err)
			}
			switch {
			case !s.Found || len(s.Handles) < len(plan.Values):
				return refused(fmt.Sprintf("it has %d handle(s)", len(s.Handles)))
			case target < s.Min || target > s.Max:
				return refused(fmt.Sprintf("it goes from %s to %s", decimal(s.Min), decimal(s.Max)))
			}
			if len(plan.Values) == 1 && s.Own >= 0 {
				i = s.Own
			}
			h := s.Handles[i]
			if math.Abs(h.Value-target) <= (s.Max-s.Min)/1000 {
				break
			}
			if drags == maxSliderDrags {
				return refused("dragged, it is at " + decimal(h.Value) + "; it may move in steps")
			}
			to := h.Point
			to.X += (target - h.Value) / (s.Max - s.Min) * (s.Right - s.Left)
			var err error
			if effect, err = p.Drag(ctx, Target{Point: &h.Point}, Target{Point: &to}, DragOptions{}); err != nil {
				return effect, fmt.Errorf("setting %s: %w", ref, err)
			}
		}
	}
	return p.withElement(ctx, effect, ref), nil
}
