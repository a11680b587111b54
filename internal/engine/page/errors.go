package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// UnknownRefError says that the ref was never issued in this tab, or is no ref at all.
type UnknownRefError struct{ Ref string }

func (e *UnknownRefError) Error() string {
	return fmt.Sprintf("unknown ref %q: no reading of this tab has shown it", e.Ref)
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
	lines := []string{}
	for _, c := range e.Candidates {
		lines = append(lines, c.Line())
	}
	return []fault.Field{{Name: "ref", Value: e.Ref}, {Name: "candidates", Value: lines}}
}

// NotActionableError says that the element did not become ready for the pointer.
type NotActionableError struct {
	Ref string
	// Reason is a clause: "it is disabled", "another element covers it".
	Reason string
	// Covering is the element over it, when that is the reason.
	Covering *Element
	// atRest says that nothing in the document is about to change that.
	atRest bool
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

// wrongTargetError says that an input hit another element and was stopped before the page saw it.
// The action had no effect. element is nil when the input arrived nowhere.
type wrongTargetError struct{ element *Element }

func (*wrongTargetError) Error() string {
	return "the input arrived at another element and was stopped"
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

// NothingFocusedError says that keys would have gone to the document and not to a field.
type NothingFocusedError struct{}

func (*NothingFocusedError) Error() string {
	return "nothing is focused: focus a field first, by clicking it or by naming its ref"
}

// Code is NOT_ACTIONABLE.
func (*NothingFocusedError) Code() codes.Code { return codes.NotActionable }

// Fields is nil.
func (*NothingFocusedError) Fields() []fault.Field { return nil }

// InputNotDeliveredError says that the browser delivers no input to the document, because text was
// on its way while the document was swapped.
type InputNotDeliveredError struct{}

func (*InputNotDeliveredError) Error() string {
	return "the browser delivers no input to this document, because text was inserted while it replaced another one: " +
		"reload the page or navigate, then read it again"
}

// Code is NOT_ACTIONABLE.
func (*InputNotDeliveredError) Code() codes.Code { return codes.NotActionable }

// Fields is nil.
func (*InputNotDeliveredError) Fields() []fault.Field { return nil }

// NoFileChooserError says that an element is no file input and opened no file chooser.
type NoFileChooserError struct{ Ref string }

func (e *NoFileChooserError) Error() string {
	return fmt.Sprintf("%s is no file input, and clicking it opened no file chooser", e.Ref)
}

// Code is NOT_ACTIONABLE.
func (*NoFileChooserError) Code() codes.Code { return codes.NotActionable }

// Fields is nil.
func (*NoFileChooserError) Fields() []fault.Field { return nil }

// BadSelectorError says that the selector does not parse, or selects no elements.
type BadSelectorError struct{ Selector, Reason string }

func (e *BadSelectorError) Error() string {
	return fmt.Sprintf("bad selector %q: %s", e.Selector, e.Reason)
}

// Code is INVALID_ARGUMENTS.
func (*BadSelectorError) Code() codes.Code { return codes.InvalidArguments }

// Fields is nil.
func (*BadSelectorError) Fields() []fault.Field { return nil }

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

// Fields is nil.
func (*NoElementError) Fields() []fault.Field { return nil }

// BadKeyError names a key or modifier that no keyboard has.
type BadKeyError struct {
	Key string
	// Nearest is the most similar name, or "".
	Nearest string
}

func (e *BadKeyError) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("unknown key %q", e.Key)
	}
	return fmt.Sprintf("unknown key %q; did you mean %q?", e.Key, e.Nearest)
}

// Code is INVALID_ARGUMENTS.
func (*BadKeyError) Code() codes.Code { return codes.InvalidArguments }

// Fields is nil.
func (*BadKeyError) Fields() []fault.Field { return nil }

// StaleContinuationError says that the reading of a continuation handle is no longer kept.
type StaleContinuationError struct{ Handle, Reason string }

func (e *StaleContinuationError) Error() string {
	return fmt.Sprintf("cannot continue reading at %q: %s; read again", e.Handle, e.Reason)
}

// Code is NOT_FOUND.
func (*StaleContinuationError) Code() codes.Code { return codes.NotFound }

// Fields is nil.
func (*StaleContinuationError) Fields() []fault.Field { return nil }

// StaleSnapshotError says that a click names another snapshot than the latest one of the tab.
type StaleSnapshotError struct {
	ID string
	// Latest is the ID of the latest snapshot; "" when the tab has none.
	Latest string
}

func (e *StaleSnapshotError) Error() string {
	if e.Latest == "" {
		return fmt.Sprintf("snapshot %q is not of this tab", e.ID)
	}
	return fmt.Sprintf("snapshot %q is not the latest one of this tab", e.ID)
}

// Code is STALE_REF.
func (*StaleSnapshotError) Code() codes.Code { return codes.StaleRef }

// Fields names the snapshot.
func (e *StaleSnapshotError) Fields() []fault.Field {
	return []fault.Field{{Name: "snapshotId", Value: e.ID}}
}

// WaitTimeoutError says that a condition did not hold before the deadline.
type WaitTimeoutError struct {
	Condition string
	// LastState is the state at the end, as a clause.
	LastState string
	Elapsed   time.Duration
}

func (e *WaitTimeoutError) Error() string {
	return fmt.Sprintf("waited %s for %s; %s", e.Elapsed.Round(time.Millisecond), e.Condition, e.LastState)
}

// Code is TIMEOUT.
func (*WaitTimeoutError) Code() codes.Code { return codes.Timeout }

// Fields gives the time waited in milliseconds.
func (e *WaitTimeoutError) Fields() []fault.Field {
	return []fault.Field{{Name: "ms", Value: e.Elapsed.Round(time.Millisecond).Milliseconds()}}
}
