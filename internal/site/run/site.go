package run

import (
	"encoding/json"
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
)

// Site is a compiled site as the runner needs it. It is immutable.
type Site struct {
	Name string
	// Origins are the origins on which the tools act, such as https://shop.example. Relative
	// addresses belong to the first. A link or a form that leads to another one is a drift.
	Origins []string
	Facts   []Fact
	Tools   []Tool
	// Parameters are the names of the site's own parameters. Values are their values, by name: a step
	// that mentions one without a value is left out.
	Parameters []string
	Values     map[string]any
	// Path returns the shortest list of tools that leads from facts to a state in which a tool is
	// visible, as the prover knows it; false when no list does. nil knows none.
	Path func(facts Facts, tool string) ([]string, bool)
}

// Facts are the values of facts, by name. A fact that was not observed is absent.
type Facts map[string]bool

// Fact is a fact of a site with the observation that decides it.
type Fact struct {
	Name    string
	Observe Observation
}

// Observation is a condition on a page by which a fact holds. Everything that is set must hold.
type Observation struct {
	Element *Element `json:"element,omitempty"` // is on the page and visible
	// URL is a pattern of the path, such as /product/*, or of an address with its origin. * stands for
	// anything within a segment, ** for anything.
	URL string         `json:"url,omitempty"`
	Not *Observation   `json:"not,omitempty"`
	All []*Observation `json:"all,omitempty"`
	Any []*Observation `json:"any,omitempty"`
}

// Element describes elements by the marks of an identity, by a selector, or both. In a place of an
// output, a label is the text beside the value, or the header of its column for a cell.
type Element struct {
	locate.Identity

	CSS     string   `json:"css,omitempty"`
	Has     string   `json:"has,omitempty"`     // text that is part of the element's
	NotText string   `json:"notText,omitempty"` // text that is not the element's whole text
	Within  *Element `json:"within,omitempty"`  // an ancestor
}

// Tool is one tool of a site.
type Tool struct {
	Name string `json:"name"`
	// File is the tool's source, for drifts and repairs.
	File string `json:"file"`
	// Visible decides whether the tool may run; nil: always. Needs is the condition in words.
	Visible *Predicate `json:"visible,omitempty"`
	Needs   string     `json:"needs,omitempty"`
	// Sets and Clears are the facts that a run changes for certain. The runner observes them
	// afterwards; a difference is a drift.
	Sets   []string `json:"sets,omitempty"`
	Clears []string `json:"clears,omitempty"`

	Parameters []Parameter `json:"parameters,omitempty"`
	// Start is the address that is opened before the first step, absolute or relative to the first
	// origin, with {parameter} in it; "": the first step begins where the tab is.
	Start string `json:"start,omitempty"`
	Steps []Step `json:"-"`
	// Postcondition is a contract of internal/record/contract with {parameter} in its texts; nil for
	// none.
	Postcondition json.RawMessage `json:"postcondition,omitempty"`
	Outputs       []Output        `json:"outputs,omitempty"`
	// Examples are arguments with which a check calls the tool.
	Examples []json.RawMessage `json:"examples,omitempty"`
	// Unconfirmed tools were written by a program and read by no person. They are checked, and not served.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
	// Destructive tools are checked up to their last step, which is not made.
	Destructive bool `json:"destructive,omitempty"`
}

// Predicate is a condition on facts. One of its members is set.
type Predicate struct {
	Fact string       `json:"fact,omitempty"`
	Not  *Predicate   `json:"not,omitempty"`
	All  []*Predicate `json:"all,omitempty"`
	Any  []*Predicate `json:"any,omitempty"`
}

// Holds reports whether the condition holds. A nil one always does.
func (p *Predicate) Holds(facts Facts) bool {
	switch {
	case p == nil:
		return true
	case p.Not != nil:
		return !p.Not.Holds(facts)
	case p.Fact != "":
		return facts[p.Fact]
	case len(p.Any) > 0:
		return slices.ContainsFunc(p.Any, func(x *Predicate) bool { return x.Holds(facts) })
	}
	return !slices.ContainsFunc(p.All, func(x *Predicate) bool { return !x.Holds(facts) })
}

// Parameter is a parameter of a tool.
type Parameter struct {
	Name string `json:"name"`
	// Default is the JSON value of an absent argument; nil: none.
	Default json.RawMessage `json:"default,omitempty"`
	// Required reports that a call without the argument is invalid.
	Required bool `json:"required,omitempty"`
}

// Step is one call of a generic tool, as a recording has it, with {parameter} in the texts of
// arguments and targets. {secret:NAME} is left to the dispatcher of calls.
type Step struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
	// Targets are the elements that arguments name, by the JSON pointer of the argument, such as
	// "/ref". The argument itself is absent.
	Targets map[string]locate.Identity `json:"targets,omitempty"`
	// URL is the address after the step, for comparison; "": any.
	URL string `json:"url,omitempty"`
	// Optional leaves the step out where its elements are not there.
	Optional bool `json:"optional,omitempty"`
	// When leaves the step out where it does not hold; nil: it is never left out.
	When *Observation `json:"when,omitempty"`
	// Expect is a contract that holds after the step; nil for none.
	Expect json.RawMessage `json:"expect,omitempty"`
	// Request is sent in place of a call; nil for a call. It is the one step of its tool.
	Request *Request `json:"request,omitempty"`
	// Pos is the step's place in its file, "tools/add.yaml:12"; "" is unknown.
	Pos string `json:"-"`
}

// Read is the part of an element that an output takes.
type Read string

// The values of Read.
const (
	ReadText      Read = "text"      // what a person can read, or the value of a field
	ReadNumber    Read = "number"    // the first number in the text
	ReadValue     Read = "value"     // of a field; never of one that holds a secret
	ReadAttribute Read = "attribute" // Output.Attribute
	ReadPresent   Read = "present"   // true where the element is there
	ReadCount     Read = "count"     // how many elements match
	ReadURL       Read = "url"       // of the tab; no element
)

// Output is one property of a tool's output with its place on the page.
type Output struct {
	Name     string `json:"name"`
	Type     string `json:"type,omitempty"`     // string, integer, number, boolean, array or object
	Required bool   `json:"required,omitempty"` // a list is there also where it is empty
	// Pos is its place in the tool's file; "" is unknown.
	Pos string `json:"pos,omitempty"`

	Element   *Element `json:"element,omitempty"`   // nil for ReadURL
	Read      Read     `json:"read,omitempty"`      // "" is ReadText
	Attribute string   `json:"attribute,omitempty"` // href and src are absolute
	// Pattern is a regular expression with one group, which is taken of the text; "" takes everything.
	Pattern string   `json:"pattern,omitempty"`
	List    bool     `json:"list,omitempty"`    // one value per matching element
	Members []Output `json:"members,omitempty"` // of a list of objects: read inside of each element
	// JSON is the pointer into the answer of a request; nil for what a page shows. Value is the type that the output
	// declares for it.
	JSON  *string     `json:"json,omitempty"`
	Value *param.Type `json:"value,omitempty"`
}
