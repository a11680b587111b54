package input

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// interceptTimeout bounds the wait for the browser's message that it started a drag, after the
// pointer has moved far enough for one.
const interceptTimeout = 500 * time.Millisecond

// cancelTimeout bounds the end of a cancelled drag.
const cancelTimeout = 2 * time.Second

// dragThreshold is the distance in CSS pixels after which a press with a moving pointer is a drag.
const dragThreshold = 12

// dropRest is the time between the last move and the release.
const dropRest = 40 * time.Millisecond

// DropPosition is the place on its target at which an element is dropped.
type DropPosition string

// The positions. Before and after are just inside the edge at which the list that
// the target belongs to begins or ends.
const (
	DropInside DropPosition = "inside"
	DropBefore DropPosition = "before"
	DropAfter  DropPosition = "after"
)

// DragOptions tunes a drag. The zero value drops inside, with ten moves.
type DragOptions struct {
	Position DropPosition
	Steps    int
	// Offset is the distance of the drop from the point of the press; it replaces the target.
	Offset *document.Point
	// Path is the way of the pointer before it goes to the target.
	Path []Waypoint
	// Rest is the time between the last move and the release, at least 40 ms.
	Rest time.Duration
}

// Drag presses the left button on one target and releases it on another. A page that follows the
// mouse sees it move. Where the browser starts a drag with a data transfer (HTML5), that drag is
// continued to the target and dropped. The button comes up on every path. Errors are those of
// [widget.Setter.Click], also for a target that another element covers; an offset and points are not checked.
func (m *Mouse) Drag(ctx context.Context, from, to Target, o DragOptions) (settle.Effect, error) {
	if o.Position == "" {
		o.Position = DropInside
	}
	if o.Steps <= 0 {
		o.Steps = 10
	}
	// The target first: scrolling to it later could move the source out of view.
	if to.Ref != "" {
		if err := m.aimDrop(ctx, from, to, o.Position); err != nil {
			return settle.Effect{}, fmt.Errorf("dragging: %w", err)
		}
	}
	barrier := m.StartBarrier(ctx)
	defer barrier.Remove()
	at, a, err := m.beginPointerAction(ctx, from, actionability{press: true})
	if err != nil {
		return settle.Effect{}, fmt.Errorf("dragging: %w", err)
	}
	if o.Offset != nil {
		to = Target{Point: &document.Point{X: at.X + o.Offset.X, Y: at.Y + o.Offset.Y}}
	}
	before := m.placeOf(ctx, from.Ref)
	request := dragRequest{DragOptions: o, from: from, to: to, box: before.Box}
	native, err := m.performDrag(ctx, barrier, at, request)
	if err != nil {
		return settle.Effect{Element: at.Element}, fmt.Errorf("dragging: %w", err)
	}
	barrier.Remove()
	a.Frames = 2
	effect, err := m.settle.WaitForEffect(ctx, a)
	if err != nil || effect.NewDocument {
		return effect, err
	}
	drop := m.dropResult(ctx, to.Ref)
	if native && !drop.Seen {
		return effect, fmt.Errorf("dragging: %w", &DropRefusedError{Ref: to.Ref})
	}
	if !effect.Detached {
		effect.Changes = append(before.changeTo(m.placeOf(ctx, from.Ref), drop), effect.Changes...)
	}
	return effect, nil
}

// dragState is a drag in progress.
type dragState struct {
	start   document.Point // of the press
	at      document.Point
	goal    dropTarget     // before the first move
	aimed   document.Point // of the target, when it was last located
	pressed bool
	data    jsonv2.Value // the data of the browser's own drag; nil while none has started
	// intercepted receives the browser's message that it started a drag.
	intercepted <-chan jsonv2.Value
}

// dragRequest is the source, the target and the options of a drag.
type dragRequest struct {
	DragOptions
	from, to Target
	box      document.Box // of the source before the drag; zero if unknown
}

// performDrag holds the button from source to target. It reports whether the browser's own drag was dropped.
func (m *Mouse) performDrag(ctx context.Context, barrier *Barrier, at actionPoint, d dragRequest) (native bool, err error) {
	intercepted, cancel := m.doc.Session.Subscribe(input.DragIntercepted.Method)
	defer cancel()
	on := input.SetInterceptDragsParams{Enabled: true}
	if _, err := cdp.Call(ctx, m.doc.Session, input.SetInterceptDrags, on); err != nil {
		return false, fmt.Errorf("preparing for a drag: %w", err)
	}
	f := &dragState{start: document.Point{X: at.X, Y: at.Y}, at: document.Point{X: at.X, Y: at.Y}, intercepted: intercepted}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
		defer cancel()
		if f.pressed {
			m.cancelDrag(ctx, f)
		}
		_, _ = cdp.Call(ctx, m.doc.Session, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: false})
	}()
	if err := <-m.movePointer(ctx, at, 0); err != nil {
		return false, err
	}
	if err := m.verifyTarget(ctx, barrier, at, d.from); err != nil {
		return false, err
	}
	f.pressed = true
	if err := m.pressButton(ctx, f.mouseEvent("mousePressed"), f.mouseEvent("mouseReleased")); err != nil {
		f.pressed = false // hold has released it
		return false, err
	}
	if err := m.verifyPress(ctx, at, d.from.Ref); err != nil {
		return false, err
	}
	if err := m.startDrag(ctx, f, at, d); err != nil {
		return false, err
	}
	return f.data != nil, m.finishDrag(ctx, f, d)
}

// verifyPress checks that the press hit the source.
func (m *Mouse) verifyPress(ctx context.Context, at actionPoint, ref string) error {
	if ref == "" {
		return nil
	}
	for w := at.world; w != nil; w = w.Parent {
		var r struct {
			WrongTarget *document.Element `json:"wrongTarget"`
		}
		if err := m.doc.EvaluateIn(ctx, w, "pressHit", nil, &r); err != nil {
			return m.doc.Translate(ctx, ref, err)
		}
		if r.WrongTarget != nil {
			return &document.NotActionableError{
				Ref: ref, Reason: "another element took its place at the last moment", Covering: r.WrongTarget,
			}
		}
	}
	return nil
}

// startDrag moves the pointer until the browser reports a drag of its own, or until it is clear
// that it starts none.
func (m *Mouse) startDrag(ctx context.Context, f *dragState, at actionPoint, d dragRequest) error {
	goal, err := m.dropTarget(ctx, d.to, d.Position, aiming{})
	if err != nil {
		return err
	}
	f.goal = goal
	start := f.at
	for _, w := range d.Path {
		if goal.Point = w.Point; distance(start, w.Point) > dragThreshold {
			break
		}
	}
	length := max(distance(start, goal.Point), 1)
	threshold := min(1, dragThreshold/length)
	for _, part := range []float64{threshold / 2, threshold} {
		f.at = interpolate(start, goal.Point, part)
		if err := m.dispatchMouse(ctx, f.mouseEvent("mouseMoved")); err != nil {
			return err
		}
	}
	wait := time.NewTimer(m.dragStartTimeout(ctx, at, start))
	defer wait.Stop()
	select {
	case raw := <-f.intercepted:
		if err := f.setData(raw); err != nil {
			return err
		}
		return m.dispatchDrag(ctx, f, "dragEnter")
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// dragStartTimeout returns how long startDrag waits for an interception: a native drag takes a few
// round trips, and elsewhere there is none.
func (m *Mouse) dragStartTimeout(ctx context.Context, at actionPoint, start document.Point) time.Duration {
	var under struct {
		Native bool `json:"native"`
	}
	local, err := m.doc.FromTopViewport(ctx, at.world, start)
	if err == nil {
		err = m.doc.EvaluateIn(ctx, at.world, "draggable", local, &under)
	}
	if err != nil || !under.Native {
		return 10 * time.Millisecond
	}
	return interceptTimeout
}

// finishDrag follows the path, moves to the target in steps, resolves its point again, and releases the button.
func (m *Mouse) finishDrag(ctx context.Context, f *dragState, d dragRequest) error {
	err := follow(ctx, f.at, d.Path, func(to document.Point) error { f.at = to; return m.moveDrag(ctx, f) })
	if err != nil {
		return err
	}
	goal, err := m.dropTarget(ctx, d.to, d.Position, aiming{scroll: true})
	if err != nil {
		return err
	}
	f.aimed = goal.Point
	if f.goal.contains(f.at) && f.goal.hasMadeRoom(goal, d) {
		goal = f.goal // the first moves have brought the source there
	}
	start := f.at
	for i := 1; i <= d.Steps; i++ {
		f.at = interpolate(start, goal.Point, float64(i)/float64(d.Steps))
		if err := m.moveDrag(ctx, f); err != nil {
			return err
		}
	}
	if err := m.alignWithTarget(ctx, f, goal, d); err != nil {
		return err
	}
	// A person rests before the release, and some pages settle what is under the pointer meanwhile.
	if err := settle.Pause(ctx, max(dropRest, d.Rest)); err != nil {
		return err
	}
	if err := m.moveDrag(ctx, f); err != nil {
		return err
	}
	f.pressed = false
	if f.data != nil {
		if err := m.dispatchDrag(ctx, f, "drop"); err != nil {
			f.pressed = true
			return err
		}
	}
	return m.dispatchMouse(ctx, f.mouseEvent("mouseReleased"))
}

func (m *Mouse) moveDrag(ctx context.Context, f *dragState) error {
	if f.data != nil {
		return m.dispatchDrag(ctx, f, "dragOver")
	}
	return m.dispatchMouse(ctx, f.mouseEvent("mouseMoved"))
}

// cancelDrag drops nothing and releases the button. A native drag may have started whose message
// has not arrived yet; without a cancel it would swallow all later input.
func (m *Mouse) cancelDrag(ctx context.Context, f *dragState) {
	m.pointer = pointerPosition{}
	if f.data == nil {
		_ = m.dispatchMouse(ctx, f.mouseEvent("mouseReleased"))
		wait := time.NewTimer(interceptTimeout)
		defer wait.Stop()
		select {
		case raw := <-f.intercepted:
			if f.setData(raw) != nil {
				return
			}
		case <-wait.C:
			return
		case <-ctx.Done():
			return
		}
	}
	_ = m.dispatchDrag(ctx, f, "dragCancel")
	_ = m.dispatchMouse(ctx, f.mouseEvent("mouseReleased"))
}

// setData stores the data of a native drag.
func (f *dragState) setData(raw jsonv2.Value) error {
	var event struct {
		Data jsonv2.Value `json:"data"`
	}
	if err := json.Unmarshal(raw, &event); err != nil {
		return fmt.Errorf("reading what is dragged: %w", err)
	}
	f.data = event.Data
	return nil
}

// dragParams is input.DispatchDragEventParams with the data as it came.
type dragParams struct {
	Type string       `json:"type"`
	X    float64      `json:"x"`
	Y    float64      `json:"y"`
	Data jsonv2.Value `json:"data"`
}

func (m *Mouse) dispatchDrag(ctx context.Context, f *dragState, kind string) error {
	event := dragParams{Type: kind, X: f.at.X, Y: f.at.Y, Data: f.data}
	if err := m.doc.Session.Call(ctx, input.DispatchDragEvent.Method, event, nil); err != nil {
		return fmt.Errorf("dispatching %s: %w", kind, err)
	}
	return nil
}

func (f *dragState) mouseEvent(kind string) input.DispatchMouseEventParams {
	e := input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventType(kind), X: f.at.X, Y: f.at.Y, Button: input.MouseButtonLeft,
	}
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

func interpolate(a, b document.Point, part float64) document.Point {
	return document.Point{X: a.X + (b.X-a.X)*part, Y: a.Y + (b.Y-a.Y)*part}
}

func distance(a, b document.Point) float64 { return max(math.Abs(a.X-b.X), math.Abs(a.Y-b.Y)) }
