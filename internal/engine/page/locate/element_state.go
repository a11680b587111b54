package locate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// StateReport holds the states of elements at one moment.
type StateReport struct {
	// Results are in the order of the selectors.
	Results []SelectorState
	// RemoteFrames counts the frames of other processes, if there was a selector.
	RemoteFrames int
}

// SelectorState holds the matches of a selector in all documents of the page, with open and closed
// shadow trees.
type SelectorState struct {
	Total    int            `json:"total"`
	Elements []ElementState `json:"elements"` // at most 50 of a document
	// Problem says why the selector does not parse; "" if it does.
	Problem string `json:"problem"`
}

// ElementState is an element's state as a contract checks it.
type ElementState struct {
	Name      string `json:"name"` // for people: button "Save"
	Text      string `json:"text"` // that a person could read, at most 100000 characters
	Truncated bool   `json:"truncated"`
	Value     string `json:"value"` // of a field that is not Secret or of a select's option, at most 100000 characters
	ValueCut  bool   `json:"valueCut"`
	Field     bool   `json:"field"`
	Secret    bool   `json:"secret"`
	Visible   bool   `json:"visible"`
	Disabled  bool   `json:"disabled"`
	Checkable bool   `json:"checkable"`
	Checked   bool   `json:"checked"`
	Focused   bool   `json:"focused"`
	Editable  bool   `json:"editable"`
	Readonly  bool   `json:"readonly"`
	Required  bool   `json:"required"`
}

// QueryStates returns the states of the matches of all selectors, with one call per document.
func (l *Locator) QueryStates(ctx context.Context, selectors []string) (StateReport, error) {
	if selectors == nil {
		selectors = []string{}
	}
	var out StateReport
	argument := map[string]any{"selectors": selectors}
	err := l.doc.EvaluateAll(ctx, "elementStates", argument, func(w *document.World, result json.RawMessage) error {
		if w.Parent == nil {
			out = StateReport{Results: make([]SelectorState, len(selectors))}
		}
		if w.Session != l.doc.Session {
			out.RemoteFrames++
		}
		var here struct {
			Results []SelectorState `json:"results"`
		}
		if err := json.Unmarshal(result, &here); err != nil {
			return fmt.Errorf("reading the states of elements: %w", err)
		}
		for i, a := range here.Results[:min(len(here.Results), len(selectors))] {
			to := &out.Results[i]
			to.Total, to.Elements = to.Total+a.Total, append(to.Elements, a.Elements...)
			if w.Parent == nil {
				to.Problem = a.Problem
			}
		}
		return nil
	})
	if err != nil {
		return StateReport{}, fmt.Errorf("looking at elements: %w", l.doc.Translate(ctx, "", err))
	}
	return out, nil
}
