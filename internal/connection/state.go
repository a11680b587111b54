package connection

import (
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
)

// reality is what is the case with a connection, as its browser reports it.
type reality struct {
	connected bool
	multiple  bool // two connections of the client or more are connected, this one among them
	debugging bool // the debugger is attached to the current tab
	paused    bool
}

// watch holds what was last seen of a connection.
type watch struct {
	mu   sync.Mutex
	seen reality
}

// observe takes over what is seen now and returns what was seen before.
func (w *watch) observe(now reality) (before reality) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before, w.seen = w.seen, now
	return before
}

func (w *watch) last() reality {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen
}

// Facts returns the facts of the connection.
func (w *watch) Facts() toolkit.Facts {
	r := w.last()
	var f toolkit.Facts
	for fact, holds := range map[toolkit.Facts]bool{
		toolset.FactConnected: r.connected, toolset.FactMultipleConnections: r.multiple,
		toolset.FactDebuggerEnabled: r.debugging, toolset.FactPaused: r.paused,
	} {
		if holds {
			f |= fact
		}
	}
	return f
}
