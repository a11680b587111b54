package document

import (
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Remedy is another way to set a field that refused a value. The zero value is a click on it, after
// which the page may offer more.
type Remedy string

// The other remedies: drag its handle, or read what the page waits for.
const (
	RemedyDrag Remedy = "drag"
	RemedyRead Remedy = "read"
)

// NotEditableError says that the element takes no value, or not in its current state.
type NotEditableError struct {
	Ref string
	// Reason is a clause: "it is read-only".
	Reason string
	Remedy Remedy
}

func (e *NotEditableError) Error() string {
	return fmt.Sprintf("cannot set the value of %s: %s", e.Ref, e.Reason)
}

// Code is NOT_ACTIONABLE.
func (*NotEditableError) Code() codes.Code { return codes.NotActionable }

// ValueRefusedError says that the field takes values, but not this one.
type ValueRefusedError struct {
	Ref, Value string
	// Reason is a clause: "it goes from 0 to 100".
	Reason string
	// Example is a value that the field takes; "" if none is known.
	Example string
	Remedy  Remedy
}

func (e *ValueRefusedError) Error() string {
	return fmt.Sprintf("%s refused the value %q: %s", e.Ref, e.Value, e.Reason)
}

// Code is INVALID_ARGUMENTS.
func (*ValueRefusedError) Code() codes.Code { return codes.InvalidArguments }

// AmbiguousOptionError says that several options of a list have the text of the value.
type AmbiguousOptionError struct {
	Ref, Value string
	// Options are values that tell them apart: "Apple in Fruit", or the values in the markup.
	Options []string
}

func (e *AmbiguousOptionError) Error() string {
	return fmt.Sprintf("%s has several options %q; choose one of the values %q", e.Ref, e.Value, e.Options)
}

// Code is AMBIGUOUS.
func (*AmbiguousOptionError) Code() codes.Code { return codes.Ambiguous }

// Fields lists the values to choose from.
func (e *AmbiguousOptionError) Fields() []fault.Field {
	return []fault.Field{{Name: "candidates", Value: e.Options}}
}

// NotAppliedError says that the page got the input and the field holds something else.
type NotAppliedError struct {
	Ref string
	// Holds is the value in the field; "" of a secret.
	Holds  string
	Secret bool
	// Limit is the number of characters that the field takes, where the text is longer; else 0.
	Limit int
	// Changes describes other changes that the action made.
	Changes []string
}

func (e *NotAppliedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s did not take it: ", e.Ref)
	switch {
	case e.Secret:
		b.WriteString("it holds something else")
	case e.Holds == "":
		b.WriteString("it is empty")
	default:
		fmt.Fprintf(&b, "it holds %q", e.Holds)
	}
	if e.Limit > 0 {
		fmt.Fprintf(&b, ", as it takes %d characters", e.Limit)
	}
	if len(e.Changes) > 0 {
		b.WriteString("; the page changed: " + strings.Join(e.Changes, "; "))
	}
	return b.String()
}

// Code is NOT_APPLIED.
func (*NotAppliedError) Code() codes.Code { return codes.NotApplied }

// Fields returns the ref and the value of the field.
func (e *NotAppliedError) Fields() []fault.Field {
	fields := []fault.Field{{Name: "ref", Value: e.Ref}}
	if !e.Secret {
		fields = append(fields, fault.Field{Name: "holds", Value: e.Holds})
	}
	return fields
}
