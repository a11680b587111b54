package input

import (
	"context"
	"math"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/fault"
)

// dropTarget is the place of the target of a drag, which the page may move meanwhile.
type dropTarget struct {
	document.Point
	Width   float64 `json:"width"`
	Height  float64 `json:"height"`
	Arrived bool    `json:"arrived"` // the browser's own drag has reached its last place
	Sibling bool    `json:"sibling"` // of the source
	// List is the place of the target relative to its parent.
	List document.Point `json:"list"`
}

// aiming selects how a drop target is located: scrolled to first, or after the browser's own drag has reached
// its last place.
type aiming struct {
	scroll, arrived bool
	from            Target
	beyond          document.Point // how far the drag is from the last point of the target
}

// aimDrop scrolls to the target of a drag and, where the drag is from element to element, picks a point of
// it that no other element covers. It fails with a [document.NotActionableError] where there is none.
func (m *Mouse) aimDrop(ctx context.Context, from, to Target, position DropPosition) error {
	argument := map[string]any{"from": document.RefNumber(from.Ref), "position": position, "check": from.Ref != "", "limit": document.Remaining(ctx, actionTimeout)}
	if _, err := m.doc.EvaluateRef(ctx, to.Ref, "aimDrop", argument, nil); err != nil {
		return err
	}
	_, err := m.dropTarget(ctx, to, position, aiming{scroll: true})
	return err
}

// dropTarget returns the current place of the target.
func (m *Mouse) dropTarget(ctx context.Context, to Target, position DropPosition, how aiming) (dropTarget, error) {
	var at dropTarget
	if to.Ref == "" {
		if to.Point == nil {
			return at, fault.New(codes.Failed, "the drop target names neither a ref nor a point")
		}
		return dropTarget{Point: *to.Point}, nil
	}
	w, err := m.doc.EvaluateRef(ctx, to.Ref, "dropTarget", map[string]any{
		"position": position, "scroll": how.scroll, "arrived": how.arrived, "beyond": how.beyond, "from": document.RefNumber(how.from.Ref),
	}, &at)
	if err != nil {
		return at, err
	}
	outer, err := m.doc.ToTopViewport(ctx, w, at.Point, how.scroll)
	if err != nil {
		return at, m.doc.Translate(ctx, to.Ref, err)
	}
	if outer.Scrolled {
		return m.dropTarget(ctx, to, position, aiming{})
	}
	if outer.Reason != "" {
		return at, &document.NotActionableError{Ref: to.Ref, Reason: outer.Reason, Covering: outer.Covering}
	}
	at.Point = outer.Point
	return at, nil
}

// hasMadeRoom reports that a list has put what is dragged at its place beside the target: the target
// moved in its list by about the size of the source. To follow it would undo that. A target that moved
// down or right has the source before it.
func (was dropTarget) hasMadeRoom(now dropTarget, d dragRequest) bool {
	dx, dy := now.List.X-was.List.X, now.List.Y-was.List.Y
	by, size := dy, d.box.Height
	if math.Abs(dx) > math.Abs(dy) {
		by, size = dx, d.box.Width
	}
	if size == 0 || math.Abs(by) < size/2 || math.Abs(by) > 1.6*size+24 {
		return false
	}
	switch d.Position {
	case DropBefore:
		return by > 0
	case DropAfter:
		return by < 0
	default:
		return !now.contains(was.Point)
	}
}

// maxDragMoves bounds the messages that bring the browser's own drag to one place: it loses some.
const maxDragMoves = 5

// arriveAtTarget moves the drag to its place until the page has seen it there, and returns where the
// target is then; nil if it is gone.
func (m *Mouse) arriveAtTarget(ctx context.Context, f *dragState, d dragRequest) (*dropTarget, error) {
	for moves := 1; ; moves++ {
		if err := m.moveDrag(ctx, f); err != nil {
			return nil, err
		}
		beyond := document.Point{X: f.at.X - f.aimed.X, Y: f.at.Y - f.aimed.Y}
		at, err := m.dropTarget(ctx, d.to, d.Position, aiming{arrived: f.data != nil, from: d.from, beyond: beyond})
		f.aimed = at.Point
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, nil
		case at.Arrived, f.data == nil, d.to.Ref == "", moves == maxDragMoves:
			return &at, nil
		}
	}
}

// alignWithTarget brings a drag that is at the goal to where the target is by then, because pages move it
// meanwhile; but not where it made room for what is dragged.
func (m *Mouse) alignWithTarget(ctx context.Context, f *dragState, goal dropTarget, d dragRequest) error {
	last, err := m.arriveAtTarget(ctx, f, d)
	if err == nil && last != nil && last.Sibling && d.Position == DropInside && last.contains(f.at) {
		last, err = m.passThrough(ctx, f, last, d)
	}
	if err != nil || last == nil || last.Point == goal.Point || goal.hasMadeRoom(*last, d) {
		return err
	}
	f.at = last.Point
	_, err = m.arriveAtTarget(ctx, f, d)
	return err
}

// passThrough moves the drag on from the middle of an element of the same list: many lists give way only
// when the pointer is past it. It returns where the target is then; nil if it is gone.
func (m *Mouse) passThrough(ctx context.Context, f *dragState, at *dropTarget, d dragRequest) (*dropTarget, error) {
	beyond := document.Point{Y: math.Copysign(at.Height/4, f.at.Y-f.start.Y)}
	if math.Abs(f.at.X-f.start.X) > math.Abs(f.at.Y-f.start.Y) {
		beyond = document.Point{X: math.Copysign(at.Width/4, f.at.X-f.start.X)}
	}
	f.at = document.Point{X: f.at.X + beyond.X, Y: f.at.Y + beyond.Y}
	return m.arriveAtTarget(ctx, f, d)
}

// contains reports that a point is on the target; its own point is in its middle.
func (was dropTarget) contains(at document.Point) bool {
	return math.Abs(at.X-was.X) <= was.Width/2 && math.Abs(at.Y-was.Y) <= was.Height/2
}
