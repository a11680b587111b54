package session

import (
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
)

// reality is what is the case with a connection, as its browser reports it.
type reality struct {
	connected bool
	multiple  bool // two connections of the client or more are connected, this one among them
	debugging bool // the debugger is attached to the current tab
	paused    bool
	waiting   bool // a dialog is open in a tab of the client, in this connection or another
}

// real reads facts back.
func real(f toolkit.Facts) reality {
	return reality{
		connected: f.Has(toolset.FactConnected), multiple: f.Has(toolset.FactMultipleConnections),
		debugging: f.Has(toolset.FactDebuggerEnabled), paused: f.Has(toolset.FactPaused), waiting: f.Has(toolset.FactDialogOpen),
	}
}

// settle brings the state of a connection to what is the case, by the steps that the manifest knows, and reports what was
// the case before. What happened is not asked: a browser that was seen running and is not has gone, however that came.
func settle(s *toolset.State, now reality) (before reality) {
	before = real(s.Facts())
	if before.connected && !now.connected {
		s.BrowserGone(false)
		return before
	}
	if !before.connected && now.connected {
		s.AfterChromeConnect(now.multiple, false, false, now.waiting)
	}
	was := real(s.Facts())
	switch {
	case now.multiple && !was.multiple:
		s.ConnectionJoined()
	case !now.multiple && was.multiple:
		s.ConnectionLeft()
	}
	switch {
	case now.debugging && !was.debugging:
		s.AfterDebuggerEnable()
	case !now.debugging && was.debugging:
		s.DebuggerDetached()
	}
	switch {
	case now.paused && !was.paused:
		s.DebuggerPaused()
	case !now.paused && was.paused:
		s.DebuggerResumed()
	}
	switch {
	case now.waiting && !was.waiting:
		s.DialogOpened()
	case !now.waiting && was.waiting:
		s.DialogClosed()
	}
	return before
}
