package read

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// ObserveOptions selects the controls to list.
type ObserveOptions struct {
	// WholeDocument lists the controls of the whole document, else only those in the top viewport.
	WholeDocument bool
	// Actions keeps controls that take one of them: click, fill, select, hover, focus. Empty is
	// all.
	Actions []string
	// Hidden also lists controls that no person can see.
	Hidden bool
	// Limit is the maximum number of controls; 0 is 200.
	Limit int
}

// Control is an element that accepts actions.
type Control struct {
	document.Element
	Box document.Box `json:"box"`
	// Actions are the accepted actions: none when it is disabled.
	Actions []string `json:"actions"`
	// InView says that a part of it is in the top viewport.
	InView bool `json:"inView"`
	Hidden bool `json:"hidden"`
}

// Observe lists controls in document order, frames after the page around them. total counts all.
func (rd *Reader) Observe(ctx context.Context, o ObserveOptions) (controls []Control, total int, err error) {
	if o.Limit <= 0 {
		o.Limit = 200
	}
	argument := map[string]any{"document": o.WholeDocument, "hidden": o.Hidden, "limit": o.Limit}
	if len(o.Actions) > 0 {
		argument["actions"] = o.Actions
	}
	var view Size
	err = rd.doc.EvaluateAll(ctx, "observe", argument, func(w *document.World, result json.RawMessage) error {
		var here observation
		if err := json.Unmarshal(result, &here); err != nil {
			return fmt.Errorf("reading the controls: %w", err)
		}
		if w.Parent == nil {
			controls, total, view = nil, 0, here.View
		} else if !rd.shiftControls(ctx, w, &here, o.WholeDocument, view) {
			return nil
		}
		controls, total = append(controls, here.Nodes...), total+here.Total
		controls = controls[:min(len(controls), o.Limit)]
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("observing: %w", rd.doc.Translate(ctx, "", err))
	}
	return controls, total, nil
}

// observation is the engine's list of the controls of one document.
type observation struct {
	Total int       `json:"total"`
	Nodes []Control `json:"nodes"`
	View  Size      `json:"view"`
}

// shiftControls moves the controls of a frame to the top viewport and drops those outside of it,
// unless the whole document is wanted. It returns false when the frame has left the page.
func (rd *Reader) shiftControls(ctx context.Context, w *document.World, here *observation, whole bool, view Size) bool {
	to, err := rd.doc.FrameTransform(ctx, w)
	if err != nil {
		return false
	}
	kept := here.Nodes[:0]
	for _, c := range here.Nodes {
		c.Box = c.Box.In(to)
		c.InView = c.Box.X < view.Width && c.Box.Y < view.Height && c.Box.X+c.Box.Width > 0 && c.Box.Y+c.Box.Height > 0
		if whole || c.InView {
			kept = append(kept, c)
		} else {
			here.Total--
		}
	}
	here.Nodes = kept
	return true
}
