package act

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
)

// DragDrop drags an element or a point to another, or by an offset.
func (t *Tools) DragDrop(ctx context.Context, call *toolkit.Call, in actapi.DragDropParams) (toolkit.Result, error) {
	start, end, err := dragPoints(in)
	if err != nil {
		return toolkit.Result{}, err
	}
	out, err := result.ActOn(ctx, call, t.sessions, in.TabID, func(ctx context.Context, p *page.Page) (settle.Effect, error) {
		from, err := dragEnd(ctx, p, elementArgument{in.Ref, in.Query}, in.SourceSelector, start)
		if err != nil {
			return settle.Effect{}, err
		}
		to, err := dragEnd(ctx, p, elementArgument{in.TargetRef, in.TargetQuery}, in.TargetSelector, end)
		if err != nil {
			return settle.Effect{}, err
		}
		return p.Mouse.Drag(ctx, from, to, input.DragOptions{
			Position: input.DropPosition(in.Position), Steps: in.Steps, Offset: point(in.Offset),
		})
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(out.Text("dragged")), nil
}

// dragPoints returns the points of both ends, which a call gives as pairs or as single coordinates.
func dragPoints(in actapi.DragDropParams) (start, end []float64, err error) {
	var problems toolkit.Violations
	pair := func(at []float64, x, y toolkit.Opt[float64], name string) []float64 {
		if x.Set != y.Set {
			problems = append(problems, toolkit.Violation{Path: "/" + name, Problem: "a point has two coordinates, X and Y"})
		}
		if x.Set && y.Set {
			return []float64{x.Value, y.Value}
		}
		return at
	}
	start = pair(in.Start, in.SourceX, in.SourceY, "sourceX")
	end = pair(in.End, in.TargetX, in.TargetY, "targetX")
	if problems != nil {
		return nil, nil, problems
	}
	return start, end, nil
}

// dragEnd returns the target that one end of a drag names.
func dragEnd(ctx context.Context, p *page.Page, e elementArgument, selector toolkit.Opt[string], at []float64) (input.Target, error) {
	e, err := e.withSelector(ctx, p, selector)
	if err != nil {
		return input.Target{}, err
	}
	found, err := e.find(ctx, p, fieldWait)
	return input.Target{Ref: found, Point: point(at)}, err
}

// point returns the point of a pair of numbers, or nil.
func point(pair []float64) *document.Point {
	if len(pair) != 2 {
		return nil
	}
	return &document.Point{X: pair[0], Y: pair[1]}
}
