package person

import (
	"encoding/json"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
)

// The kinds of events that the listener reports.
const (
	kindClick    = "click"    // of a button of the mouse, or of Enter and Space on a control
	kindField    = "field"    // a field has another value
	kindKey      = "key"      // keys that are no text
	kindDrag     = "drag"     // one element was dropped on another, or moved
	kindChooser  = "chooser"  // a script of the page opened the file chooser for the latest click
	kindNavigate = "navigate" // a navigation of the top document begins
	kindAssert   = "assert"   // the person chose an assertion
	kindStop     = "stop"     // the person ended the recording
)

// The kinds of fields, by how a person sets them.
const (
	fieldText   = "text"
	fieldToggle = "toggle" // a checkbox or radio button
	fieldFile   = "file"
)

// event is one message of the listener in a document. Field names are those of its JSON.
type event struct {
	Kind   string           `json:"kind"`
	Target *locate.Identity `json:"target"`
	N      int              `json:"n"` // number of the element in its document; 0 for none

	Button    string            `json:"button"` // "", middle or right
	Count     int               `json:"count"`  // of clicks in a row, or of elements
	Modifiers []string          `json:"modifiers"`
	Hovered   []locate.Identity `json:"hovered"` // to hover before, the outermost first

	Scrolls int `json:"scrolls"` // to the end of the page, before the element is there

	Field     string          `json:"field"` // kind of the field; "" for other elements
	Value     json.RawMessage `json:"value"` // a text, or the names of files
	Secret    bool            `json:"secret"`
	Completed bool            `json:"completed"` // the page completes what is typed into an empty field

	Keys string `json:"keys"` // as tools take them: Control+k

	To     *locate.Identity `json:"to"`     // of a drag
	Offset []float64        `json:"offset"` // of a drag, in CSS pixels

	Type     string `json:"type"`     // of a navigation or an assertion
	ByPerson bool   `json:"byPerson"` // the person caused the navigation, and not a script
	Delta    int    `json:"delta"`    // entries of the history that the navigation goes; 0 for another one
	Selector string `json:"selector"` // of an assertion
}

// text returns the value of a field.
func (e *event) text() string {
	var out string
	_ = json.Unmarshal(e.Value, &out) // the listener sends a text
	return out
}

// files returns the names of the chosen files.
func (e *event) files() (out []string) {
	_ = json.Unmarshal(e.Value, &out) // the listener sends a list
	return out
}
