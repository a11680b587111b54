// Package source reads the source of a site: a directory with site.yaml and one file per tool.
//
// Everything keeps its place, so that every later mistake can be shown at file:line:col. What a site
// shares with a manifest (inputs, outputs, changes, effects, events, invariants) is read by the
// manifest's own parser; facts, steps, postconditions and extractions are this package's. It must not
// know how a site is compiled, served or run, nor what the tools of steps do: the caller passes their
// schemas.
package source

import (
	"encoding/json"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
)

// Site is a site as it is written.
type Site struct {
	Dir         string // as the caller named it
	Name        spec.Text
	Title       spec.Text // not set: the name
	Description spec.Text
	Origins     []spec.Text   // scheme and host, without a path; the first is the base of relative addresses
	Parameters  *param.Object // of the whole site, with defaults; values come from the command line
	Secrets     []spec.Text   // names; the values are in the vault
	Facts       []*Fact
	Tools       []*Tool    // in order of the names of their files
	Tree        *spec.Tree // the keys that the site shares with a manifest, without facts and tools
	Files       []spec.File
}

// Origin returns the first origin, or "".
func (s *Site) Origin() string {
	if len(s.Origins) == 0 {
		return ""
	}
	return s.Origins[0].Value
}

// Tool returns the tool of a name, or nil.
func (s *Site) Tool(name string) *Tool {
	for _, t := range s.Tools {
		if t.Entry.Name.Value == name {
			return t
		}
	}
	return nil
}

// Fact is a fact with the observation that decides it.
type Fact struct {
	Name, Description spec.Text
	Observe           *Observation
	Event             Event // how the page, or a person in it, changes the fact without a call
	EventPos          diag.Pos
}

// Event says which changes of a fact happen without a call.
type Event string

// The values of a fact's event. NoEvent is for a fact that only tools change.
const (
	NoEvent    Event = ""
	EventBoth  Event = "both"   // written true, or both
	EventSet   Event = "sets"   // the page can make it true
	EventClear Event = "clears" // the page can make it false
)

// Observation is true where all of its members that are written are.
type Observation struct {
	Pos      diag.Pos
	Element  *Element  // is on the page and visible; nil for no condition
	URL      spec.Text // path with * for anything, such as /product/*; not set: no condition
	Not      *Observation
	All, Any []*Observation
}

// Element describes elements: by the marks of an identity, by a selector, or both.
type Element struct {
	Pos      diag.Pos
	Identity locate.Identity // role, name, testId, text, tag, kind, label, nth, frame
	CSS      string          // CSS selector; "" for none
	Has      string          // text that is part of the element's; "" for none
	NotText  string          // text that is not the element's whole text; "" for none
	Within   *Element        // an ancestor; nil for none
	Texts    []spec.Text     // every text that may hold placeholders, for diagnostics

	conditions []spec.Text // the keys css, has, not_text and within, as they are written
}

// Tool is one file of tools: the entry of a manifest, and the steps of a call.
type Tool struct {
	File          string
	Pos           diag.Pos
	Entry         *spec.Tool    // input, output, visible, changes, effects and so on
	Input         *param.Object // Entry.Input, resolved
	Output        *param.Object // Entry.Output, resolved; nil when not written
	Start         spec.Text     // address or path where the first step begins; not set: where the tab is
	Steps         []Step
	Postcondition json.RawMessage // contract of internal/record/contract, with placeholders; nil for none
	PostPos       diag.Pos
	Extract       []Extraction  // one for each property of the output
	Timeout       time.Duration // of the whole call; 0 is the runner's default
	// Examples are arguments with which a check calls the tool. Confirmed is false where a person has
	// not read yet what was learned from recordings.
	Examples  []json.RawMessage
	Confirmed bool
	Powers    []spec.Text // powers that its steps may use; nil: those that they use

	postcondition *yamltree.Node // nil where there is none
}

// Step is one call of a tool of this server. Arguments and targets have placeholders: {name} is a
// parameter of the tool or of the site, {secret:NAME} is a secret.
type Step struct {
	Pos    diag.Pos
	Number int             // from 1
	Order  spec.Text       // the English order that the step was written as; not set for the long form
	Tool   string          // such as interact, form_input, act, navigate, wait_for
	Args   json.RawMessage // a JSON object; the ref of a target is not in it
	// Targets are the elements of arguments, by JSON pointer of the argument, such as "/ref".
	Targets  map[string]*Element
	Optional bool            // the step is skipped where its element is not there
	When     *Observation    // the step is skipped where this does not hold; nil: it is never skipped
	Expect   json.RawMessage // contract that holds after the step; nil for none
	Request  *Request        // nil for a call of a tool; Tool is "" where there is one
	Note     string          // for people

	ToolPos diag.Pos // of the tool's name, or of the order

	args, expect *yamltree.Node // nil where there are none, and in an order
}

// Name describes the step in a few words.
func (s *Step) Name() string {
	if s.Order.Set() {
		return s.Order.Value
	}
	return s.Tool
}

// Read is the part of an element that an extraction takes.
type Read string

// The values of read.
const (
	ReadText      Read = "text"      // what a person can read, white space collapsed
	ReadNumber    Read = "number"    // the number in the text: 1,234.50 € is 1234.5
	ReadValue     Read = "value"     // of a field; never of one that holds a secret
	ReadAttribute Read = "attribute" // Extraction.Attribute
	ReadPresent   Read = "present"   // true where the element is there
	ReadCount     Read = "count"     // how many elements match
	ReadURL       Read = "url"       // of the tab; no element
)

// Extraction is the source of one property of the output.
type Extraction struct {
	Property  spec.Text
	Element   *Element // nil for ReadURL
	Read      Read     // "" with JSON alone
	Attribute string
	Pattern   string       // RE2 with one group, which is taken; "" takes everything
	List      bool         // one value per matching element
	Members   []Extraction // of a list of objects: read below each element; nil for scalars
	JSON      *string      // pointer into the answer of a request; nil for what a page shows

	patternPos diag.Pos
}
