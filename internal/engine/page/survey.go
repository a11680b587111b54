package page

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// ObserveOptions says which controls to list.
type ObserveOptions struct {
	// WholeDocument lists those of the whole document, else only what is in the top viewport.
	WholeDocument bool
	// Actions keeps controls that take one of them: click, fill, select, hover, focus. Empty is all.
	Actions []string
	// Hidden also lists controls that nobody can see.
	Hidden bool
	// Limit is the most controls; 0 is 200.
	Limit int
}

// Control is an element that can be acted on.
type Control struct {
	Element
	Box Box `json:"box"`
	// Actions are what it takes now: none when it is disabled.
	Actions []string `json:"actions"`
	// InView says that a part of it is in the top viewport.
	InView bool `json:"inView"`
	Hidden bool `json:"hidden"`
}

// Observe lists what can be acted on, in document order, frames after the page around them. total counts all there are.
func (p *Page) Observe(ctx context.Context, o ObserveOptions) (controls []Control, total int, err error) {
	if o.Limit <= 0 {
		o.Limit = 200
	}
	argument := map[string]any{"document": o.WholeDocument, "hidden": o.Hidden, "limit": o.Limit}
	if len(o.Actions) > 0 {
		argument["actions"] = o.Actions
	}
	var view Size
	err = p.evaluateAll(ctx, "observe", argument, func(w *world, result json.RawMessage) error {
		var here struct {
			Total int       `json:"total"`
			Nodes []Control `json:"nodes"`
			View  Size      `json:"view"`
		}
		if err := json.Unmarshal(result, &here); err != nil {
			return fmt.Errorf("reading the controls: %w", err)
		}
		if w.parent == nil {
			controls, total, view = nil, 0, here.View
		} else if !p.shiftControls(ctx, w, &here.Nodes, &here.Total, o.WholeDocument, view) {
			return nil
		}
		controls, total = append(controls, here.Nodes...), total+here.Total
		controls = controls[:min(len(controls), o.Limit)]
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("observing: %w", p.translate(ctx, "", err))
	}
	return controls, total, nil
}

// shiftControls moves the controls of a frame to the top viewport, and drops those outside of it unless the whole document is
// wanted. false: the frame has gone.
func (p *Page) shiftControls(ctx context.Context, w *world, nodes *[]Control, total *int, whole bool, view Size) bool {
	off, err := p.frameOffset(ctx, w)
	if err != nil {
		return false
	}
	kept := (*nodes)[:0]
	for _, c := range *nodes {
		c.Box = c.Box.shifted(off)
		c.InView = c.Box.X < view.Width && c.Box.Y < view.Height && c.Box.X+c.Box.Width > 0 && c.Box.Y+c.Box.Height > 0
		if whole || c.InView {
			kept = append(kept, c)
		} else {
			*total--
		}
	}
	*nodes = kept
	return true
}

// Overview is what a page has of the things that are asked about most.
type Overview struct {
	Page struct {
		URL      string `json:"url"`
		Title    string `json:"title"`
		Ready    string `json:"ready"`
		Scroll   string `json:"scroll"`
		Forms    int    `json:"forms"`
		Dialogs  int    `json:"dialogs"`
		Controls int    `json:"controls"`
		Frames   int    `json:"frames"`
		Canvases int    `json:"canvases"`
		Text     string `json:"text"`
	} `json:"page"`
	// Focused is the focused element, or "". Elements are written with their refs, as in a reading.
	Focused  string   `json:"focused"`
	Headings []string `json:"headings"`
	Fields   []string `json:"fields"`
	Errors   []string `json:"errors"`
	Tabs     []string `json:"tabs"`
	Panels   []string `json:"panels"`
	Actions  []string `json:"actions"`
}

// addFrame takes over what a frame has. A list grows to at most twice what the top document may have in it.
func (s *Overview) addFrame(frame Overview) {
	if strings.HasPrefix(s.Focused, "iframe ") && frame.Focused != "" {
		s.Focused = frame.Focused
	}
	to, from := &s.Page, &frame.Page
	to.Forms, to.Dialogs, to.Controls = to.Forms+from.Forms, to.Dialogs+from.Dialogs, to.Controls+from.Controls
	to.Frames, to.Canvases = to.Frames+from.Frames, to.Canvases+from.Canvases
	for _, part := range []struct {
		to   *[]string
		more []string
		most int
	}{
		{&s.Headings, frame.Headings, 20}, {&s.Fields, frame.Fields, 16}, {&s.Errors, frame.Errors, 10},
		{&s.Tabs, frame.Tabs, 40}, {&s.Panels, frame.Panels, 10}, {&s.Actions, frame.Actions, 24},
	} {
		*part.to = append(*part.to, part.more[:max(0, min(len(part.more), part.most-len(*part.to)))]...)
	}
}

// Overview answers for the whole page, frames after what is around them. visible leaves out what nobody can see; sample is how
// many characters of text to take along.
func (p *Page) Overview(ctx context.Context, visible bool, sample int) (s Overview, err error) {
	argument := map[string]any{
		"wanted":  []string{"headings", "fields", "errors", "tabs", "panels", "actions"},
		"visible": visible, "sample": sample,
	}
	err = p.evaluateAll(ctx, "survey", argument, func(w *world, result json.RawMessage) error {
		var here Overview
		if err := json.Unmarshal(result, &here); err != nil {
			return fmt.Errorf("reading the survey: %w", err)
		}
		if w.parent == nil {
			s = here
		} else {
			s.addFrame(here)
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("surveying: %w", p.translate(ctx, "", err))
	}
	return s, nil
}

// DataOptions says where to look for data.
type DataOptions struct {
	Ref, Selector string
	// Words are names that elements may be marked with, by class, id and the like.
	Words []string
	// Multiple also looks for like elements that are a record each.
	Multiple bool
}

// StructuredData is what a page says about itself to machines, and what looks like a record.
type StructuredData struct {
	URL string `json:"url"`
	// JSONLD are the texts of JSON-LD scripts, as they are.
	JSONLD []string `json:"linked"`
	// Microdata are top-level microdata items.
	Microdata []map[string]any `json:"items"`
	// Meta are meta elements by property or name, and the title.
	Meta [][2]string `json:"meta"`
	// Tables are the visible tables; Headers is empty for those without.
	Tables []Table `json:"tables"`
	// Terms are terms with their definitions, and header cells with the cell beside them.
	Terms [][2]string `json:"pairs"`
	// Markup are texts of elements that are marked with a word, by word; Records are those of like elements.
	Markup  [][2]string         `json:"marked"`
	Records []map[string]string `json:"records"`
}

// Table is a table's text.
type Table struct {
	Caption string     `json:"caption"`
	Headers []string   `json:"headers"`
	Rows    [][]string `json:"rows"`
}

// StructuredData gathers data of the document, the tables and marks of one element if that is named.
func (p *Page) StructuredData(ctx context.Context, o DataOptions) (d StructuredData, err error) {
	argument := map[string]any{"words": append([]string{}, o.Words...), "multiple": o.Multiple}
	if o.Ref != "" {
		_, err = p.evaluateRef(ctx, o.Ref, "data", argument, &d)
	} else {
		if o.Selector != "" {
			argument["selector"] = o.Selector
		}
		err = p.evaluateWithRetry(ctx, "data", argument, &d)
	}
	if err != nil {
		return d, fmt.Errorf("looking for data: %w", nameSelector(p.translate(ctx, o.Ref, err), o.Selector))
	}
	return d, nil
}
