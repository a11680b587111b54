package page

import (
	"context"
	"encoding/json"
	"fmt"
)

// StateReport is what elements are like at one moment.
type StateReport struct {
	// Results are in the order of the selectors.
	Results []SelectorState
	// RemoteFrames counts the frames that other processes show, if there was a selector.
	RemoteFrames int
}

// SelectorState is what a selector matched in all documents of the page, open and closed shadow trees included.
type SelectorState struct {
	Total    int            `json:"total"`
	Elements []ElementState `json:"elements"` // at most 50 of a document
	// Problem says why the selector does not parse; "" if it does.
	Problem string `json:"problem"`
}

// ElementState is an element as a contract asks for it.
type ElementState struct {
	Name      string `json:"name"` // for people: button "Save"
	Text      string `json:"text"` // that a person could read, at most 100000 characters
	Truncated bool   `json:"truncated"`
	Value     string `json:"value"` // of a field that is not Secret, at most 100000 characters; of a select that of its option
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

// QueryStates looks at the elements of all selectors at once: one question to each document.
func (p *Page) QueryStates(ctx context.Context, selectors []string) (StateReport, error) {
	if selectors == nil {
		selectors = []string{}
	}
	var out StateReport
	err := p.evaluateAll(ctx, "elementStates", map[string]any{"selectors": selectors}, func(w *world, result json.RawMessage) error {
		if w.parent == nil {
			out = StateReport{Results: make([]SelectorState, len(selectors))}
		}
		if w.session != p.session {
			out.RemoteFrames++
		}
		var here struct {
			Results []SelectorState `json:"results"`
		}
		if err := json.Unmarshal(result, &here); err != nil {
			return fmt.Errorf("reading the testimony: %w", err)
		}
		for i, a := range here.Results[:min(len(here.Results), len(selectors))] {
			to := &out.Results[i]
			to.Total, to.Elements = to.Total+a.Total, append(to.Elements, a.Elements...)
			if w.parent == nil {
				to.Problem = a.Problem
			}
		}
		return nil
	})
	if err != nil {
		return StateReport{}, fmt.Errorf("looking at elements: %w", p.translate(ctx, "", err))
	}
	return out, nil
}
