package page

import (
	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/fetch"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/node"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/engine/page/widget"
)

// Page is the current document of one tab with everything that a caller does in it. Methods of its
// parts must not run concurrently, except where they say so; the tab's lock ensures that.
type Page struct {
	Document *document.Document
	Secrets  *secret.Guard
	Settle   *settle.Waiter
	Fetch    *fetch.Client
	Nodes    *node.Nodes
	Read     *read.Reader
	Locate   *locate.Locator
	Mouse    *input.Mouse
	Keyboard *input.Keyboard
	Files    *input.Files
	Person   *input.Forwarder
	Widget   *widget.Setter

	// IsPopup reports that a page opened the tab, which begins with an empty document.
	IsPopup bool
	// PaintsWholeDocument reports that the browser paints also what is far from the viewport: see package capture.
	PaintsWholeDocument bool

	gaveUp cdp.LoaderID // the document of which ReadLoaded waited in vain
}

// New makes a page of the session. It sends nothing to the browser before the first call. The owner
// passes each of the session's events to [Page.HandleEvent] before it reads the next message.
// attach opens sessions with frames of other processes; without it those frames are not read.
func New(s cdp.Session, attach document.Attacher) *Page {
	d := document.New(s, attach)
	guard := secret.New(d)
	waiter := settle.New(d, guard)
	locator := locate.New(d, waiter)
	devices := input.New(d, waiter, guard, locator)
	return &Page{
		Document: d, Secrets: guard, Settle: waiter, Fetch: fetch.New(d, guard), Nodes: node.New(d), Read: read.New(d),
		Locate: locator, Mouse: devices.Mouse, Keyboard: devices.Keyboard, Files: devices.Files, Person: devices.Person,
		Widget: widget.New(d, waiter, guard, devices.Mouse, devices.Keyboard),
	}
}

// HandleEvent records an event of the session as cdproto decodes it. It does not block. The owner
// calls it in line with responses.
func (p *Page) HandleEvent(event any) { p.Document.Tracker.HandleEvent(event) }

// Close detaches the frames and waits until no goroutine reads their events. The session stays
// open.
func (p *Page) Close() { p.Document.Close() }

// Replace takes over the refs of the tab's previous page and marks them stale. Their numbers are
// not issued again.
func (p *Page) Replace(other *Page) {
	p.Document.Replace(other.Document)
	p.Read.Replace(other.Read)
}
