package session

import (
	"fmt"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// inUse returns the error of a connection that is not replaced because its browser runs.
func inUse(id string) error {
	return fault.Errorf(codes.Failed, "connection %q is in use; choose another connection_id, or disconnect it first", id).With("connection", id)
}

// invalidID returns the error of a text that is not a valid connection id.
func invalidID(id string) error {
	return fault.Invalid("connection_id %q: use 1 to 64 of A-Z a-z 0-9 . _ -", id)
}

// invalidPort returns the error of a port outside of the range.
func invalidPort(port int) error {
	return fault.Invalid("port %d: a port is between 1 and 65535", port)
}

// UnreachableError reports that no browser responded at an endpoint.
type UnreachableError struct {
	Endpoint string
	Port     int
	Err      error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no browser answers at %s; start one with --remote-debugging-port=%d (%v)",
		e.Endpoint, e.Port, e.Err)
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// Code is fault.NoBrowser.
func (*UnreachableError) Code() codes.Code { return codes.NoBrowser }

// ActiveChangedError reports, once, that another connection became active because the browser of
// the previous one exited. A call meant for one browser must not run in another unasked.
type ActiveChangedError struct{ From, To string }

func (e *ActiveChangedError) Error() string {
	return fmt.Sprintf("the browser of connection %q exited, so %q is the active connection now; "+
		"nothing was done: call again if that is the one you mean", e.From, e.To)
}

// Code is fault.BrowserGone.
func (*ActiveChangedError) Code() codes.Code { return codes.BrowserGone }

// Fields returns the ids of the previous and the active connection.
func (e *ActiveChangedError) Fields() []fault.Field {
	return []fault.Field{{Name: "connection", Value: e.From}, {Name: "active", Value: e.To}}
}
