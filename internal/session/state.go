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

// applyState brings the state of a connection to what is the case, by the steps that the manifest knows, and reports what was
// the case before. What happened is not asked: a browser that was seen running and is not has gone, however that came.
func applyState(s *toolset.State, now observedState) (before observedState) {
	before = stateFromFacts(s.Facts())
	if before.connected && !now.connected {
		s.BrowserGone(false)
		return before
	}
	if !before.connected && now.connected {
		s.AfterChromeConnect(now.multiple, false, false, now.dialogOpen)
	}
	was := stateFromFacts(s.Facts())
	switch {
	case now.multiple && !was.multiple:
		s.ConnectionJoined()
	case !now.multiple && was.multiple:
		s.ConnectionLeft()
	}
	switch {
	case now.debuggerEnabled && !was.debuggerEnabled:
		s.AfterDebuggerEnable()
	case !now.debuggerEnabled && was.debuggerEnabled:
		s.DebuggerDetached()
	}
	switch {
	case now.paused && !was.paused:
		s.DebuggerPaused()
	case !now.paused && was.paused:
		s.DebuggerResumed()
	}
	switch {
	case now.dialogOpen && !was.dialogOpen:
		s.DialogOpened()
	case !now.dialogOpen && was.dialogOpen:
		s.DialogClosed()
	}
	return before
}
