package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"
)

// interceptWait bounds the wait for the browser to say that it started a drag of
// its own, after the pointer has moved far enough for one.
const interceptWait = 500 * time.Millisecond

// letGoLimit bounds the end of a drag that is given up.
const letGoLimit = 2 * time.Second

// dragThreshold is how far, in CSS pixels, the pointer moves before a press is a drag.
const dragThreshold = 12

// Position is where on its target something is dropped.
type Position string

// The positions. Before and after are just inside the edge at which the list that
// the target belongs to begins or ends.
const (
	DropInside Position = "inside"
	DropBefore Position = "before"
	DropAfter  Position = "after"
)

// DragOptions tunes a drag. The zero value drops inside, with ten moves.
type DragOptions struct {
	Position Position
	Steps    int
}

// Drag presses the left button on one target and releases it on another. A page
// that follows the mouse sees it move; where the browser starts a drag of its own
// (HTML5, with a data transfer), that one is carried to the target and dropped.
// The button comes up on every path. Errors are those of [Page.Click].
func (p *Page) Drag(ctx context.Context, from, to Target, o DragOptions) (Effect, error) {
	if o.Position == "" {
		o.Position = DropInside
	}
	if o.Steps <= 0 {
		o.Steps = 10
	}
	// The target first: bringing the source into view may not scroll it away again.
	if to.Ref != "" {
		if _, err := p.dropPoint(ctx, to, o.Position, true); err != nil {
			return Effect{}, fmt.Errorf("dragging: %w", err)
		}
	}
	fence := p.raise(ctx)
	defer fence.down()
	at, a, err := p.aim(ctx, from, aiming{enabled: false, press: true})
	if err != nil {
		return Effect{}, fmt.Errorf("dragging: %w", err)
	}
	if err := p.carry(ctx, fence, at, from, to, o); err != nil {
		return Effect{Element: at.Element}, fmt.Errorf("dragging: %w", err)
	}
	fence.down()
	a.frames = 2
	return p.settle(ctx, a)
}

// dropPoint is where the target is now.
func (p *Page) dropPoint(ctx context.Context, to Target, position Position, scroll bool) (Point, error) {
	if to.Ref == "" {
		if to.Point == nil {
			return Point{}, errors.New("the drop target names neither a ref nor a point")
		}
		return *to.Point, nil
	}
	var at Point
	w, err := p.askRef(ctx, to.Ref, "place", map[string]any{"position": position, "scroll": scroll}, &at)
	if err != nil {
		return at, err
	}
	way, err := p.outward(ctx, w, at, scroll)
	if err != nil {
		return at, p.refuse(ctx, to.Ref, err)
	}
	if way.Scrolled {
		return p.dropPoint(ctx, to, position, false)
	}
	if way.Reason != "" {
		return at, &NotActionableError{Ref: to.Ref, Reason: way.Reason, Covering: way.Covering}
	}
	return way.Point, nil
}

// flight is a drag under way.
type flight struct {
	at   Point
	down bool
	data jsonv2.Value // of the browser's own drag, nil while there is none
}

// carry holds the button from source to target.
func (p *Page) carry(ctx context.Context, fence *fence, at aimed, from, to Target, o DragOptions) (err error) {
	intercepted, cancel := p.session.Subscribe(input.DragIntercepted.Method)
	defer cancel()
	if _, err := cdp.Call(ctx, p.session, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: true}); err != nil {
		return fmt.Errorf("preparing for a drag: %w", err)
	}
	f := &flight{at: Point{at.X, at.Y}}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), letGoLimit)
		defer cancel()
		if f.down {
			p.letGo(ctx, f, intercepted)
		}
		_, _ = cdp.Call(ctx, p.session, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: false})
	}()
	if err := <-p.approach(ctx, at, 0); err != nil {
		return err
	}
	if err := p.lastLook(ctx, fence, at, from.Ref); err != nil {
		return err
	}
	f.down = true
	if err := p.hold(ctx, f.event("mousePressed"), f.event("mouseReleased")); err != nil {
		f.down = false // hold has released it
		return err
	}
	if err := p.confirm(ctx, at, from.Ref); err != nil {
		return err
	}
	if err := p.takeOff(ctx, f, at, to, o, intercepted); err != nil {
		return err
	}
	return p.land(ctx, f, to, o)
}

// confirm asks whether the press arrived where it was meant to.
func (p *Page) confirm(ctx context.Context, at aimed, ref string) error {
	if ref == "" {
		return nil
	}
	for w := at.world; w != nil; w = w.parent {
		var r rest
		if err := p.askIn(ctx, w, "missed", nil, &r); err != nil {
			return p.refuse(ctx, ref, err)
		}
		if r.Missed != nil {
			return &NotActionableError{Ref: ref, Reason: "another element took its place at the last moment", Covering: r.Missed}
		}
	}
	return nil
}

// takeOff moves until the browser says that it drags something itself, or until
// it is clear that it does not.
func (p *Page) takeOff(ctx context.Context, f *flight, at aimed, to Target, o DragOptions, intercepted <-chan jsonv2.Value) error {
	goal, err := p.dropPoint(ctx, to, o.Position, false)
	if err != nil {
		return err
	}
	start := f.at
	length := max(abs(goal.X-start.X), abs(goal.Y-start.Y), 1)
	near := min(1, dragThreshold/length)
	for _, part := range []float64{near / 2, near} {
		f.at = between(start, goal, part)
		if err := p.mouse(ctx, f.event("mouseMoved")); err != nil {
			return err
		}
	}
	wait := time.NewTimer(p.patience(ctx, at, start))
	defer wait.Stop()
	select {
	case raw := <-intercepted:
		if err := f.take(raw); err != nil {
			return err
		}
		return p.dragEvent(ctx, f, "dragEnter")
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// patience is how long an interception is waited for: where the browser drags by
// itself it takes a few round trips, elsewhere it does not come.
func (p *Page) patience(ctx context.Context, at aimed, start Point) time.Duration {
	var under struct {
		Native bool `json:"native"`
	}
	off, err := p.offset(ctx, at.world)
	if err == nil {
		err = p.askIn(ctx, at.world, "draggable", Point{start.X - off.X, start.Y - off.Y}, &under)
	}
	if err != nil || !under.Native {
		return 10 * time.Millisecond
	}
	return interceptWait
}

// land goes to the target in steps, looks where it is by then, and lets go.
func (p *Page) land(ctx context.Context, f *flight, to Target, o DragOptions) error {
	goal, err := p.dropPoint(ctx, to, o.Position, to.Ref != "")
	if err != nil {
		return err
	}
	start := f.at
	for i := 1; i <= o.Steps; i++ {
		f.at = between(start, goal, float64(i)/float64(o.Steps))
		if err := p.move(ctx, f); err != nil {
			return err
		}
	}
	// Lists make room under the pointer: once more to where the target is now.
	again, err := p.dropPoint(ctx, to, o.Position, false)
	if err == nil {
		f.at = again
	}
	if err := p.move(ctx, f); err != nil {
		return err
	}
	f.down = false
	if f.data != nil {
		if err := p.dragEvent(ctx, f, "drop"); err != nil {
			f.down = true
			return err
		}
	}
	return p.mouse(ctx, f.event("mouseReleased"))
}

func (p *Page) move(ctx context.Context, f *flight) error {
	if f.data != nil {
		return p.dragEvent(ctx, f, "dragOver")
	}
	return p.mouse(ctx, f.event("mouseMoved"))
}

// letGo gives up: nothing is dropped, and the button comes up. A drag of the
// browser's own may have started of which no word has come yet; left alone it would
// swallow all later input.
func (p *Page) letGo(ctx context.Context, f *flight, intercepted <-chan jsonv2.Value) {
	p.pointer = pointerPlace{}
	if f.data == nil {
		_ = p.mouse(ctx, f.event("mouseReleased"))
		wait := time.NewTimer(interceptWait)
		defer wait.Stop()
		select {
		case raw := <-intercepted:
			if f.take(raw) != nil {
				return
			}
		case <-wait.C:
			return
		case <-ctx.Done():
			return
		}
	}
	_ = p.dragEvent(ctx, f, "dragCancel")
	_ = p.mouse(ctx, f.event("mouseReleased"))
}

// take keeps what the browser says is dragged.
func (f *flight) take(raw jsonv2.Value) error {
	var event struct {
		Data jsonv2.Value `json:"data"`
	}
	if err := json.Unmarshal(raw, &event); err != nil {
		return fmt.Errorf("reading what is dragged: %w", err)
	}
	f.data = event.Data
	return nil
}

// dragParams are input.DispatchDragEventParams with the data as it came.
type dragParams struct {
	Type string       `json:"type"`
	X    float64      `json:"x"`
	Y    float64      `json:"y"`
	Data jsonv2.Value `json:"data"`
}

func (p *Page) dragEvent(ctx context.Context, f *flight, kind string) error {
	event := dragParams{Type: kind, X: f.at.X, Y: f.at.Y, Data: f.data}
	if err := p.session.Call(ctx, input.DispatchDragEvent.Method, event, nil); err != nil {
		return fmt.Errorf("dispatching %s: %w", kind, err)
	}
	return nil
}

func (f *flight) event(kind string) input.DispatchMouseEventParams {
	e := input.DispatchMouseEventParams{Type: input.DispatchMouseEventType(kind), X: f.at.X, Y: f.at.Y, Button: input.MouseButtonLeft}
	switch kind {
	case "mousePressed":
		e.Buttons, e.ClickCount = 1, 1
	case "mouseMoved":
		e.Buttons = 1
	case "mouseReleased":
		e.ClickCount = 1
	}
	return e
}

func between(a, b Point, part float64) Point {
	return Point{a.X + (b.X-a.X)*part, a.Y + (b.Y-a.Y)*part}
}

func abs(v float64) float64 { return max(v, -v) }
