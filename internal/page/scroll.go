package page

import (
	"context"
	"fmt"
	"math"

	"github.com/chromedp/cdproto/input"
)

// wheelParams are input.DispatchMouseEventParams with both deltas always
// written: the protocol demands them, the generated type leaves out zeros.
type wheelParams struct {
	Type   string  `json:"type"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	DeltaX float64 `json:"deltaX"`
	DeltaY float64 `json:"deltaY"`
}

// mostNotches bounds one Scroll; whoever wants the end of a very long page
// presses End.
const mostNotches = 200

// Scroll turns the wheel over the target, or over the middle of the viewport
// when the target is empty, by dx and dy CSS pixels; positive is right and
// down. What scrolls is what would under a person's wheel.
func (p *Page) Scroll(ctx context.Context, target Target, dx, dy float64) (Effect, error) {
	var at aimed
	var a action
	var err error
	if target.Ref == "" && target.Point == nil {
		err = p.askAgain(ctx, "point", map[string]any{}, &at)
		a = p.begin(1)
	} else {
		at, a, err = p.aim(ctx, target, false)
	}
	if err != nil {
		return Effect{}, fmt.Errorf("scrolling: %w", err)
	}
	a.frames, a.noise, a.element = 3, glideLimit, at.Element
	if err := p.wheel(ctx, at, dx, dy); err != nil {
		return Effect{Element: at.Element}, fmt.Errorf("scrolling: %w", err)
	}
	return p.settle(ctx, a)
}

// wheel turns the wheel in as many steps as the distance needs.
func (p *Page) wheel(ctx context.Context, at aimed, dx, dy float64) error {
	var notch Point
	if err := p.ask(ctx, "notch", Point{at.X, at.Y}, &notch); err != nil {
		return p.refuse(ctx, "", err)
	}
	steps := max(1, math.Ceil(math.Abs(dx)/max(1, notch.X)), math.Ceil(math.Abs(dy)/max(1, notch.Y)))
	for range int(min(steps, mostNotches)) {
		turn := wheelParams{Type: "mouseWheel", X: at.X, Y: at.Y, DeltaX: dx / steps, DeltaY: dy / steps}
		if err := p.session.Call(ctx, input.DispatchMouseEvent.Method, turn, nil); err != nil {
			return fmt.Errorf("turning the wheel: %w", err)
		}
	}
	return nil
}

// ScrollIntoView brings the element to the middle of what is visible.
func (p *Page) ScrollIntoView(ctx context.Context, ref string) (Effect, error) {
	n, err := p.known(ref)
	if err != nil {
		return Effect{}, err
	}
	var at aimed
	if err := p.ask(ctx, "reveal", map[string]any{"n": n}, &at); err != nil {
		return Effect{}, fmt.Errorf("scrolling to %s: %w", ref, p.refuse(ctx, ref, err))
	}
	a := p.begin(1)
	a.element = at.Element
	return p.settle(ctx, a)
}
