package act

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/result"
)

// DragDrop drags an element or a point to another, or by an offset.
func (t *Tools) DragDrop(ctx context.Context, call *toolkit.Call, in actapi.DragDropParams) (toolkit.Result, error) {
	out, err := result.ActOn(ctx, call, t.sessions, in.TabID, func(ctx context.Context, p *page.Page) (page.Effect, error) {
		from, err := dragEnd(ctx, p, elementArgument{in.Ref, in.Query}, in.SourceSelector, in.Start)
		if err != nil {
			return page.Effect{}, err
		}
		to, err := dragEnd(ctx, p, elementArgument{in.TargetRef, in.TargetQuery}, in.TargetSelector, in.End)
		if err != nil {
			return page.Effect{}, err
		}
		return p.Drag(ctx, from, to, page.DragOptions{
			Position: page.DropPosition(in.Position), Steps: in.Steps, Offset: point(in.Offset),
		})
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(out.Text("dragged")), nil
}

// dragEnd returns the target that one end of a drag names.
func dragEnd(ctx context.Context, p *page.Page, e elementArgument, selector toolkit.Opt[string], at []float64) (page.Target, error) {
	e, err := e.withSelector(ctx, p, selector)
	if err != nil {
		return page.Target{}, err
	}
	found, err := e.find(ctx, p, fieldWait, anyMatch)
	return page.Target{Ref: found, Point: point(at)}, err
}

// point returns the point of a pair of numbers, or nil.
func point(pair []float64) *page.Point {
	if len(pair) != 2 {
		return nil
	}
	return &page.Point{X: pair[0], Y: pair[1]}
}
