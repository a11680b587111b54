package input

import (
	"context"
	"fmt"
	"math"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// placeOf is the place of an element that is dragged; the zero value is an unknown one.
type dragPlace struct {
	Box   document.Box `json:"box"`
	Index int          `json:"index"` // among its siblings, from 1
	Count int          `json:"count"` // of its siblings and itself
	After string       `json:"after"` // text of the sibling before it
	In    string       `json:"in"`    // role and name of the nearest list or group around it
}

// placeOf returns the place of a ref's element.
func (m *Mouse) placeOf(ctx context.Context, ref string) dragPlace {
	var at dragPlace
	if ref == "" {
		return at
	}
	w, err := m.doc.EvaluateRef(ctx, ref, "dragPlace", nil, &at)
	if err != nil {
		return dragPlace{}
	}
	to, err := m.doc.FrameTransform(ctx, w)
	if err != nil {
		return dragPlace{}
	}
	at.Box = at.Box.In(to)
	return at
}

// changeTo describes the new place of a dragged element in a line, or that the drag did not move
// it: an element that a page copies stays where it is.
func (was dragPlace) changeTo(now dragPlace, drop dropResult) []string {
	lines := drop.lines()
	if was.Count == 0 || now.Count == 0 {
		return lines
	}
	if now.Box.Width == 0 && now.Box.Height == 0 {
		return append(lines, "it is no longer drawn")
	}
	line := fmt.Sprintf("now at %.0f,%.0f", now.Box.X, now.Box.Y)
	dx, dy := math.Round(now.Box.X-was.Box.X), math.Round(now.Box.Y-was.Box.Y)
	reordered := was.Index != now.Index || was.Count != now.Count || was.After != now.After || was.In != now.In
	if dx == 0 && dy == 0 && !reordered {
		return append(lines, "it is where it was")
	}
	if dx != 0 || dy != 0 {
		line += fmt.Sprintf(" (moved by %.0f,%.0f)", dx, dy)
	}
	if reordered {
		line += fmt.Sprintf(", %d of %d", now.Index, now.Count)
		if now.In != "" {
			line += " in " + now.In
		}
		if now.After != "" {
			line += fmt.Sprintf(", after %q", now.After)
		}
	}
	return append(lines, line)
}

// dropResult is the effect of a drop on its target. Seen is false where the browser did not make the drop.
type dropResult struct {
	Seen   bool     `json:"seen"`
	Gained []string `json:"gained"` // texts that the target holds and did not hold before
	Role   string   `json:"role"`
	Name   string   `json:"name"`
}

// dropResult reads the effect of a drop on a ref's element. That of a drop at a point is unknown, and counts as seen.
func (m *Mouse) dropResult(ctx context.Context, ref string) dropResult {
	out := dropResult{Seen: true}
	if ref == "" {
		return out
	}
	if _, err := m.doc.EvaluateRef(ctx, ref, "dropResult", nil, &out); err != nil {
		return dropResult{Seen: true} // it left the page with the drop
	}
	return out
}

func (r dropResult) lines() []string {
	return slicesx.Map(r.Gained, func(text string) string { return fmt.Sprintf("%s %q gained %q", r.Role, r.Name, text) })
}
