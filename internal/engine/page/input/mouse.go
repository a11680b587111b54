package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/fault"
)

// actionTimeout bounds the wait for an element to become ready for the pointer.
const actionTimeout = 5 * time.Second

// restInterval is the time between checks of an element while the page has requests pending.
const restInterval = 50 * time.Millisecond

// maxLostPresses is the number of presses that arrive nowhere after which a click fails.
const maxLostPresses = 3

// maxMovingAttempts is the number of presses or moves that miss an element that keeps moving, after which the action fails.
const maxMovingAttempts = 12

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
	// Hold is the time between the press and the release.
	Hold time.Duration
	// Unread leaves the look at what a toggle holds in the end to the caller.
	Unread bool
}

// actionPoint is the point of an action in the top viewport and the element there.
type actionPoint struct {
	X       float64           `json:"x"`
	Y       float64           `json:"y"`
	Element *document.Element `json:"element"`
	// FrameKey is the remote frame that a bare point lies in, or 0.
	FrameKey int `json:"frameKey"`
	// Editor says that the focused element is an editing host.
	Editor bool `json:"editor"`
	// Canvas says that nothing has the focus and that a canvas was pressed last: the document gets the keys.
	Canvas bool `json:"canvas"`
	// world is the document of the element.
	world *document.World
}

// Check returns a [BadKeyError] for a modifier that no keyboard has.
func (o ClickOptions) Check() error {
	_, err := modifierBits(o.Modifiers)
	return err
}

// Click waits until the element is actionable, moves the pointer there, presses and releases the
// button, and waits for the effect. A ref that no longer holds is a [document.StaleRefError]. An element
// that is not actionable within 5 s, or until the deadline of ctx, is a [document.NotActionableError]. A checkbox, radio
// button or switch that the page puts back is a [document.NotAppliedError], unless a dialog asks about it.
func (m *Mouse) Click(ctx context.Context, target Target, o ClickOptions) (settle.Effect, error) {
	modifiers, err := modifierBits(o.Modifiers)
	if err != nil {
		return settle.Effect{}, err
	}
	until := time.Now().Add(actionTimeout)
	for attempt := 1; ; attempt++ {
		effect, err := m.clickOnce(ctx, target, o, modifiers, attempt > 1 && !target.Moving)
		wrong, retry := errors.AsType[*settle.WrongTargetError](err)
		switch {
		case retry && wrong.Element == nil && attempt == maxLostPresses && !target.Moving:
			err = &document.NotActionableError{Ref: target.Ref, Reason: "no press arrived at it: a frame may have come over it"}
		case retry && time.Now().After(until), retry && ctx.Err() != nil, retry && attempt == maxMovingAttempts && target.Moving:
			err = &document.NotActionableError{
				Ref: target.Ref, Reason: "another element took its place at the last moment, each time", Covering: wrong.Element,
			}
			if target.Moving {
				err = &document.NotActionableError{Ref: target.Ref, Reason: fmt.Sprintf("none of %d presses hit it where it moved", attempt)}
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

// clickOnce fails with a [settle.WrongTargetError] when another element was under the pointer; nothing was
// clicked then. With moveFirst the page handles the pointer's arrival before the point of the press
// is resolved.
func (m *Mouse) clickOnce(
	ctx context.Context, target Target, o ClickOptions, modifiers int64, moveFirst bool,
) (settle.Effect, error) {
	barrier := m.StartBarrier(ctx)
	defer barrier.Remove()
	toggles := o.Count <= 1 && cmp.Or(o.Button, ButtonLeft) == ButtonLeft
	want := actionability{enabled: true, press: true, toggle: toggles, repeated: moveFirst, ahead: target.Moving}
	at, a, err := m.beginPointerAction(ctx, target, want)
	if err == nil && moveFirst {
		if err = <-m.movePointer(ctx, at, modifiers); err == nil {
			at, a, err = m.beginPointerAction(ctx, target, want)
		}
	}
	if err != nil {
		return settle.Effect{}, err
	}
	moved := m.movePointer(ctx, at, modifiers)
	if err = m.verifyTarget(ctx, barrier, at, target); err == nil {
		err = m.pressAndRelease(ctx, at, o, modifiers)
	}
	barrier.Remove()
	if moveErr := <-moved; err == nil {
		err = moveErr
	}
	if err != nil {
		return settle.Effect{Element: at.Element}, err
	}
	a.SkipFrame, a.InForm = true, o.Unread
	effect, err := m.settle.WaitForEffect(ctx, a)
	if err == nil && !o.Unread && !slices.ContainsFunc(effect.Changes, opensDialog) {
		err = effect.Applied()
	}
	return effect, err
}

// opensDialog reports the change that says of a dialog that it opened.
func opensDialog(change string) bool {
	return strings.HasPrefix(change, "dialog") || strings.HasPrefix(change, "alertdialog")
}

// actionability selects the checks of an element.
type actionability struct {
	// enabled requires that the element is enabled. press requires that the press hits the element, hover that the
	// pointer arrives there.
	enabled, press, hover bool
	// toggle expects a checkbox that the press toggles to stay so.
	toggle bool
	// repeated says that an earlier press went to another element: then only the element itself will do.
	repeated bool
	// ahead aims at where an element that keeps moving will be.
	ahead bool
}

// Hover moves the pointer over the target. Where no pointer arrives there it is a [document.NotActionableError].
func (m *Mouse) Hover(ctx context.Context, target Target) (settle.Effect, error) {
	for attempt := 1; ; attempt++ {
		effect, err := m.hoverOnce(ctx, target)
		if _, missed := errors.AsType[*settle.WrongTargetError](err); !missed {
			return effect, err
		}
		if attempt == maxLostPresses && !target.Moving || attempt == maxMovingAttempts || ctx.Err() != nil {
			return effect, fmt.Errorf("hovering: %w", &document.NotActionableError{Ref: target.Ref, Reason: "no event of the pointer arrived at it"})
		}
		m.pointer = pointerPosition{}
	}
}

func (m *Mouse) hoverOnce(ctx context.Context, target Target) (settle.Effect, error) {
	at, a, err := m.beginPointerAction(ctx, target, actionability{hover: true, ahead: target.Moving})
	if err != nil {
		return settle.Effect{}, fmt.Errorf("hovering: %w", err)
	}
	if err := <-m.movePointer(ctx, at, 0); err != nil {
		return settle.Effect{Element: at.Element}, fmt.Errorf("hovering: %w", err)
	}
	return m.settle.WaitForEffect(ctx, a)
}

// beginPointerAction resolves the point of a target and begins the action.
func (m *Mouse) beginPointerAction(ctx context.Context, target Target, want actionability) (actionPoint, settle.Action, error) {
	var at actionPoint
	var err error
	switch {
	case target.Ref != "":
		at, err = m.waitActionable(ctx, target.Ref, want)
	case target.Point != nil:
		at, err = m.elementAtPoint(ctx, target.Point, want.press)
	default:
		err = fault.New(codes.Failed, "the target names neither a ref nor a point")
	}
	if err == nil {
		err = m.checkInputDelivery(ctx)
	}
	if err != nil {
		return at, settle.Action{}, err
	}
	a, err := m.settle.BeginActionIn(ctx, at.world, 1, want.press)
	a.Element = at.Element
	return at, a, err
}

// waitActionable waits until an element is actionable in its own document and in all frames around
// it, and returns its point in the top viewport.
func (m *Mouse) waitActionable(ctx context.Context, ref string, want actionability) (actionPoint, error) {
	until := time.Now().Add(time.Duration(document.Remaining(ctx, actionTimeout)) * time.Millisecond)
	for {
		var at actionPoint
		limit := min(document.Remaining(ctx, actionTimeout), max(0, time.Until(until).Milliseconds()))
		argument := map[string]any{"enabled": want.enabled, "press": want.press, "hover": want.hover, "toggle": want.toggle, "through": !want.repeated, "ahead": want.ahead, "limit": limit}
		w, err := m.doc.EvaluateRef(ctx, ref, "waitActionable", argument, &at)
		if refused, ok := errors.AsType[*document.NotActionableError](err); ok && time.Now().Before(until) {
			switch {
			case refused.Covering != nil && m.pointer != outside && m.pointer.loader == m.doc.Loader():
				err = m.leavePage(ctx)
			case refused.AtRest && m.settle.IsNetworkBusy():
				err = settle.Pause(ctx, restInterval)
			}
			if err == nil {
				continue
			}
		}
		if err != nil {
			return at, err
		}
		at.world = w
		outer, err := m.doc.ToTopViewport(ctx, w, document.Point{X: at.X, Y: at.Y}, true)
		if err != nil {
			return at, m.doc.Translate(ctx, ref, err)
		}
		if outer.Reason == "" && !outer.Scrolled {
			at.X, at.Y = outer.X, outer.Y
			return at, nil
		}
		if outer.Final || time.Now().After(until) {
			reason := cmp.Or(outer.Reason, "the frame it is in keeps moving")
			return at, &document.NotActionableError{Ref: ref, Reason: reason, Covering: outer.Covering}
		}
		if err := settle.Pause(ctx, frameInterval); err != nil {
			return at, err
		}
	}
}

// leavePage moves the pointer out of the page: what covers an element may be there because the pointer hovers.
func (m *Mouse) leavePage(ctx context.Context) error {
	err := <-m.movePointer(ctx, actionPoint{X: outside.X, Y: outside.Y}, 0)
	m.pointer = outside
	return err
}

// outside is a position of the pointer beside the page.
var outside = pointerPosition{Point: document.Point{X: -1, Y: -1}}

// frameInterval is the time between checks of the path to an element in a frame.
const frameInterval = 16 * time.Millisecond

// elementAtPoint returns the element at a bare point, in any document; nil is the middle of the
// viewport.
// With press, the effect names the element that the press then reaches.
func (m *Mouse) elementAtPoint(ctx context.Context, point *document.Point, press bool) (at actionPoint, err error) {
	argument := map[string]any{"press": press}
	if point != nil {
		argument["x"], argument["y"] = point.X, point.Y
	}
	if err := m.doc.EvaluateWithRetry(ctx, "elementAtPoint", argument, &at); err != nil {
		return at, m.doc.Translate(ctx, "", err)
	}
	at.world = m.doc.Current()
	local := document.Point{X: at.X, Y: at.Y}
	for key := at.FrameKey; key != 0; {
		found := m.doc.Frames.Enter(ctx, at.world, []int{key})
		if len(found) == 0 {
			return at, nil // the frame element itself
		}
		if local, err = m.doc.IntoFrame(ctx, at.world, key, local); err != nil {
			return at, err
		}
		var inner actionPoint
		if err := m.doc.EvaluateIn(ctx, found[0], "elementAtPoint", map[string]any{"x": local.X, "y": local.Y, "press": press}, &inner); err != nil {
			return at, nil // the frame left the page
		}
		at.Element, at.world, key = inner.Element, found[0], inner.FrameKey
	}
	return at, nil
}

// pointerPosition is the last position of the pointer, and the document there.
type pointerPosition struct {
	document.Point
	loader cdp.LoaderID
}

// movePointer moves the pointer to the point. The browser delivers a move with the next frame, or
// at once when a button follows, so the caller reads the response from the channel after the click.
// Later calls are sent after the move: a press before it would hit without a pointer over the
// element, and the move would end it.
func (m *Mouse) movePointer(ctx context.Context, at actionPoint, modifiers int64) <-chan error {
	moved := make(chan error, 1)
	place := pointerPosition{document.Point{X: at.X, Y: at.Y}, m.doc.Loader()}
	if m.pointer == place {
		moved <- nil
		return moved
	}
	m.pointer = place
	move := queuedMove{
		DispatchMouseEventParams: input.DispatchMouseEventParams{
			Type: "mouseMoved", X: at.X, Y: at.Y, Button: "none", Modifiers: modifiers,
		},
		queued: make(chan struct{}),
	}
	go func() {
		err := m.doc.Session.Call(ctx, input.CommandDispatchMouseEvent, move, nil)
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

// verifyTarget checks what the interceptors in the page cannot see: that a document was replaced. Of an element that
// moves, they alone tell whether the press hit it.
func (m *Mouse) verifyTarget(ctx context.Context, f *Barrier, at actionPoint, target Target) error {
	if err := f.waitReady(ctx, target.Ref); err != nil {
		return err
	}
	if target.Ref == "" || target.Moving || at.world == nil || at.world.Parent == nil {
		return nil
	}
	return m.verifyHitTarget(ctx, at, target.Ref)
}

// verifyHitTarget checks that an element in a frame is still under the point: interceptors are in
// the documents of the time, and a frame may show another one.
func (m *Mouse) verifyHitTarget(ctx context.Context, at actionPoint, ref string) error {
	var hit struct {
		Reached bool `json:"reached"`
	}
	local, err := m.doc.FromTopViewport(ctx, at.world, document.Point{X: at.X, Y: at.Y})
	if err != nil {
		return m.doc.Translate(ctx, ref, err)
	}
	if _, err := m.doc.EvaluateRef(ctx, ref, "hitTest", map[string]any{"x": local.X, "y": local.Y}, &hit); err != nil {
		return err
	}
	if hit.Reached {
		outer, err := m.doc.ToTopViewport(ctx, at.world, local, false)
		if err != nil {
			return m.doc.Translate(ctx, ref, err)
		}
		hit.Reached = outer.Reason == ""
	}
	if !hit.Reached {
		return &document.NotActionableError{Ref: ref, Reason: "it moved away or was covered at the last moment"}
	}
	return nil
}
