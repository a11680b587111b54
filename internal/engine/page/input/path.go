package input

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// Waypoint is a point of a path in the top viewport, and the time that the pointer takes to it from the point before.
type Waypoint struct {
	document.Point
	Time time.Duration
}

// minMoves is the least number of moves to a waypoint: pages miss a pointer that jumps.
const minMoves = 5

// follow moves along a path, in real time.
func follow(ctx context.Context, from document.Point, path []Waypoint, move func(document.Point) error) error {
	for _, w := range path {
		begun, moves := time.Now(), max(minMoves, int(w.Time/frameInterval))
		for i := 1; i <= moves; i++ {
			part := float64(i) / float64(moves)
			if err := settle.Pause(ctx, time.Until(begun.Add(time.Duration(part*float64(w.Time))))); err != nil {
				return err
			}
			if err := move(interpolate(from, w.Point, part)); err != nil {
				return err
			}
		}
		from = w.Point
	}
	return nil
}

// Follow moves the pointer along a path of at least one point; no button is down.
func (m *Mouse) Follow(ctx context.Context, path []Waypoint) (settle.Effect, error) {
	from := m.pointer.Point
	if m.pointer.loader != m.doc.Loader() {
		from = path[0].Point
	}
	_, a, err := m.beginPointerAction(ctx, Target{Point: &path[0].Point}, actionability{})
	if err != nil {
		return settle.Effect{}, fmt.Errorf("moving the pointer: %w", err)
	}
	a.Element = nil // it passes over many
	err = follow(ctx, from, path, func(to document.Point) error {
		m.pointer = pointerPosition{to, m.doc.Loader()}
		return m.dispatchMouse(ctx, input.DispatchMouseEventParams{Type: "mouseMoved", X: to.X, Y: to.Y, Button: "none"})
	})
	if err != nil {
		return settle.Effect{}, fmt.Errorf("moving the pointer: %w", err)
	}
	return m.settle.WaitForEffect(ctx, a)
}

// SelectText selects a range of text by a drag over it, from the text from to the end of the text to, or from alone where to
// is "". A ref limits where the text is looked for. A range that no drag can select is selected by script.
func (m *Mouse) SelectText(ctx context.Context, ref, from, to string) (settle.Effect, error) {
	var found struct {
		Start    document.Point `json:"start"`
		End      document.Point `json:"end"`
		Selected string         `json:"selected"` // "" where a drag is to select it
	}
	argument := map[string]any{"from": from, "to": to}
	w, err := m.doc.TopWorld(ctx)
	if ref != "" {
		w, err = m.doc.EvaluateRef(ctx, ref, "selectText", argument, &found)
	} else if err == nil {
		err = m.doc.Evaluate(ctx, "selectText", argument, &found)
	}
	if err != nil {
		return settle.Effect{}, fmt.Errorf("selecting text: %w", m.doc.Translate(ctx, ref, err))
	}
	effect := settle.Effect{}
	if found.Selected == "" {
		start, err := m.doc.ToTopViewport(ctx, w, found.Start, false)
		end, endErr := m.doc.ToTopViewport(ctx, w, found.End, false)
		if err = errors.Join(err, endErr); err == nil {
			points := []document.Point{{X: start.X, Y: start.Y}, {X: end.X, Y: end.Y}}
			effect, err = m.Drag(ctx, Target{Point: &points[0]}, Target{Point: &points[1]}, DragOptions{Steps: minMoves})
		}
		if err == nil {
			err = m.doc.EvaluateIn(ctx, w, "finishSelection", nil, &found)
		}
		if err != nil {
			return effect, fmt.Errorf("selecting text: %w", m.doc.Translate(ctx, ref, err))
		}
	}
	effect.Element = nil
	effect.Changes = append([]string{fmt.Sprintf("selected %q", found.Selected)}, effect.Changes...)
	return effect, nil
}
