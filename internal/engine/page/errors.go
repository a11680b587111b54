package page

import (
	"fmt"
	"strings"
	"time"
)

// UnknownRefError says that the ref was never issued in this tab, or is no ref at all.
type UnknownRefError struct{ Ref string }

func (e *UnknownRefError) Error() string {
	return fmt.Sprintf("unknown ref %q: no reading of this tab has shown it", e.Ref)
}

// StaleRefError says that the ref was issued, but no longer names what it named.
type StaleRefError struct {
	Ref string
	// Role and Name are what the ref named; both "" when that is forgotten.
	Role, Name string
	// Reason is a clause: "its element is no longer in the page".
	Reason string
	// Candidates are the nearest elements now, best first, at most three.
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

// NotActionableError says that the element never became ready for the pointer.
type NotActionableError struct {
	Ref string
	// Reason is a clause: "it is disabled", "another element covers it".
	Reason string
	// Covering is the element over it, when that is the reason.
	Covering *Element
}

func (e *NotActionableError) Error() string {
	if e.Covering != nil {
		return fmt.Sprintf("%s cannot be used: %s: %s %q [%s]", e.Ref, e.Reason, e.Covering.Role, e.Covering.Name, e.Covering.Ref)
	}
	return fmt.Sprintf("%s cannot be used: %s", e.Ref, e.Reason)
}

// wrongTargetError says that an input arrived at another element, where the guard
// stopped it before the page saw it: nothing was done. at is nil when text
// arrived nowhere at all.
type wrongTargetError struct{ element *Element }

func (*wrongTargetError) Error() string { return "the input arrived at another element and was stopped" }

// NotEditableError says that the element takes no value, or not now.
type NotEditableError struct{ Ref, Reason string }

func (e *NotEditableError) Error() string {
	return fmt.Sprintf("cannot set the value of %s: %s", e.Ref, e.Reason)
}

// ValueRefusedError says that the field takes values, but not this one.
type ValueRefusedError struct{ Ref, Value, Reason string }

func (e *ValueRefusedError) Error() string {
	return fmt.Sprintf("%s refused the value %q: %s", e.Ref, e.Value, e.Reason)
}

// OptionNotFoundError says that the list has no such option.
type OptionNotFoundError struct {
	Ref, Value string
	// Options are the labels there are, the first 50 of Total.
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

// NothingFocusedError says that keys would have gone to the document and not to a field.
type NothingFocusedError struct{}

func (*NothingFocusedError) Error() string {
	return "nothing is focused: focus a field first, by clicking it or by naming its ref"
}

// InputNotDeliveredError says that no input reaches the document, by a fault of the browser: text was on its way when the document came.
type InputNotDeliveredError struct{}

func (*InputNotDeliveredError) Error() string {
	return "the browser hands this document no input any more, because text was on its way to the one before when it came: " +
		"reload the page or navigate, then read it again"
}

// BadSelectorError says that the selector does not parse, or selects no elements.
type BadSelectorError struct{ Selector, Reason string }

func (e *BadSelectorError) Error() string {
	return fmt.Sprintf("bad selector %q: %s", e.Selector, e.Reason)
}

// NoElementError says that a valid selector matches nothing, or too little: there is
// no element with that index among its matches.
type NoElementError struct {
	Selector string
	// Index is from 0; Matches is how many there are.
	Index, Matches int
}

func (e *NoElementError) Error() string {
	if e.Matches > 0 {
		return fmt.Sprintf("%q matches %d elements, so none has index %d", e.Selector, e.Matches, e.Index)
	}
	return fmt.Sprintf("no element matches %q", e.Selector)
}

// BadKeyError names a key or modifier that no keyboard has.
type BadKeyError struct {
	Key string
	// Nearest is the most similar name there is, or "".
	Nearest string
}

func (e *BadKeyError) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("unknown key %q", e.Key)
	}
	return fmt.Sprintf("unknown key %q; did you mean %q?", e.Key, e.Nearest)
}

// StaleContinuationError says that the reading which a handle continues is gone.
type StaleContinuationError struct{ Handle, Reason string }

func (e *StaleContinuationError) Error() string {
	return fmt.Sprintf("cannot continue reading at %q: %s; read again", e.Handle, e.Reason)
}

// WaitTimeoutError says that what was waited for did not come in time.
type WaitTimeoutError struct {
	Condition string
	// LastState is the state at the end, as a clause.
	LastState   string
	Elapsed time.Duration
}

func (e *WaitTimeoutError) Error() string {
	return fmt.Sprintf("waited %s for %s; %s", e.Elapsed.Round(time.Millisecond), e.Condition, e.LastState)
}
