package locate

import (
	"context"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// Selection is a CSS selector with filters. It also applies inside open shadow trees and readable
// frames.
type Selection struct {
	CSS string
	// Text keeps elements that contain it in their text, name or value, in any case.
	Text string
	// Hidden also keeps elements that no person can see.
	Hidden bool
	// Limit is the maximum number of elements; 0 is 20.
	Limit int
}

// SelectionResult holds the elements of a selection.
type SelectionResult struct {
	// Elements are the first of those kept, in document order.
	Elements []IndexedElement `json:"elements"`
	// Matched counts the matches of the selector, Hidden how many of those are hidden, Kept how
	// many remain after the filters.
	Matched int `json:"matched"`
	Hidden  int `json:"hidden"`
	Kept    int `json:"kept"`
	// Similar are existing selectors that resemble one without matches.
	Similar []SimilarSelector `json:"similar"`
}

// IndexedElement is an element with its index, from 0, among all matches of the selector.
type IndexedElement struct {
	document.ElementInfo
	Index int `json:"index"`
}

// SimilarSelector is a selector with matches.
type SimilarSelector struct {
	Selector string `json:"selector"`
	Matches  int    `json:"matches"`
}

// Select selects elements and issues refs. An empty result is no error; a selector that does not
// parse is a [document.BadSelectorError].
func (l *Locator) Select(ctx context.Context, s Selection) (SelectionResult, error) {
	if s.Limit <= 0 {
		s.Limit = 20
	}
	return l.selectBy(ctx, s.CSS, map[string]any{"css": s.CSS, "text": s.Text, "shown": !s.Hidden, "limit": s.Limit})
}

// ElementAt returns the element with that index among all matches of the selector. Without one it
// returns a [document.NoElementError].
func (l *Locator) ElementAt(ctx context.Context, css string, index int) (document.ElementInfo, error) {
	found, err := l.selectBy(ctx, css, map[string]any{"css": css, "at": index})
	if err == nil && len(found.Elements) == 0 {
		err = &document.NoElementError{Selector: css, Index: index, Matches: found.Matched}
	}
	if err != nil {
		return document.ElementInfo{}, err
	}
	return found.Elements[0].ElementInfo, nil
}

func (l *Locator) selectBy(ctx context.Context, css string, argument map[string]any) (SelectionResult, error) {
	var out SelectionResult
	if err := l.doc.EvaluateWithRetry(ctx, "select", argument, &out); err != nil {
		return out, fmt.Errorf("selecting: %w", document.NameSelector(l.doc.Translate(ctx, "", err), css))
	}
	return out, nil
}

// Description says which element is meant. Every field that is set must hold; Words
// decide the order.
type Description struct {
	// Words are as for [Locator.Find].
	Words string
	// Text is in the element's text, name or value.
	Text string
	Tag  string
	// Attributes are substrings of attributes by name; "" only asks for its presence,
	// and "role" is the role the element has, not only the attribute.
	Attributes []Attribute
	// Near is a selector of an element close by. Direction is the wanted element's direction from
	// there: above, below, left, right, inside, or "" for any.
	Near, Direction string
	// StableOnly omits selectors that a layout or a build tool may change.
	StableOnly bool
	// Limit is the maximum number of elements; 0 is 3.
	Limit int
}

// Attribute is part of a [Description].
type Attribute struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// SelectorSuggestion is an element that fits a description, with selectors for it.
type SelectorSuggestion struct {
	document.ElementInfo
	Score     float64        `json:"score"`
	Selectors []SelectorInfo `json:"selectors"`
}

// SelectorInfo is a selector of one element.
type SelectorInfo struct {
	Selector string `json:"selector"`
	// Stability rates, from 0 to 100, whether it will select the same element later; below 60 it
	// depends on the layout or on generated names.
	Stability int `json:"stability"`
	Matches   int `json:"matches"`
	Index     int `json:"index"`
}

// SuggestSelectors finds the visible elements that fit a description, best first, and selectors for
// each, most stable first. total counts all that fit. A Near without matches is a [document.NoElementError].
func (l *Locator) SuggestSelectors(ctx context.Context, d Description) (found []SelectorSuggestion, total int, err error) {
	argument := map[string]any{
		"text": d.Text, "tag": d.Tag, "near": d.Near, "direction": d.Direction, "stableOnly": d.StableOnly,
		"limit": max(d.Limit, 1), "attributes": append([]Attribute{}, d.Attributes...),
	}
	if d.Limit <= 0 {
		argument["limit"] = 3
	}
	if strings.TrimSpace(d.Words) != "" {
		argument["words"] = d.Words
	}
	var out struct {
		Total    int                  `json:"total"`
		Elements []SelectorSuggestion `json:"elements"`
	}
	if err := l.doc.EvaluateWithRetry(ctx, "suggestSelectors", argument, &out); err != nil {
		return nil, 0, fmt.Errorf("inspecting: %w", document.NameSelector(l.doc.Translate(ctx, "", err), d.Near))
	}
	return out.Elements, out.Total, nil
}
