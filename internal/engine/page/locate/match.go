package locate

import (
	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// Match is an element found by words.
type Match struct {
	Ref  string `json:"ref"`
	Role string `json:"role"`
	Name string `json:"name"`
	// Score is above 0 and at most 1; 1 is the same name and the asked role.
	Score   float64      `json:"score"`
	Box     document.Box `json:"box"`
	Visible bool         `json:"visible"`
	Path    string       `json:"path,omitempty"`
	// OpensOptions reports a control that opens a list to choose from, also where its role is
	// button.
	OpensOptions bool `json:"opensOptions,omitempty"`
	// IsCell reports a cell of a table that the query names.
	IsCell bool `json:"isCell,omitempty"`
	// Partial says that the element has too few words of the query to be the one that is meant.
	Partial bool `json:"partial,omitempty"`
}
