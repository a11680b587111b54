package session

import (
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
)

// observedState is what is the case with a connection, as its browser reports it.
type observedState struct {
	connected       bool
	multiple        bool // two connections of the client or more are connected, this one among them
	debuggerEnabled bool // the debugger is attached to the current tab
	paused          bool
	dialogOpen      bool // a dialog is open in a tab of the client, in this connection or another
}

// stateFromFacts reads facts back.
func stateFromFacts(f toolkit.Facts) observedState {
	return observedState{
		connected: f.Has(toolset.FactConnected), multiple: f.Has(toolset.FactMultipleConnections),
		debuggerEnabled: f.Has(toolset.FactDebuggerEnabled), paused: f.Has(toolset.FactPaused), dialogOpen: f.Has(toolset.FactDialogOpen),
	}
}

// facts returns the state as facts.
func (o observedState) facts() toolkit.Facts {
	return toolset.FactConnected.If(o.connected) | toolset.FactMultipleConnections.If(o.multiple) |
		toolset.FactDebuggerEnabled.If(o.debuggerEnabled) | toolset.FactPaused.If(o.paused) | toolset.FactDialogOpen.If(o.dialogOpen)
}
