package document

import (
	"errors"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// UnknownRefError says that the ref was never issued in this tab, or is no ref at all.
type UnknownRefError struct{ Ref string }

func (e *UnknownRefError) Error() string {
	return fmt.Sprintf("unknown ref %q: no reading of this tab has shown it; one of another tab needs its tabId", e.Ref)
}

// Code is NOT_FOUND.
func (*UnknownRefError) Code() codes.Code { return codes.NotFound }

// Fields names the ref.
func (e *UnknownRefError) Fields() []fault.Field { return []fault.Field{{Name: "ref", Value: e.Ref}} }

// NoCellError says that a derived ref names no cell.
type NoCellError struct {
	Ref string
	// Reason is a clause: "it has 3 rows".
	Reason string
}

func (e *NoCellError) Error() string { return fmt.Sprintf("%s names no cell: %s", e.Ref, e.Reason) }

// Code is NOT_FOUND.
func (*NoCellError) Code() codes.Code { return codes.NotFound }

// Fields names the ref.
func (e *NoCellError) Fields() []fault.Field { return []fault.Field{{Name: "ref", Value: e.Ref}} }

// StaleRefError says that the ref was issued, but no longer names its element.
type StaleRefError struct {
	Ref string
	// Role and Name describe the element that the ref named; both are "" once that is forgotten.
	Role, Name string
	// Reason is a clause: "its element is no longer in the page".
	Reason string
	// Candidates are the most similar elements of the page, best first, at most three.
	Candidates []Element
}

func (e *StaleRefError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stale ref %s", e.Ref)
	if e.Role != "" {
		fmt.Fprintf(&b, " (%s %q)", e.Role, e.Name)
	}
	b.WriteString(": " + e.Reason)
	for i, c := range e.Candidates {
		b.WriteString([]string{"; now there is ", ", "}[min(i, 1)])
		fmt.Fprintf(&b, "%s %q [%s]", c.Role, c.Name, c.Ref)
	}
	return b.String()
}

// Code is STALE_REF.
func (*StaleRefError) Code() codes.Code { return codes.StaleRef }

// Fields names the ref and lists the candidates, one rendered line each.
func (e *StaleRefError) Fields() []fault.Field {
	lines := slicesx.List(e.Candidates, func(c Element) string { return c.Line() })
	return []fault.Field{{Name: "ref", Value: e.Ref}, {Name: "candidates", Value: lines}}
}

// Cause is a reason for which an element is not ready that has a remedy of its own; "" for any other.
type Cause string

// CauseMoving says that the element keeps moving, CauseDisabled that it is disabled.
const (
	CauseMoving   Cause = "moving"
	CauseDisabled Cause = "disabled"
)

// NotActionableError says that the element did not become ready for the pointer.
type NotActionableError struct {
	Ref string
	// Reason is a clause: "it is disabled", "another element covers it". Cause is the one of it that callers decide by.
	Reason string
	Cause  Cause
	// Covering is the element over it, when that is the reason.
	Covering *Element
	// AtRest says that nothing in the document is about to change that.
	AtRest bool
}

func (e *NotActionableError) Error() string {
	if e.Covering != nil {
		c := e.Covering
		return fmt.Sprintf("%s cannot be used: %s: %s %q [%s]", e.Ref, e.Reason, c.Role, c.Name, c.Ref)
	}
	return fmt.Sprintf("%s cannot be used: %s", e.Ref, e.Reason)
}

// Code is NOT_ACTIONABLE.
func (*NotActionableError) Code() codes.Code { return codes.NotActionable }

// Fields names the ref and the reason.
func (e *NotActionableError) Fields() []fault.Field {
	return []fault.Field{{Name: "ref", Value: e.Ref}, {Name: "reason", Value: e.Reason}}
}

// OptionNotFoundError says that the list has no such option.
type OptionNotFoundError struct {
	Ref, Value string
	// Options are the labels of the list, the first 50 of Total.
	Options []string
	Total   int
}

func (e *OptionNotFoundError) Error() string {
	shown := e.Options
	if len(shown) > 20 {
		shown = shown[:20]
	}
	more := ""
	if e.Total > len(shown) {
		more = fmt.Sprintf(" and %d more", e.Total-len(shown))
	}
	return fmt.Sprintf("%s has no option %q; it has %q%s", e.Ref, e.Value, shown, more)
}

// Code is INVALID_ARGUMENTS.
func (*OptionNotFoundError) Code() codes.Code { return codes.InvalidArguments }

// Fields lists the options.
func (e *OptionNotFoundError) Fields() []fault.Field {
	return []fault.Field{{Name: "options", Value: e.Options}}
}

// BadSelectorError says that the selector does not parse, or selects no elements.
type BadSelectorError struct{ Selector, Reason string }

func (e *BadSelectorError) Error() string {
	return fmt.Sprintf("bad selector %q: %s", e.Selector, e.Reason)
}

// Code is INVALID_ARGUMENTS.
func (*BadSelectorError) Code() codes.Code { return codes.InvalidArguments }

// NoElementError says that a valid selector matches no element with that index.
type NoElementError struct {
	Selector string
	// Index is from 0; Matches is the number of matches.
	Index, Matches int
}

func (e *NoElementError) Error() string {
	if e.Matches > 0 {
		return fmt.Sprintf("%q matches %d elements, so none has index %d", e.Selector, e.Matches, e.Index)
	}
	return fmt.Sprintf("no element matches %q", e.Selector)
}

// Code is NOT_FOUND.
func (*NoElementError) Code() codes.Code { return codes.NotFound }

// NameSelector adds the selector to a BadSelectorError: the engine does not repeat it.
func NameSelector(err error, selector string) error {
	if bad, ok := errors.AsType[*BadSelectorError](err); ok {
		bad.Selector = selector
	}
	return err
}
