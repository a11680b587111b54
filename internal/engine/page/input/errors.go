package input

import (
	"fmt"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// NothingFocusedError says that keys would have gone to the document and not to a field.
type NothingFocusedError struct{}

func (*NothingFocusedError) Error() string {
	return "nothing is focused: focus a field first, by clicking it or by naming its ref"
}

// Code is NOT_ACTIONABLE.
func (*NothingFocusedError) Code() codes.Code { return codes.NotActionable }

// InputNotDeliveredError says that the browser delivers no input to the document, because text was
// on its way while the document was swapped.
type InputNotDeliveredError struct{}

func (*InputNotDeliveredError) Error() string {
	return "the browser delivers no input to this document, because text was inserted while it replaced another one: " +
		"reload the page or navigate, then read it again"
}

// Code is NOT_ACTIONABLE.
func (*InputNotDeliveredError) Code() codes.Code { return codes.NotActionable }

// NoFileChooserError says that an element is no file input and opened no file chooser.
type NoFileChooserError struct{ Ref string }

func (e *NoFileChooserError) Error() string {
	return fmt.Sprintf("%s is no file input, clicking it opened no file chooser, and it takes no files that are dropped on it", e.Ref)
}

// Code is NOT_ACTIONABLE.
func (*NoFileChooserError) Code() codes.Code { return codes.NotActionable }

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

// DropRefusedError reports that the browser did not drop the dragged element.
type DropRefusedError struct{ Ref string }

func (e *DropRefusedError) Error() string {
	return fmt.Sprintf("%s did not accept the drop (no handler cancelled dragover)", e.Ref)
}

// Code is NOT_APPLIED.
func (*DropRefusedError) Code() codes.Code { return codes.NotApplied }

// Fields names the target.
func (e *DropRefusedError) Fields() []fault.Field { return []fault.Field{{Name: "ref", Value: e.Ref}} }
