package page

// Identity is how a person would describe an element to somebody who opens the page anew: what it is and what it is
// called, and only then where it stands. An element is found again by its first field that one element alone has.
type Identity struct {
	Ref    string `json:"ref,omitempty"`    // good while the document lives
	Role   string `json:"role,omitempty"`   // together with Name
	Name   string `json:"name,omitempty"`   // accessible name
	TestID string `json:"testId,omitempty"` // data-testid, data-test or data-test-id
	Text   string `json:"text,omitempty"`   // visible text, shortened
	Tag    string `json:"tag,omitempty"`
	Kind   string `json:"kind,omitempty"`  // of an input: text, password, file…
	Label  string `json:"label,omitempty"` // name of the nearest named ancestor, which tells rows of a table apart
	Nth    int    `json:"nth,omitempty"`   // from 1, among those alike in role, name and label; 0: the only one
	Of     int    `json:"of,omitempty"`    // how many those were
	Frame  string `json:"frame,omitempty"` // path of the frame's document, when it is not the top one's
}
