package read

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// Overview answers the most common questions about a page.
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
	// Focused is the focused element, or "". Elements are rendered with their refs, as in a
	// reading.
	Focused  string   `json:"focused"`
	Headings []string `json:"headings"`
	Fields   []string `json:"fields"`
	Errors   []string `json:"errors"`
	Tabs     []string `json:"tabs"`
	Panels   []string `json:"panels"`
	Actions  []string `json:"actions"`
}

// addFrame adds the overview of a frame. A list grows to at most twice the limit of the top
// document.
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

// Overview reads the whole page, frames after the document around them. visible omits hidden
// elements; sample is the number of characters of text to include.
func (rd *Reader) Overview(ctx context.Context, visible bool, sample int) (s Overview, err error) {
	argument := map[string]any{
		"wanted":  []string{"headings", "fields", "errors", "tabs", "panels", "actions"},
		"visible": visible, "sample": sample,
	}
	err = rd.doc.EvaluateAll(ctx, "overview", argument, func(w *document.World, result json.RawMessage) error {
		var here Overview
		if err := json.Unmarshal(result, &here); err != nil {
			return fmt.Errorf("reading the survey: %w", err)
		}
		if w.Parent == nil {
			s = here
		} else {
			s.addFrame(here)
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("surveying: %w", rd.doc.Translate(ctx, "", err))
	}
	return s, nil
}
