package input_test

import (
	"errors"
	"math"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/input"
)

// TestEventsAreBounded checks events that no mouse sends.
func TestEventsAreBounded(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]input.Event{
		"far to the right": {Kind: input.MouseMove, X: 1e300},
		"far above":        {Kind: input.MouseDown, Button: input.ButtonLeft, Y: -1e9},
		"a wild wheel":     {Kind: input.Wheel, DeltaY: 1e12},
		"no number":        {Kind: input.MouseMove, X: math.NaN()},
	} {
		if err := e.Check(); !errors.As(err, new(*input.BadEventError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (input.Event{Kind: input.Wheel, X: 1919.5, Y: 1079.5, DeltaY: -12_000}).Check(); err != nil {
		t.Error(err)
	}
}
