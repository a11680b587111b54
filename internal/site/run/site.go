package run

import (
	"encoding/json"

	"github.com/callsheet/callsheet/internal/engine/page"
)

// Site is a compiled site as the runner needs it. It is immutable.
type Site struct {
	Name string
	// Origins are the origins on which the tools act, such as https://shop.example. Relative
	// addresses belong to the first. A link or a form that leads to another one is a drift.
	Origins []string
	Facts   []Fact
	Tools   []Tool
	// Values are the values of the site's own parameters, by name.
	Values map[string]string
	// Secrets are the names of secrets. {NAME} in an argument of a step becomes {secret:NAME}, which
	// the dispatcher of calls replaces.
	Secrets []string
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

// Observation is what a page shows where a fact holds. All members that are set must hold.
type Observation struct {
	// Element is a visible element.
	Element *ElementQuery `json:"element,omitempty"`
	// URL is a pattern of the address: a path such as /product/*, or an address with an origin.
	// * matches any characters within a segment, ** any characters.
	URL string        `json:"url,omitempty"`
	Not *Observation  `json:"not,omitempty"`
	All []Observation `json:"all,omitempty"`
	Any []Observation `json:"any,omitempty"`
}

// ElementQuery selects visible elements: by CSS, by test id, or by role and name. Text and NotText
// compare the text that a person reads on it, without surrounding space.
type ElementQuery struct {
	Role    string `json:"role,omitempty"`
	Name    string `json:"name,omitempty"`
	TestID  string `json:"testId,omitempty"`
	CSS     string `json:"css,omitempty"`
	Text    string `json:"text,omitempty"`     // the whole text
	NotText string `json:"not_text,omitempty"` // any other text
	Has     string `json:"has,omitempty"`      // a part of the text
}

// Tool is one tool of a site.
type Tool struct {
	Name string
	// File is the tool's source, for drifts and repairs.
	File string
	// Visible decides whether the tool may run; nil: always. Needs is the condition in words.
	Visible func(Facts) bool
	Needs   string
	// Sets and Clears are the facts that a run changes for certain. The runner observes them
	// afterwards; a difference is a drift.
	Sets, Clears []string

	Parameters []Parameter
	// Start is the address that is opened before the first step, absolute or relative to the first
	// origin, with {parameter} in it; "": the first step begins where the tab is.
	Start string
	Steps []Step
	// Postcondition is a contract of internal/record/contract with {parameter} in its texts; nil for
	// none.
	Postcondition json.RawMessage
	Extract       []Output
	// Examples are arguments with which a check calls the tool.
	Examples []json.RawMessage
	// Destructive tools are checked up to the last step and not further, unless the caller allows it.
	Destructive bool
}

// Parameter is a parameter of a tool.
type Parameter struct {
	Name string
	// Default is the JSON value of an absent argument; nil: none.
	Default json.RawMessage
	// Required reports that a call without the argument is invalid.
	Required bool
	// Secret names the secret that stands for an absent argument; "": none.
	Secret string
}

// Step is one call of a generic tool, as a recording has it, with {parameter} in the texts of
// arguments and targets.
type Step struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
	// Targets are the elements that arguments name, by the JSON pointer of the argument, such as
	// "/ref". The argument itself may be absent.
	Targets map[string]page.Identity `json:"targets,omitempty"`
	// URL is the address after the step, for comparison; "": any.
	URL string `json:"url,omitempty"`
	// If makes a step optional: it is left out where the observation does not hold.
	If *Observation `json:"if,omitempty"`
	// Pos is the step's place in its file, "tools/add.yaml:12"; "" is unknown.
	Pos string `json:"-"`
}

// Output is one property of a tool's output with its place on the page.
type Output struct {
	Name     string
	Type     string // string, integer, number, boolean, array, object
	Required bool
	Locator  Locator
}

// Locator is where a value stands on a page. The place is exactly one of Role (with Name or Level),
// TestID, Beside, Field, Column, CSS, URL; Rows make a list.
type Locator struct {
	Role   string `json:"role,omitempty"`
	Name   string `json:"name,omitempty"`
	Level  int    `json:"level,omitempty"` // of a heading
	TestID string `json:"testId,omitempty"`
	// Beside is a text whose neighbour is the value: a term and its definition, a header cell and
	// the next cell, a label and what follows it.
	Beside string `json:"beside,omitempty"`
	Field  string `json:"field,omitempty"` // the label of a field whose value is read
	// Column is the header of a table's column. It is for members of Rows.
	Column string `json:"column,omitempty"`
	CSS    string `json:"css,omitempty"`
	// URL is a regular expression with one group on the address of the page.
	URL string `json:"url,omitempty"`

	// Attribute is read in place of the text; href and src are absolute.
	Attribute string `json:"attribute,omitempty"`
	// Match is a regular expression on the text; the value is its first group, or the whole match.
	Match string `json:"match,omitempty"`
	// Count reads how many elements fit, in place of a text.
	Count bool `json:"count,omitempty"`

	// Rows select one element for each member of a list, and Members are read inside of each. Without
	// Members the list has the text of each row.
	Rows    *Locator           `json:"rows,omitempty"`
	Members map[string]Locator `json:"members,omitempty"`
	// Types are the types of Members, by name; string where absent.
	Types map[string]string `json:"types,omitempty"`
}
