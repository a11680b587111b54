package page

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
)

// actionLimit bounds the wait for an element to become ready for the pointer.
const actionLimit = 5 * time.Second

// releaseLimit bounds the release of a button or key after the call's own
// context has ended.
const releaseLimit = 250 * time.Millisecond

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

// aimed is the engine's answer to aiming: the point and what is there.
type aimed struct {
	X       float64  `json:"x"`
	Y       float64  `json:"y"`
	Element *Element `json:"element"`
}

// Click clicks like a person: it waits until the element is ready, moves
// there, presses and releases, and then for what that caused. A ref that no
// longer holds is a [StaleRefError]; an element that does not become ready
// within 5 s, or until the deadline of ctx, is a [NotActionableError].
func (p *Page) Click(ctx context.Context, target Target, o ClickOptions) (Effect, error) {
	modifiers, err := modifierBits(o.Modifiers)
	if err != nil {
		return Effect{}, err
	}
	at, a, err := p.aim(ctx, target, true)
	if err != nil {
		return Effect{}, fmt.Errorf("clicking: %w", err)
	}
	moved := p.approach(ctx, at, modifiers)
	err = p.lookAgain(ctx, at, target.Ref)
	if err == nil {
		err = p.press(ctx, at, o, modifiers)
	}
	if moveErr := <-moved; err == nil {
		err = moveErr
	}
	if err != nil {
		return Effect{Element: at.Element}, fmt.Errorf("clicking: %w", err)
	}
	return p.settle(ctx, a)
}

// Hover moves the pointer over the target.
func (p *Page) Hover(ctx context.Context, target Target) (Effect, error) {
	at, a, err := p.aim(ctx, target, false)
	if err != nil {
		return Effect{}, fmt.Errorf("hovering: %w", err)
	}
	if err := <-p.approach(ctx, at, 0); err != nil {
		return Effect{Element: at.Element}, fmt.Errorf("hovering: %w", err)
	}
	return p.settle(ctx, a)
}

// aim finds the point of a target and begins the action.
func (p *Page) aim(ctx context.Context, target Target, enabled bool) (aimed, action, error) {
	var at aimed
	var err error
	switch {
	case target.Ref != "":
		var n int
		if n, err = p.known(target.Ref); err != nil {
			return at, action{}, err
		}
		err = p.ask(ctx, "aim", map[string]any{"n": n, "enabled": enabled, "limit": remaining(ctx, actionLimit)}, &at)
		err = p.refuse(ctx, target.Ref, err)
	case target.Point != nil:
		err = p.askAgain(ctx, "point", target.Point, &at)
	default:
		err = errors.New("the target names neither a ref nor a point")
	}
	a := p.begin(1)
	a.element = at.Element
	return at, a, err
}

// pointerPlace is where the pointer was last put, and over which document.
type pointerPlace struct {
	Point
	loader cdp.LoaderID
}

// approach moves the pointer to the point. The browser hands a move to the
// page with the next frame, or at once when a button follows; so the answer is
// not waited for here but taken from the channel after the click.
func (p *Page) approach(ctx context.Context, at aimed, modifiers int64) <-chan error {
	moved := make(chan error, 1)
	place := pointerPlace{Point{at.X, at.Y}, p.loader}
	if p.pointer == place {
		moved <- nil
		return moved
	}
	p.pointer = place
	go func() {
		moved <- p.mouse(ctx, input.DispatchMouseEventParams{Type: "mouseMoved", X: at.X, Y: at.Y, Button: "none", Modifiers: modifiers})
	}()
	return moved
}

// lookAgain asks, while the move is on its way, whether the element is still
// under the point: the last moment at which that can be known.
func (p *Page) lookAgain(ctx context.Context, at aimed, ref string) error {
	if ref == "" {
		return nil
	}
	var look struct {
		Reached bool `json:"reached"`
	}
	err := p.ask(ctx, "still", map[string]any{"n": refNumber(ref), "x": at.X, "y": at.Y}, &look)
	if err == nil && !look.Reached {
		err = &NotActionableError{Ref: ref, Reason: "it moved away or was covered at the last moment"}
	}
	return p.refuse(ctx, ref, err)
}

// press presses and releases the button as often as asked. Whatever happens in
// between, the button does not stay down.
func (p *Page) press(ctx context.Context, at aimed, o ClickOptions, modifiers int64) error {
	button := o.Button
	if button == "" {
		button = ButtonLeft
	}
	for i := int64(1); i <= int64(max(1, o.Count)); i++ {
		event := input.DispatchMouseEventParams{
			X: at.X, Y: at.Y, Button: input.MouseButton(button), ClickCount: i, Modifiers: modifiers,
		}
		event.Type = "mousePressed"
		event.Buttons = buttonBit(button)
		released := event
		released.Type = "mouseReleased"
		released.Buttons = 0
		if err := p.hold(ctx, event, released); err != nil {
			return err
		}
		event = released
		if err := p.mouse(ctx, event); err != nil {
			return err
		}
	}
	return nil
}

// hold presses the button. If ctx ends first the button is released when the page has
// taken the press, which may be much later: a page that is paused in its own handler
// drops all input, and a release that came then would leave the button down for ever.
// The browser answers at the latest when the page goes away.
func (p *Page) hold(ctx context.Context, pressed, released input.DispatchMouseEventParams) error {
	detached := context.WithoutCancel(ctx)
	answer := make(chan error, 1)
	go func() { answer <- p.mouse(detached, pressed) }()
	select {
	case err := <-answer:
		if err != nil {
			p.afterwards(ctx, func(ctx context.Context) { _ = p.mouse(ctx, released) })
		}
		return err
	case <-ctx.Done():
	}
	up := make(chan struct{})
	go func() {
		defer close(up)
		if <-answer == nil {
			p.afterwards(detached, func(ctx context.Context) { _ = p.mouse(ctx, released) })
		}
	}()
	select {
	case <-up:
	case <-time.After(releaseLimit):
	}
	return fmt.Errorf("dispatching %s: %w", pressed.Type, context.Cause(ctx))
}

func buttonBit(b Button) int64 {
	switch b {
	case ButtonRight:
		return 2
	case ButtonMiddle:
		return 4
	default:
		return 1
	}
}

// mouse dispatches one event.
func (p *Page) mouse(ctx context.Context, event input.DispatchMouseEventParams) error {
	if _, err := cdp.Call(ctx, p.session, input.DispatchMouseEvent, event); err != nil {
		return fmt.Errorf("dispatching %s: %w", event.Type, err)
	}
	return nil
}

// afterwards runs a release that must happen although ctx may have ended.
func (p *Page) afterwards(ctx context.Context, release func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseLimit)
	defer cancel()
	release(ctx)
}
