package session

import (
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
)

// observedState is the state of a connection as its browser reports it.
type observedState struct {
	connected       bool
	multiple        bool // this and another connection of the client are connected
	debuggerEnabled bool // the debugger is attached to the current tab
	paused          bool
	pageTools       bool // the page of the current tab offers tools
	dialogOpen      bool // a dialog is open in a tab of any connection of the client
}

// stateFromFacts converts facts.
func stateFromFacts(f toolkit.Facts) observedState {
	return observedState{
		connected: f.Has(toolset.FactConnected), multiple: f.Has(toolset.FactMultipleConnections),
		debuggerEnabled: f.Has(toolset.FactDebuggerEnabled), paused: f.Has(toolset.FactPaused),
		pageTools: f.Has(toolset.FactPageTools), dialogOpen: f.Has(toolset.FactDialogOpen),
	}
}

// facts returns the state as facts.
func (o observedState) facts() toolkit.Facts {
	return toolset.FactConnected.If(o.connected) | toolset.FactMultipleConnections.If(o.multiple) |
		toolset.FactDebuggerEnabled.If(o.debuggerEnabled) | toolset.FactPaused.If(o.paused) |
		toolset.FactPageTools.If(o.pageTools) | toolset.FactDialogOpen.If(o.dialogOpen)
}

// UpdateSiteFacts changes the facts that pages show and connections do not know, such as those of a site, and
// reports them to the followers together with those of the active connection. Their bits are none of the
// connections'. change gets the facts that the set has, and must not call it.
func (s *Set) UpdateSiteFacts(change func(toolkit.Facts) toolkit.Facts) {
	s.mu.Lock()
	s.siteFacts = change(s.siteFacts)
	s.mu.Unlock()
	s.Refresh()
}
