package document

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// walk is an operation that reads every document of the page. visit receives each result.
type walk struct {
	operation string
	argument  any
	visit     func(w *World, result json.RawMessage) error
}

// EvaluateAll runs a read-only operation in every document of the page, from the top down. An error
// of the top document ends the walk; an error of a frame skips that frame.
func (d *Document) EvaluateAll(
	ctx context.Context, operation string, argument any, visit func(w *World, result json.RawMessage) error,
) error {
	all := walk{operation: operation, argument: argument, visit: visit}
	return d.WithRetry(ctx, operation, func(top *World) error {
		r, err := d.EvaluateWithShadows(ctx, top, operation, argument)
		if err != nil {
			return err
		}
		if err := r.Decode(nil); err != nil {
			return err
		}
		if err := visit(top, r.OK); err != nil {
			return err
		}
		return d.evaluateRemote(ctx, top, r.RemoteFrames, all)
	})
}

// evaluateRemote continues a walk in the remote frames of w and in the frames below them.
func (d *Document) evaluateRemote(ctx context.Context, w *World, keys []int, all walk) error {
	if len(keys) == 0 {
		return nil
	}
	for _, child := range d.Frames.Enter(ctx, w, keys) {
		r, err := d.evaluateFrame(ctx, child, all.operation, all.argument)
		if err != nil || r.Error != "" {
			if ctx.Err() != nil {
				return fmt.Errorf("%s in a frame: %w", all.operation, context.Cause(ctx))
			}
			d.Frames.TimedOut = d.Frames.TimedOut || errors.Is(err, context.DeadlineExceeded)
			continue
		}
		if err := all.visit(child, r.OK); err != nil {
			return err
		}
		if err := d.evaluateRemote(ctx, child, r.RemoteFrames, all); err != nil {
			return err
		}
	}
	return nil
}

// evaluateFrame is EvaluateWithShadows in a frame, within FrameTimeout.
func (d *Document) evaluateFrame(ctx context.Context, w *World, operation string, argument any) (*response, error) {
	limit := time.Duration(Remaining(ctx, FrameTimeout)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return d.EvaluateWithShadows(ctx, w, operation, argument)
}

// FrameTransform leads from the document of a world to the top viewport.
func (d *Document) FrameTransform(ctx context.Context, w *World) (Transform, error) {
	all := Transform{A: 1, D: 1}
	for ; w.Parent != nil; w = w.Parent {
		var own Transform
		if err := d.EvaluateIn(ctx, w.Parent, "frameTransform", map[string]any{"frameKey": w.FrameKey}, &own); err != nil {
			return all, FrameError(w, err)
		}
		all = all.Then(own)
	}
	return all, nil
}

// FromTopViewport converts a point of the top viewport to w's document.
func (d *Document) FromTopViewport(ctx context.Context, w *World, at Point) (Point, error) {
	if w.Parent == nil {
		return at, nil
	}
	at, err := d.FromTopViewport(ctx, w.Parent, at)
	if err != nil {
		return at, err
	}
	return d.IntoFrame(ctx, w.Parent, w.FrameKey, at)
}

// IntoFrame converts a point of w's document to that of a frame in it.
func (d *Document) IntoFrame(ctx context.Context, w *World, frameKey int, at Point) (inner Point, err error) {
	argument := map[string]any{"frameKey": frameKey, "x": at.X, "y": at.Y}
	if err = d.EvaluateIn(ctx, w, "frameFromViewport", argument, &inner); err != nil {
		return inner, FrameError(w, err)
	}
	return inner, nil
}

// viewportPoint is a point converted from a frame to the document around it.
type viewportPoint struct {
	Point
	Scrolled bool   `json:"scrolled"`
	Reason   string `json:"reason"`
	// Final says that waiting changes nothing about the reason.
	Final    bool     `json:"final"`
	Covering *Element `json:"covering"`
}

// ToTopViewport converts a point of w's document to the top viewport and says why the pointer would
// not reach it there. With scroll it brings frames into view; Scrolled then says that the caller
// has to compute the point again.
func (d *Document) ToTopViewport(ctx context.Context, w *World, at Point, scroll bool) (viewportPoint, error) {
	outer := viewportPoint{Point: at}
	for ; w.Parent != nil; w = w.Parent {
		argument := map[string]any{"frameKey": w.FrameKey, "x": outer.X, "y": outer.Y, "scroll": scroll}
		outer = viewportPoint{}
		if err := d.EvaluateIn(ctx, w.Parent, "frameToViewport", argument, &outer); err != nil {
			return outer, FrameError(w, err)
		}
		if outer.Scrolled || outer.Reason != "" {
			return outer, nil
		}
	}
	return outer, nil
}

// FrameError turns the error for a frame whose element left the page into ErrReplaced.
func FrameError(w *World, err error) error {
	if r, ok := errors.AsType[*EngineError](err); ok && r.Kind == "otherDocument" {
		w.Replaced = true
		return ErrReplaced
	}
	return err
}

// WaitForFrameFocus waits until the documents around w know that it has the focus: keys go where
// the browser process believes the focus is.
func (d *Document) WaitForFrameFocus(ctx context.Context, w *World) error {
	for ; w.Parent != nil; w = w.Parent {
		argument := map[string]any{"frameKey": w.FrameKey, "limit": Remaining(ctx, time.Second)}
		if err := d.EvaluateIn(ctx, w.Parent, "waitForFrameFocus", argument, nil); err != nil {
			return err
		}
	}
	return nil
}
