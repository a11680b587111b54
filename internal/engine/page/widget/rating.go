package widget

import (
	"context"

	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// rate clicks as many stars as a value says.
func (s *Setter) rate(ctx context.Context, ref, _ string, plan editPlan) (settle.Effect, error) {
	effect, err := s.Click(ctx, input.Target{Point: &plan.Point}, input.ClickOptions{})
	if err != nil {
		return effect, err
	}
	return s.withElement(ctx, effect, ref), nil
}
