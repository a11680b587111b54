package debugger

import (
	"fmt"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

var (
	// ErrDisabled is returned by every method that needs the debugger on while it is off.
	ErrDisabled = fault.New(codes.Failed, "the debugger is not enabled")
	// ErrNotPaused is returned by methods that read a pause while the page runs.
	ErrNotPaused = fault.New(codes.Failed, "the page is not paused")
)

// PausedError says that the page is paused and therefore cannot run what the caller asked for.
type PausedError struct {
	Reason   string // why it paused, such as "breakpoint b1" or "step"
	Function string // the function it paused in, "" at the top level
	Location Location
}

func (e *PausedError) Error() string {
	return fmt.Sprintf("JavaScript is paused at %s (%s)", formatPlace(e.Function, e.Location), e.Reason)
}

// Code implements fault.Coded.
func (e *PausedError) Code() codes.Code { return codes.Paused }

// Fields gives the location and the reason of the pause.
func (e *PausedError) Fields() []fault.Field {
	return []fault.Field{{Name: "location", Value: e.Location.String()}, {Name: "reason", Value: e.Reason}}
}

// unknownFrame returns the error of an id that names no frame of a pause; f0 is its innermost one.
func unknownFrame(id string, frames int) error {
	return fault.Errorf(codes.NotFound, "unknown call frame %q; this pause has f0 to f%d", id, frames-1)
}

// invalid returns the error of an argument, such as a condition or a URL pattern.
func invalid(what, value, reason string) error {
	return fault.Invalid("%s %q: %s", what, value, reason)
}
