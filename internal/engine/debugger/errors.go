package debugger

import (
	"fmt"
	"strings"

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

// UnknownBreakpointError says that an id names no breakpoint.
type UnknownBreakpointError struct {
	ID    string
	Known []string // ids of the breakpoints that are set, in order of creation
}

func (e *UnknownBreakpointError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("unknown breakpoint %q; none is set", e.ID)
	}
	return fmt.Sprintf("unknown breakpoint %q; set are: %s", e.ID, strings.Join(e.Known, ", "))
}

// Code implements fault.Coded.
func (e *UnknownBreakpointError) Code() codes.Code { return codes.NotFound }

// Fields lists the ids of the breakpoints that are set.
func (e *UnknownBreakpointError) Fields() []fault.Field {
	return []fault.Field{{Name: "breakpoints", Value: append([]string{}, e.Known...)}}
}

// UnknownFrameError says that an id names no frame of the current pause.
type UnknownFrameError struct {
	ID     string
	Frames int // number of frames; f0 is the innermost
}

func (e *UnknownFrameError) Error() string {
	return fmt.Sprintf("unknown call frame %q; this pause has f0 to f%d", e.ID, e.Frames-1)
}

// Code implements fault.Coded.
func (e *UnknownFrameError) Code() codes.Code { return codes.NotFound }

// Fields implements fault.Coded.
func (e *UnknownFrameError) Fields() []fault.Field { return nil }

// InvalidError says why an argument is invalid.
type InvalidError struct {
	What   string // such as "condition" or "URL pattern"
	Value  string
	Reason string
}

func (e *InvalidError) Error() string { return fmt.Sprintf("%s %q: %s", e.What, e.Value, e.Reason) }

// Code implements fault.Coded.
func (e *InvalidError) Code() codes.Code { return codes.InvalidArguments }

// Fields implements fault.Coded.
func (e *InvalidError) Fields() []fault.Field { return nil }

// ThrownError carries the text of the exception that an expression threw.
type ThrownError struct{ Text string }

func (e *ThrownError) Error() string { return "the expression threw: " + e.Text }

// Code implements fault.Coded.
func (e *ThrownError) Code() codes.Code { return codes.ScriptFailed }

// Fields implements fault.Coded.
func (e *ThrownError) Fields() []fault.Field { return nil }
