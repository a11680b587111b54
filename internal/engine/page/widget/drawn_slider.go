package widget

import (
	"context"
	"fmt"
	"math"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/text"
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
		document.Point
		Value float64 `json:"value"`
	} `json:"handles"`
}

// dragSlider drags the handles of a drawn slider to values, the left one first where there are two.
func (s *Setter) dragSlider(ctx context.Context, ref, value string, plan editPlan) (settle.Effect, error) {
	var effect settle.Effect
	refused := func(reason string) (settle.Effect, error) {
		return effect, fmt.Errorf("setting %s: %w", ref, &document.ValueRefusedError{Ref: ref, Value: value, Reason: reason})
	}
	for i, target := range plan.Values {
		for drags := 0; ; drags++ {
			var shown drawnSlider
			if _, err := s.doc.EvaluateRef(ctx, ref, "drawnSliderState", nil, &shown); err != nil {
				return effect, fmt.Errorf("setting %s: %w", ref, err)
			}
			switch {
			case !shown.Found || len(shown.Handles) < len(plan.Values):
				return refused(fmt.Sprintf("it has %d handle(s)", len(shown.Handles)))
			case target < shown.Min || target > shown.Max:
				return refused(fmt.Sprintf("it goes from %s to %s", text.Decimal(shown.Min), text.Decimal(shown.Max)))
			}
			if len(plan.Values) == 1 && shown.Own >= 0 {
				i = shown.Own
			}
			h := shown.Handles[i]
			if math.Abs(h.Value-target) <= (shown.Max-shown.Min)/1000 {
				break
			}
			if drags == maxSliderDrags {
				return refused("dragged, it is at " + text.Decimal(h.Value) + "; it may move in steps")
			}
			to := h.Point
			to.X += (target - h.Value) / (shown.Max - shown.Min) * (shown.Right - shown.Left)
			var err error
			if effect, err = s.mouse.Drag(ctx, input.Target{Point: &h.Point}, input.Target{Point: &to}, input.DragOptions{}); err != nil {
				return effect, fmt.Errorf("setting %s: %w", ref, err)
			}
		}
	}
	return s.withElement(ctx, effect, ref), nil
}
