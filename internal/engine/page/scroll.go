package page

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/chromedp/cdproto/input"
)

// wheelParams is input.DispatchMouseEventParams with both deltas always encoded: the protocol
// requires them, and the generated type omits zeros.
type wheelParams struct {
	Type   string  `json:"type"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	DeltaX float64 `json:"deltaX"`
	DeltaY float64 `json:"deltaY"`

	Modifiers int64 `json:"modifiers,omitempty"`
}

// smoothScrollTimeout bounds the wait for the end of a smooth scroll.
const smoothScrollTimeout = 1500 * time.Millisecond

// maxWheelSteps bounds one Scroll. To reach the end of a very long page, press End.
const maxWheelSteps = 200

// Scroll dispatches wheel events over the target, or over the middle of the viewport when the
// target is empty, by dx and dy CSS pixels; positive is right and down. It scrolls the container
// that a person's wheel would scroll.
func (p *Page) Scroll(ctx context.Context, target Target, dx, dy float64) (Effect, error) {
	var at actionPoint
	var a action
	var err error
	if target.Ref == "" && target.Point == nil {
		if at, err = p.elementAtPoint(ctx, nil); err == nil {
			err = p.checkInputDelivery(ctx)
		}
		if err == nil {
			a, err = p.beginActionIn(ctx, at.world, 1, false)
		}
	} else {
		at, a, err = p.beginPointerAction(ctx, target, actionability{})
	}
	if err != nil {
		return Effect{}, fmt.Errorf("scrolling: %w", err)
	}
	a.frames, a.mutationTimeout, a.element = 3, smoothScrollTimeout, at.Element
	if err := p.turnWheel(ctx, at, dx, dy); err != nil {
		return Effect{Element: at.Element}, fmt.Errorf("scrolling: %w", err)
	}
	effect, err := p.waitForEffect(ctx, a)
	if err == nil && !effect.NewDocument && at.world == p.current() {
		var wheel struct {
			Moved bool `json:"moved"`
		}
		moveErr := p.evaluateIn(ctx, at.world, "wheelMoved", Point{dx, dy}, &wheel)
		effect.Unscrolled = moveErr == nil && !wheel.Moved
	}
	return effect, err
}

// turnWheel dispatches as many wheel events as the distance needs.
func (p *Page) turnWheel(ctx context.Context, at actionPoint, dx, dy float64) error {
	var notch Point
	off, err := p.frameOffset(ctx, at.world)
	if err == nil {
		err = p.evaluateIn(ctx, at.world, "wheelStep", Point{at.X - off.X, at.Y - off.Y}, &notch)
	}
	if err != nil {
		return p.translate(ctx, "", err)
	}
	steps := max(1, math.Ceil(math.Abs(dx)/max(1, notch.X)), math.Ceil(math.Abs(dy)/max(1, notch.Y)))
	for range int(min(steps, maxWheelSteps)) {
		turn := wheelParams{Type: "mouseWheel", X: at.X, Y: at.Y, DeltaX: dx / steps, DeltaY: dy / steps}
		if err := p.session.Call(ctx, input.DispatchMouseEvent.Method, turn, nil); err != nil {
			return fmt.Errorf("turning the wheel: %w", err)
		}
	}
	return nil
}

// ScrollIntoView scrolls the element to the middle of the viewport.
func (p *Page) ScrollIntoView(ctx context.Context, ref string) (Effect, error) {
	var at struct {
		actionPoint
		Moved bool `json:"moved"`
	}
	w, err := p.evaluateRef(ctx, ref, "reveal", nil, &at)
	if err != nil {
		return Effect{}, fmt.Errorf("scrolling to %s: %w", ref, err)
	}
	a, err := p.beginActionIn(ctx, w, 1, false)
	if err != nil {
		return Effect{}, fmt.Errorf("scrolling to %s: %w", ref, p.translate(ctx, ref, err))
	}
	a.element = at.Element
	effect, err := p.waitForEffect(ctx, a)
	effect.Unscrolled = !at.Moved && w.parent == nil
	return effect, err
}

// ScrollResult is the position of a container after a scroll; sizes are in CSS pixels.
type ScrollResult struct {
	X          int `json:"x"`
	Y          int `json:"y"`
	Width      int `json:"width"`
	Height     int `json:"height"`
	ViewWidth  int `json:"viewWidth"`
	ViewHeight int `json:"viewHeight"`
	// Scrolled says that the position changed, AtEnd that it can go no further that way.
	Scrolled bool `json:"scrolled"`
	AtEnd    bool `json:"atEnd"`
	// Element is the named element, nil for the page.
	Element *Element `json:"element"`
	// Changes are lines for a reader, as of an [Effect].
	Changes []string `json:"-"`
}

// ScrollBy scrolls the nearest container around the element by dx and dy CSS pixels, or to its end
// with end; "" is the page. It needs no pointer, so it works in covered and disabled containers.
func (p *Page) ScrollBy(ctx context.Context, ref string, dx, dy float64, end bool) (ScrollResult, error) {
	var out ScrollResult
	argument := map[string]any{"dx": dx, "dy": dy, "end": end}
	w, err := p.topWorld(ctx)
	if ref != "" {
		w, _, err = p.locateRef(ctx, ref)
	}
	if err != nil {
		return out, fmt.Errorf("scrolling: %w", err)
	}
	a, err := p.beginActionIn(ctx, w, 1, false)
	if err == nil && ref != "" {
		_, err = p.evaluateRef(ctx, ref, "scroll", argument, &out)
	} else if err == nil {
		err = p.evaluate(ctx, "scroll", argument, &out)
	}
	if err != nil {
		return out, fmt.Errorf("scrolling: %w", p.translate(ctx, ref, err))
	}
	effect, err := p.waitForEffect(ctx, a) // scrolling may load the next part of a list
	out.Changes = effect.Changes
	return out, err
}
