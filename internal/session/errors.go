package session

import (
	"fmt"
	"strings"
)

// UnknownError says that there is no connection of that name.
type UnknownError struct {
	ID    string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown connection %q; there are: %s", e.ID, strings.Join(e.Known, ", "))
}

// InUseError says that a connection of that name works, so it is not replaced.
type InUseError struct{ ID string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("connection %q is in use; choose another connection_id, or disconnect it first", e.ID)
}

// LimitError says that the client has as many connections as it may have.
type LimitError struct {
	Limit  int
	Worker bool // of workers, which have a limit of their own
}

func (e *LimitError) Error() string {
	if e.Worker {
		return fmt.Sprintf("there are %d workers already, which is the most; end some first", e.Limit)
	}
	return fmt.Sprintf("there are %d connections already, which is the most; disconnect one first", e.Limit)
}

// InvalidIDError says that a text cannot be the name of a connection.
type InvalidIDError struct{ ID string }

func (e *InvalidIDError) Error() string {
	return fmt.Sprintf("connection_id %q: use 1 to 64 of A-Z a-z 0-9 . _ -", e.ID)
}

// PortError says that a port cannot be used, and why.
type PortError struct {
	Port   int
	Reason string
}

func (e *PortError) Error() string { return fmt.Sprintf("port %d: %s", e.Port, e.Reason) }

// HostError says that a host may not be connected to: whoever can speak to a browser's debugging port owns the browser,
// and the server is not lent out to reach into a network.
type HostError struct{ Host string }

func (e *HostError) Error() string {
	return fmt.Sprintf("host %q is not this machine, and this server connects to browsers on this machine only", e.Host)
}

// UnreachableError says that no browser answered at an endpoint.
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

// SwitchError says that a command-line switch is not passed to a browser.
type SwitchError struct {
	Switch string
	Reason string
}

func (e *SwitchError) Error() string { return fmt.Sprintf("switch %s: %s", e.Switch, e.Reason) }

// ActiveChangedError says, once, that the active connection is another one because the browser of the former ended: what was
// meant for one browser must not happen in another unasked.
type ActiveChangedError struct{ From, To string }

func (e *ActiveChangedError) Error() string {
	return fmt.Sprintf("the browser of connection %q exited, so %q is the active connection now; nothing was done: call again if that is the one you mean",
		e.From, e.To)
}
