package session

import (
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// UnknownError reports that no connection has this id.
type UnknownError struct {
	ID    string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown connection %q; there are: %s", e.ID, strings.Join(e.Known, ", "))
}

// Code is fault.NotFound.
func (*UnknownError) Code() codes.Code { return codes.NotFound }

// Fields returns the ids of the connections.
func (e *UnknownError) Fields() []fault.Field {
	return []fault.Field{{Name: "connections", Value: e.Known}}
}

// InUseError reports that a connection with this id has a running browser, so it is not replaced.
type InUseError struct{ ID string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("connection %q is in use; choose another connection_id, or disconnect it first", e.ID)
}

// Code is fault.Failed.
func (*InUseError) Code() codes.Code { return codes.Failed }

// Fields returns the connection's id.
func (e *InUseError) Fields() []fault.Field { return []fault.Field{{Name: "connection", Value: e.ID}} }

// LimitError reports that the client has the maximum of connections.
type LimitError struct {
	Limit  int
	Worker bool // the limit is that of workers
}

func (e *LimitError) Error() string {
	if e.Worker {
		return fmt.Sprintf("there are %d workers already, which is the most; end some first", e.Limit)
	}
	return fmt.Sprintf("there are %d connections already, which is the most; disconnect one first", e.Limit)
}

// Code is fault.Failed.
func (*LimitError) Code() codes.Code { return codes.Failed }

// Fields returns nil.
func (*LimitError) Fields() []fault.Field { return nil }

// InvalidIDError reports that a text is not a valid connection id.
type InvalidIDError struct{ ID string }

func (e *InvalidIDError) Error() string {
	return fmt.Sprintf("connection_id %q: use 1 to 64 of A-Z a-z 0-9 . _ -", e.ID)
}

// Code is fault.InvalidArguments.
func (*InvalidIDError) Code() codes.Code { return codes.InvalidArguments }

// Fields returns nil.
func (*InvalidIDError) Fields() []fault.Field { return nil }

// PortError reports why a port cannot be used.
type PortError struct {
	Port   int
	Reason string
}

func (e *PortError) Error() string { return fmt.Sprintf("port %d: %s", e.Port, e.Reason) }

// Code is fault.InvalidArguments.
func (*PortError) Code() codes.Code { return codes.InvalidArguments }

// Fields returns nil.
func (*PortError) Fields() []fault.Field { return nil }

// HostError reports that the operator permits no connection to a host. A debugging port gives full
// control of its browser, and the server must not give clients a way into a network.
type HostError struct{ Host string }

func (e *HostError) Error() string {
	return fmt.Sprintf("host %q is not this machine, and this server connects to browsers on this machine only", e.Host)
}

// Code is fault.PolicyDenied.
func (*HostError) Code() codes.Code { return codes.PolicyDenied }

// Fields returns the host.
func (e *HostError) Fields() []fault.Field { return []fault.Field{{Name: "host", Value: e.Host}} }

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

// Fields returns nil.
func (*UnreachableError) Fields() []fault.Field { return nil }

// SwitchError reports that a command-line switch is not passed to a browser, and why.
type SwitchError struct {
	Switch string
	Reason string
}

func (e *SwitchError) Error() string { return fmt.Sprintf("switch %s: %s", e.Switch, e.Reason) }

// Code is fault.PolicyDenied.
func (*SwitchError) Code() codes.Code { return codes.PolicyDenied }

// Fields returns the switch.
func (e *SwitchError) Fields() []fault.Field { return []fault.Field{{Name: "switch", Value: e.Switch}} }

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
