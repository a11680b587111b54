package document

import (
	"fmt"
	"hash/fnv"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// EmptyDocumentError says that the document has no root element, and so no content to act on.
type EmptyDocumentError struct{}

func (*EmptyDocumentError) Error() string {
	return "the document is empty: it has no root element; wait for its content, reload the page or navigate"
}

// Code is NOT_FOUND.
func (*EmptyDocumentError) Code() codes.Code { return codes.NotFound }

// ScriptError says that the script which this package runs in pages failed: a defect of this
// package. Its text leaves the stack out, because clients can do nothing with it.
type ScriptError struct {
	// ID is the same for the same failure, so that a log entry can be found by it.
	ID string
	// Stack is for the operator's log.
	Stack string
}

func newScriptError(stack string) *ScriptError {
	h := fnv.New32a()
	_, _ = h.Write([]byte(stack)) // a hash takes all input
	return &ScriptError{ID: fmt.Sprintf("%08x", h.Sum32()), Stack: stack}
}

func (e *ScriptError) Error() string {
	return fmt.Sprintf("this server failed on this page (failure %s; its log has the details): read the page again, or reload it", e.ID)
}

// Code is FAILED.
func (*ScriptError) Code() codes.Code { return codes.Failed }

// Fields gives the id.
func (e *ScriptError) Fields() []fault.Field { return []fault.Field{{Name: "failure", Value: e.ID}} }
