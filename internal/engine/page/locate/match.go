package locate

import (
	"slices"
	"unicode/utf8"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// looseTier is the tier of matches that the words do not name.
const looseTier = 1000

// Match is an element found by words. A nameless field has its label as its name.
type Match struct {
	document.Element
	// Tier is the rule by which the words name the element, 0 for the best, or 1000 where they do not.
	Tier float64 `json:"tier"`
	// Score is above 0 and at most 1; 1 is the same name.
	Score float64 `json:"score"`
	// Layer is 2 in a dialog or popover on top, 1 in the page, 0 behind another layer.
	Layer int          `json:"layer"`
	Box   document.Box `json:"box"`
	Path  string       `json:"path,omitempty"`
	// Before and After are the neighbours in the page, if the search asks for them.
	Before *document.Element `json:"before,omitempty"`
	After  *document.Element `json:"after,omitempty"`
	// OpensOptions reports a control that opens a list to choose from, also where its role is
	// button.
	OpensOptions bool `json:"opensOptions,omitempty"`
	// IsCell reports a cell of a table that the query names.
	IsCell bool `json:"isCell,omitempty"`
}

// Partial reports that the words only resemble the texts of the element.
func (m Match) Partial() bool { return m.Tier >= looseTier }

// maxShownValue is the number of bytes of a value that a match shows.
const maxShownValue = 120

// String renders the match with its place: textbox "City" [e12] = "Oslo" in group "Work".
func (m Match) String() string {
	e := m.Element
	e.States = slices.DeleteFunc(slices.Clone(e.States), func(state string) bool { return state == "focused" })
	if len(e.Value) > maxShownValue {
		end := maxShownValue
		for !utf8.RuneStart(e.Value[end]) {
			end--
		}
		e.Value = e.Value[:end] + "…"
	}
	line := e.Line()
	if m.Path != "" {
		line += " in " + m.Path
	}
	if m.Before != nil {
		line += "\n  after " + m.Before.Line()
	}
	if m.After != nil {
		line += "\n  before " + m.After.Line()
	}
	return line
}
