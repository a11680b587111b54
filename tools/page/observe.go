package page

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/mark"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/result"
)

// OcObserve lists what can be acted on: button "Save" [e5] 10,20 80×20 click hover focus.
func (t *Tools) OcObserve(ctx context.Context, call *toolkit.Call, in pageapi.OcObserveParams) (toolkit.Result, error) {
	o := read.ObserveOptions{WholeDocument: in.Scope == pageapi.OcObserveScopeDocument, Hidden: in.IncludeHidden, Limit: in.Limit}
	for _, a := range in.Actions {
		o.Actions = append(o.Actions, string(a))
	}
	var found []read.Control
	var total int
	err := t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		found, total, err = p.Read.Observe(ctx, o)
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d", len(found), total)
	for _, c := range found {
		b.WriteString("\n" + control(c))
	}
	return toolkit.Text(b.String()), nil
}

// control shows a control in a line, without its value: that is asked for elsewhere.
func control(c read.Control) string {
	c.Value = ""
	line := fmt.Sprintf("%s %.0f,%.0f %.0f×%.0f", result.Element(c.Element), c.Box.X, c.Box.Y, c.Box.Width, c.Box.Height)
	if c.Hidden {
		line += " not visible"
	}
	if len(c.Actions) > 0 {
		line += " " + strings.Join(c.Actions, " ")
	}
	return line
}

// gridStep is the distance of the lines that vision_find draws, in px.
const gridStep = 100

// VisionFind takes a picture and draws the refs of what can be acted on into it. The page is not
// touched.
func (t *Tools) VisionFind(ctx context.Context, call *toolkit.Call, in pageapi.VisionFindParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	var found []read.Control
	err = tab.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
		found, _, err = p.Read.Observe(ctx, read.ObserveOptions{})
		return err
	})
	var shot capture.Image
	if err == nil {
		shot, err = capture.Screenshot(ctx, tab, capture.Options{MaxSide: capture.MaxShown})
	}
	if err != nil {
		return toolkit.Result{}, err
	}
	boxes := make([]mark.Box, len(found))
	lines := make([]string, len(found))
	for i, c := range found {
		boxes[i] = box(c, shot.Scale)
		c.Value = ""
		lines[i] = result.Element(c.Element)
	}
	o := mark.Options{Boxes: in.ShowBoundingBoxes}
	if in.ShowGrid {
		o.Grid = int(math.Round(gridStep * shot.Scale))
	}
	picture, err := mark.Draw(shot.Data, boxes, o)
	if err != nil {
		return toolkit.Result{}, err
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if shot.Scale != 1 {
		lines = append(lines, shot.Describe())
	}
	return toolkit.Image(strings.Join(lines, "\n"), picture, shot.MIME), nil
}

// box returns the place of a control in a picture of a scale.
func box(c read.Control, scale float64) mark.Box {
	round := func(f float64) int { return int(math.Round(f * scale)) }
	return mark.Box{Label: c.Ref, X: round(c.Box.X), Y: round(c.Box.Y), Width: round(c.Box.Width), Height: round(c.Box.Height)}
}
