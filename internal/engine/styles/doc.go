// Package styles explains the style of one element: the declaration that decides a property, where it
// stands in the source, and why each other declaration loses.
//
// The browser says which rules match, in the order of the cascade; this package compares declarations by
// the criteria of that order, names the first that tells two apart, and finds the rules whose media,
// container or supports condition does not hold. It changes nothing of the page. It must not know tools,
// nor how an answer is rendered.
package styles

import (
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Limits of one answer. A page can have any number of rules.
const (
	maxProperties = 20      // properties of one question
	maxLonghands  = 60      // longhands that these stand for
	maxLosers     = 12      // losing declarations that are shown of one property
	maxDeclared   = 80      // declarations of an overview
	maxSheets     = 60      // style sheets that are searched for rules that do not apply
	maxSheetBytes = 4 << 20 // bytes of their text together
	maxCandidates = 300     // rules that do not apply, before their selectors are tried
	maxVariables  = 8       // custom properties of one chain
	maxValueBytes = 300     // bytes of a value or selector that are shown
)

// Question says what is asked of an element.
type Question struct {
	// Properties are longhands, shorthands or custom properties; none asks for the author's declarations
	// that apply.
	Properties []string
	// Pseudo is a pseudo-element such as ::before, or "".
	Pseudo string
}

// Explanation answers a [Question].
type Explanation struct {
	Answers []Answer
	// Declared has, for a question without properties, the author's declarations that decide something.
	Declared []Declaration
	// Overridden is the number of the author's declarations that decide nothing.
	Overridden int
	// Omitted is the number of declarations, or properties, beyond the limits.
	Omitted int
}

// Answer explains properties that one declaration decides in the same way.
type Answer struct {
	Properties []string
	Computed   string // of the first property
	// Winner is nil where no declaration decides: the value is the initial one.
	Winner *Declaration
	// From is where a winner that says inherit takes its value from; nil without one.
	From      *Declaration
	Losers    []Declaration // best first
	Omitted   int           // losers beyond the limit
	Variables []Variable    // custom properties that the winner's value uses
	Note      string        // what else must be known, such as that the value is invalid; "" for nothing
}

// Declaration is one declaration in a source.
type Declaration struct {
	Property  string // as it is written: the longhand or a shorthand
	Value     string
	Important bool
	// Selector is the selector of the rule; "" for a style attribute, an animation and the like.
	Selector string
	// Conditions are the at-rules around the rule, outermost first, such as @media (min-width: 1px).
	Conditions []string
	Place      Place
	// Level is how far above the element the declaration stands; 0 is the element. The value is inherited
	// from there. Of a pseudo-element, 1 is its element.
	Level int
	// Decides are the longhands that a shorthand decides, if these are not all.
	Decides []string
	Reason  string // why it loses; "" for a winner
}

// Place is where a declaration stands.
type Place struct {
	// What is set for places without a file: the style attribute, the browser's style sheet.
	What string
	// URL, Line and Column are the original position by a source map, else that in the style sheet; 1-based.
	URL          string
	Line, Column int
	// Generated is the position in the style sheet, as URL:line:column, where a source map has another.
	Generated string
	// Value is where the value comes from, such as a variable of Sass, as URL:line:column; "" for the same line.
	Value string
}

// Variable is a custom property on the way to a value.
type Variable struct {
	Name        string
	Declaration *Declaration // nil if it is not defined
}

func unknownProperty(message string) error { return fault.New(codes.InvalidArguments, message) }
