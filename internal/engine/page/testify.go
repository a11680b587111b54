package page

import (
	"context"
	"encoding/json"
	"fmt"
)

// Testimony is what elements are like at one moment.
type Testimony struct {
	// Answers are in the order of the selectors.
	Answers []Answer
	// Remote counts the frames that other processes show, if there was a selector.
	Remote int
}

// Answer is what a selector matched in all documents of the page, open and closed shadow trees included.
type Answer struct {
	Total int       `json:"total"`
	First []Witness `json:"first"` // at most 50 of a document
	// Problem says why the selector does not parse; "" if it does.
	Problem string `json:"problem"`
}

// Witness is an element as a contract asks for it.
type Witness struct {
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

// Testify looks at the elements of all selectors at once: one question to each document.
func (p *Page) Testify(ctx context.Context, selectors []string) (Testimony, error) {
	if selectors == nil {
		selectors = []string{}
	}
	var out Testimony
	err := p.everywhere(ctx, "testify", map[string]any{"selectors": selectors}, func(w *world, result json.RawMessage) error {
		if w.parent == nil {
			out = Testimony{Answers: make([]Answer, len(selectors))}
		}
		if w.session != p.session {
			out.Remote++
		}
		var here struct {
			Answers []Answer `json:"answers"`
		}
		if err := json.Unmarshal(result, &here); err != nil {
			return fmt.Errorf("reading the testimony: %w", err)
		}
		for i, a := range here.Answers[:min(len(here.Answers), len(selectors))] {
			to := &out.Answers[i]
			to.Total, to.First = to.Total+a.Total, append(to.First, a.First...)
			if w.parent == nil {
				to.Problem = a.Problem
			}
		}
		return nil
	})
	if err != nil {
		return Testimony{}, fmt.Errorf("looking at elements: %w", p.refuse(ctx, "", err))
	}
	return out, nil
}
