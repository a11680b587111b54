package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// actionTimeout bounds the wait for an element to become ready for the pointer.
const actionTimeout = 5 * time.Second

// restInterval is how often an element of a page with requests under way is checked again.
const restInterval = 50 * time.Millisecond

// maxLostPresses is how often a press may arrive nowhere before a click fails.
const maxLostPresses = 3

// Button is a mouse button.
type Button string

// The buttons.
const (
	ButtonLeft   Button = "left"
	ButtonMiddle Button = "middle"
	ButtonRight  Button = "right"
)

// ClickOptions tunes a click. The zero value is one left click.
type ClickOptions struct {
	Button Button
	// Count is the number of clicks in quick succession; 2 is a double click.
	Count int
	// Modifiers are held meanwhile: "Control", "Shift", "Alt", "Meta".
	Modifiers []string
}

// actionPoint is the point of an action in the top viewport and the element there.
type actionPoint struct {
	X       float64  `json:"x"`
	Y       float64  `json:"y"`
	Element *Element `json:"element"`
	// FrameKey is the remote frame that a bare point lies in, or 0.
	FrameKey int `json:"frameKey"`
	// world is the document of the element.
	world *world
}

// check returns a [BadKeyError] for a modifier that no keyboard has.
func (o ClickOptions) check() error {
	_, err := modifierBits(o.Modifiers)
	return err
}

// clickMouse waits until the element is actionable, moves the pointer there, presses and releases the
// button, and waits for the effect. A ref that no longer holds is a [StaleRefError]. An element
// that is not actionable within 5 s, or until the deadline of ctx, is a [NotActionableError].
func (p *Page) clickMouse(ctx context.Context, target Target, o ClickOptions) (Effect, error) {
	modifiers, err := modifierBits(o.Modifiers)
	if err != nil {
		return Effect{}, err
	}
	until := time.Now().Add(actionTimeout)
	for attempt := 1; ; attempt++ {
		effect, err := p.clickOnce(ctx, target, o, modifiers, attempt > 1)
		wrong, retry := errors.AsType[*wrongTargetError](err)
		switch {
		case retry && wrong.element == nil && attempt == maxLostPresses:
			err = &NotActionableError{Ref: target.Ref, Reason: "no press arrived at it: a frame may have come over it"}
		case retry && time.Now().After(until), retry && ctx.Err() != nil:
			err = &NotActionableError{
				Ref: target.Ref, Reason: "another element took its place at the last moment, each time", Covering: wrong.element,
			}
		case retry:
			continue
		}
		if err != nil {
			return effect, fmt.Errorf("clicking: %w", err)
		}
		return effect, nil
	}
}

// clickOnce fails with a [wrongTargetError] when another element was under the pointer; nothing was
// clicked then. With moveFirst the page handles the pointer's arrival before the point of the press
// is resolved.
func (p *Page) clickOnce(
	ctx context.Context, target Target, o ClickOptions, modifiers int64, moveFirst bool,
) (Effect, error) {
	barrier := p.startBarrier(ctx)
	defer barrier.remove()
	want := actionability{enabled: true, press: true}
	at, a, err := p.beginPointerAction(ctx, target, want)
	if err == nil && moveFirst {
		if err = <-p.movePointer(ctx, at, modifiers); err == nil {
			at, a, err = p.beginPointerAction(ctx, target, want)
		}
	}
	if err != nil {
		return Effect{}, err
	}
	moved := p.movePointer(ctx, at, modifiers)
	if err = p.verifyTarget(ctx, barrier, at, target.Ref); err == nil {
		err = p.pressAndRelease(ctx, at, o, modifiers)
	}
	barrier.remove()
	if moveErr := <-moved; err == nil {
		err = moveErr
	}
	if err != nil {
		return Effect{Element: at.Element}, err
	}
	a.skipFrame = true
	return p.waitForEffect(ctx, a)
}

// actionability selects the checks of an element.
type actionability struct {
	// enabled requires that the element is enabled. press requires that the press hits the element.
	enabled, press bool
}

// Hover moves the pointer over the target.
func (p *Page) Hover(ctx context.Context, target Target) (Effect, error) {
	at, a, err := p.beginPointerAction(ctx, target, actionability{})
	if err != nil {
		return Effect{}, fmt.Errorf("hovering: %w", err)
	}
	if err := <-p.movePointer(ctx, at, 0); err != nil {
		return Effect{Element: at.Element}, fmt.Errorf("hovering: %w", err)
	}
	return p.waitForEffect(ctx, a)
}

// beginPointerAction resolves the point of a target and begins the action.
func (p *Page) beginPointerAction(ctx context.Context, target Target, want actionability) (actionPoint, action, error) {
	var at actionPoint
	var err error
	switch {
	case target.Ref != "":
		at, err = p.waitActionable(ctx, target.Ref, want)
	case target.Point != nil:
		at, err = p.elementAtPoint(ctx, target.Point)
	default:
		err = fault.New(codes.Failed, "the target names neither a ref nor a point")
	}
	if err == nil {
		err = p.checkInputDelivery(ctx)
	}
	if err != nil {
		return at, action{}, err
	}
	a, err := p.beginActionIn(ctx, at.world, 1, want.press)
	a.element = at.Element
	return at, a, err
}

// waitActionable waits until an element is actionable in its own document and in all frames around
// it, and returns its point in the top viewport.
func (p *Page) waitActionable(ctx context.Context, ref string, want actionability) (actionPoint, error) {
	until := time.Now().Add(time.Duration(remaining(ctx, actionTimeout)) * time.Millisecond)
	for {
		var at actionPoint
		limit := min(remaining(ctx, actionTimeout), max(0, time.Until(until).Milliseconds()))
		argument := map[string]any{"enabled": want.enabled, "press": want.press, "limit": limit}
		w, err := p.evaluateRef(ctx, ref, "waitActionable", argument, &at)
		if refused, ok := errors.AsType[*NotActionableError](err); ok && refused.atRest && p.isNetworkBusy() && time.Now().Before(until) {
			if err = pause(ctx, restInterval); err == nil {
				continue
			}
		}
		if err != nil {
			return at, err
		}
		at.world = w
		outer, err := p.toTopViewport(ctx, w, Point{at.X, at.Y}, true)
		if err != nil {
			return at, p.translate(ctx, ref, err)
		}
		if outer.Reason == "" && !outer.Scrolled {
			at.X, at.Y = outer.X, outer.Y
			return at, nil
		}
		if time.Now().After(until) {
			reason := cmp.Or(outer.Reason, "the frame it is in keeps moving")
			return at, &NotActionableError{Ref: ref, Reason: reason, Covering: outer.Covering}
		}
		if err := pause(ctx, frameInterval); err != nil {
			return at, err
		}
	}
}

// frameInterval is how often the path to an element in a frame is checked.
const frameInterval = 16 * time.Millisecond

// elementAtPoint returns the element at a bare point, in any document; nil is the middle of the
// viewport.
func (p *Page) elementAtPoint(ctx context.Context, point *Point) (at actionPoint, err error) {
	argument := any(map[string]any{})
	if point != nil {
		argument = point
	}
	if err := p.evaluateWithRetry(ctx, "elementAtPoint", argument, &at); err != nil {
		return at, p.translate(ctx, "", err)
	}
	at.world = p.current()
	local := Point{at.X, at.Y}
	for key := at.FrameKey; key != 0; {
		found := p.frames.enter(ctx, at.world, []int{key})
		if len(found) == 0 {
			return at, nil // the frame element itself
		}
		var origin Point
		if err := p.evaluateIn(ctx, at.world, "frameOrigin", map[string]any{"frameKey": key}, &origin); err != nil {
			return at, err
		}
		local.X, local.Y = local.X-origin.X, local.Y-origin.Y
		var inner actionPoint
		if err := p.evaluateIn(ctx, found[0], "elementAtPoint", local, &inner); err != nil {
			return at, nil // the frame left the page
		}
		at.Element, at.world, key = inner.Element, found[0], inner.FrameKey
	}
	return at, nil
}

// pointerPosition is where the pointer was last moved to, and the document there.
type pointerPosition struct {
	Point
	loader cdp.LoaderID
}

// movePointer moves the pointer to the point. The browser delivers a move with the next frame, or
// at once when a button follows, so the caller reads the response from the channel after the click.
// Later calls are sent after the move: a press before it would hit without a pointer over the
// element, and the move would end it.
func (p *Page) movePointer(ctx context.Context, at actionPoint, modifiers int64) <-chan error {
	moved := make(chan error, 1)
	place := pointerPosition{Point{at.X, at.Y}, p.Loader()}
	if p.pointer == place {
		moved <- nil
		return moved
	}
	p.pointer = place
	move := queuedMove{
		DispatchMouseEventParams: input.DispatchMouseEventParams{
			Type: "mouseMoved", X: at.X, Y: at.Y, Button: "none", Modifiers: modifiers,
		},
		queued: make(chan struct{}),
	}
	go func() {
		err := p.session.Call(ctx, input.CommandDispatchMouseEvent, move, nil)
		if err != nil {
			err = fmt.Errorf("dispatching mouseMoved: %w", err)
		}
		moved <- err
	}()
	select {
	case <-move.queued:
	case <-ctx.Done():
	}
	return moved
}

// queuedMove is a move that reports when it is sent: it is encoded right before it is queued.
type queuedMove struct {
	input.DispatchMouseEventParams
	queued chan struct{}
}

// MarshalJSON encodes the move, once.
func (d queuedMove) MarshalJSON() ([]byte, error) {
	defer close(d.queued)
	return jsonv2.Marshal(d.DispatchMouseEventParams)
}

// verifyTarget checks what the interceptors in the page cannot see: that a document was replaced.
func (p *Page) verifyTarget(ctx context.Context, f *inputBarrier, at actionPoint, ref string) error {
	if err := f.waitReady(ctx, ref); err != nil {
		return err
	}
	if ref == "" || at.world == nil || at.world.parent == nil {
		return nil
	}
	return p.verifyHitTarget(ctx, at, ref)
}

// verifyHitTarget checks that an element in a frame is still under the point: interceptors are in
// the documents of the time, and a frame may show another one.
func (p *Page) verifyHitTarget(ctx context.Context, at actionPoint, ref string) error {
	var hit struct {
		Reached bool `json:"reached"`
	}
	off, err := p.frameOffset(ctx, at.world)
	if err != nil {
		return p.translate(ctx, ref, err)
	}
	local := Point{at.X - off.X, at.Y - off.Y}
	if _, err := p.evaluateRef(ctx, ref, "hitTest", map[string]any{"x": local.X, "y": local.Y}, &hit); err != nil {
		return err
	}
	if hit.Reached {
		outer, err := p.toTopViewport(ctx, at.world, local, false)
		if err != nil {
			return p.translate(ctx, ref, err)
		}
		hit.Reached = outer.Reason == ""
	}
	if !hit.Reached {
		return &NotActionableError{Ref: ref, Reason: "it moved away or was covered at the last moment"}
	}
	return nil
}
