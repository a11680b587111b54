package input

import (
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// Devices are the input devices of one tab.
type Devices struct {
	Mouse    *Mouse
	Keyboard *Keyboard
	Files    *Files
	Person   *Forwarder
}

// New makes the devices of a document.
func New(d *document.Document, w *settle.Waiter, g *secret.Guard, l *locate.Locator) Devices {
	events := &dispatcher{doc: d}
	mouse := &Mouse{dispatcher: events, settle: w}
	return Devices{
		Mouse: mouse, Keyboard: &Keyboard{dispatcher: events, settle: w, guard: g},
		Files: &Files{doc: d, settle: w, locate: l, mouse: mouse}, Person: &Forwarder{dispatcher: events},
	}
}

// Mouse moves, clicks, drags and scrolls.
type Mouse struct {
	*dispatcher
	settle *settle.Waiter
}

// Keyboard types text and presses keys.
type Keyboard struct {
	*dispatcher
	settle *settle.Waiter
	guard  *secret.Guard
	editor *document.World // of the focused editing host; nil for another field
	atOnce int             // keys in a row that the editor drew at once
	canvas bool            // nothing has the focus, and a canvas was pressed last
}

// Files attaches files to file inputs.
type Files struct {
	doc    *document.Document
	settle *settle.Waiter
	locate *locate.Locator
	mouse  *Mouse
	// RestoreChoosers shows file choosers again after an upload that intercepted one, for tabs in which
	// a person works too. The owner sets it before the first call.
	RestoreChoosers bool
}

// Forwarder sends the input of a person who works along.
type Forwarder struct{ *dispatcher }
