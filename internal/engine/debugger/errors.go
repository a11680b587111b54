package debugger

import (
	"fmt"
	"strings"
)

// Error is a constant error of this package.
type Error string

func (e Error) Error() string { return string(e) }

const (
	// ErrDisabled is the answer to anything but Enable while the debugger is off.
	ErrDisabled Error = "the debugger is not enabled"
	// ErrNotPaused is the answer to a question about a pause while the page runs.
	ErrNotPaused Error = "the page is not paused"
)

// PausedError says that the page is paused, and so cannot run what was asked for.
type PausedError struct {
	Reason   string // why it paused, such as "breakpoint b1" or "step"
	Function string // the function it paused in, "" at the top level
	Location Location
}

func (e *PausedError) Error() string {
	return fmt.Sprintf("JavaScript is paused at %s (%s)", place(e.Function, e.Location), e.Reason)
}

// UnknownBreakpointError says that an id names no breakpoint.
type UnknownBreakpointError struct {
	ID    string
	Known []string // the ids there are, in order of creation
}

func (e *UnknownBreakpointError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("unknown breakpoint %q; none is set", e.ID)
	}
	return fmt.Sprintf("unknown breakpoint %q; set are: %s", e.ID, strings.Join(e.Known, ", "))
}

// UnknownFrameError says that an id names no frame of the current pause.
type UnknownFrameError struct {
	ID     string
	Frames int // how many there are, f0 being the innermost
}

func (e *UnknownFrameError) Error() string {
	return fmt.Sprintf("unknown call frame %q; this pause has f0 to f%d", e.ID, e.Frames-1)
}

// InvalidError says that something the caller wrote cannot be used.
type InvalidError struct {
	What   string // such as "condition" or "URL pattern"
	Value  string
	Reason string
}

func (e *InvalidError) Error() string { return fmt.Sprintf("%s %q: %s", e.What, e.Value, e.Reason) }

// ThrownError is what an expression threw.
type ThrownError struct{ Text string }

func (e *ThrownError) Error() string { return "the expression threw: " + e.Text }
