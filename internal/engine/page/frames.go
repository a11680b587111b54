package page

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
	visit     func(w *world, result json.RawMessage) error
}

// evaluateAll runs a read-only operation in every document of the page, from the top down. An error
// of the top document ends the walk; an error of a frame skips that frame.
func (p *Page) evaluateAll(
	ctx context.Context, operation string, argument any, visit func(w *world, result json.RawMessage) error,
) error {
	all := walk{operation: operation, argument: argument, visit: visit}
	return p.withRetry(ctx, operation, func(top *world) error {
		r, err := p.evaluateWithShadows(ctx, top, operation, argument)
		if err != nil {
			return err
		}
		if err := r.decode(nil); err != nil {
			return err
		}
		if err := visit(top, r.OK); err != nil {
			return err
		}
		return p.evaluateRemote(ctx, top, r.RemoteFrames, all)
	})
}

// evaluateRemote continues a walk in the remote frames of w and in the frames below them.
func (p *Page) evaluateRemote(ctx context.Context, w *world, keys []int, all walk) error {
	if len(keys) == 0 {
		return nil
	}
	for _, child := range p.frames.enter(ctx, w, keys) {
		r, err := p.evaluateFrame(ctx, child, all.operation, all.argument)
		if err != nil || r.Error != "" {
			if ctx.Err() != nil {
				return fmt.Errorf("%s in a frame: %w", all.operation, context.Cause(ctx))
			}
			p.frames.timedOut = p.frames.timedOut || errors.Is(err, context.DeadlineExceeded)
			continue
		}
		if err := all.visit(child, r.OK); err != nil {
			return err
		}
		if err := p.evaluateRemote(ctx, child, r.RemoteFrames, all); err != nil {
			return err
		}
	}
	return nil
}

// evaluateFrame is evaluateWithShadows in a frame, within frameTimeout.
func (p *Page) evaluateFrame(ctx context.Context, w *world, operation string, argument any) (*response, error) {
	limit := time.Duration(remaining(ctx, frameTimeout)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return p.evaluateWithShadows(ctx, w, operation, argument)
}

// frameOffset returns where the document of a world begins in the top viewport.
func (p *Page) frameOffset(ctx context.Context, w *world) (Point, error) {
	var sum Point
	for ; w.parent != nil; w = w.parent {
		var at Point
		if err := p.evaluateIn(ctx, w.parent, "frameOrigin", map[string]any{"frameKey": w.frameKey}, &at); err != nil {
			return sum, frameError(w, err)
		}
		sum.X, sum.Y = sum.X+at.X, sum.Y+at.Y
	}
	return sum, nil
}

// viewportPoint is a point converted from a frame to the document around it.
type viewportPoint struct {
	Point
	Scrolled bool     `json:"scrolled"`
	Reason   string   `json:"reason"`
	Covering *Element `json:"covering"`
}

// toTopViewport converts a point of w's document to the top viewport and says why the pointer would
// not reach it there. With scroll it brings frames into view; Scrolled then says that the caller
// has to compute the point again.
func (p *Page) toTopViewport(ctx context.Context, w *world, at Point, scroll bool) (viewportPoint, error) {
	outer := viewportPoint{Point: at}
	for ; w.parent != nil; w = w.parent {
		argument := map[string]any{"frameKey": w.frameKey, "x": outer.X, "y": outer.Y, "scroll": scroll}
		outer = viewportPoint{}
		if err := p.evaluateIn(ctx, w.parent, "frameToViewport", argument, &outer); err != nil {
			return outer, frameError(w, err)
		}
		if outer.Scrolled || outer.Reason != "" {
			return outer, nil
		}
	}
	return outer, nil
}

// frameError turns the error for a frame whose element left the page into errDocumentReplaced.
func frameError(w *world, err error) error {
	if r, ok := errors.AsType[*engineError](err); ok && r.kind == "otherDocument" {
		w.replaced = true
		return errDocumentReplaced
	}
	return err
}

// waitForFrameFocus waits until the documents around w know that it has the focus: keys go where
// the browser process believes the focus is.
func (p *Page) waitForFrameFocus(ctx context.Context, w *world) error {
	for ; w.parent != nil; w = w.parent {
		argument := map[string]any{"frameKey": w.frameKey, "limit": remaining(ctx, time.Second)}
		if err := p.evaluateIn(ctx, w.parent, "waitForFrameFocus", argument, nil); err != nil {
			return err
		}
	}
	return nil
}
