package watchdog

import (
	"context"
	"io"
	"sync"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// pageTracker learns from the messages of a connection which pages were opened over it: those that a
// command created, and their popups.
type pageTracker struct {
	browser chromedp.Transport

	mu       sync.Mutex
	creating map[int64]bool // ids of commands that create a page
	opened   map[target.ID]bool
	closing  bool
	closed   chan struct{} // closed when no opened page is left
	next     int64
}

// firstID is the first id of the tracker's own commands, beyond those of any server. The browser takes
// ids of 32 bits.
const firstID = 1 << 30

func newPageTracker(browser chromedp.Transport) *pageTracker {
	return &pageTracker{browser: browser, creating: make(map[int64]bool), opened: make(map[target.ID]bool), closed: make(chan struct{}), next: firstID}
}

// copyToServer writes the messages of the browser until its connection ends.
func (p *pageTracker) copyToServer(server io.Writer) {
	for m := new(cdproto.Message); p.browser.Read(context.Background(), m) == nil; m = new(cdproto.Message) {
		if p.fromBrowser(m) {
			_ = writeMessage(server, m) // reading from the server reports its end
		}
	}
}

// copyToBrowser sends the messages of the server until its connection ends.
func (p *pageTracker) copyToBrowser(server chromedp.Transport) {
	for m := new(cdproto.Message); server.Read(context.Background(), m) == nil; m = new(cdproto.Message) {
		p.fromServer(m)
		if p.browser.Write(context.Background(), m) != nil {
			return
		}
	}
}

// fromServer sees a command before the browser does.
func (p *pageTracker) fromServer(m *cdproto.Message) {
	if m.SessionID == "" && m.Method == target.CommandCreateTarget {
		p.mu.Lock()
		p.creating[m.ID] = true
		p.mu.Unlock()
	}
}

// fromBrowser sees a message before the server does, and reports whether it is for the server.
func (p *pageTracker) fromBrowser(m *cdproto.Message) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case m.ID >= firstID:
		return false
	case m.ID != 0 && m.SessionID == "" && p.creating[m.ID]:
		delete(p.creating, m.ID)
		var res target.CreateTargetResult
		if m.Error == nil && decode(m.Result, &res) {
			p.opened[res.TargetID] = true
			p.closeLocked(res.TargetID)
		}
	case m.Method == cdproto.MethodType(target.TargetCreated.Method):
		var ev target.EventTargetCreated
		if decode(m.Params, &ev) && ev.TargetInfo.Type == "page" && p.opened[ev.TargetInfo.OpenerID] {
			p.opened[ev.TargetInfo.TargetID] = true
			p.closeLocked(ev.TargetInfo.TargetID)
		}
	case m.Method == cdproto.MethodType(target.TargetDestroyed.Method):
		var ev target.EventTargetDestroyed
		if decode(m.Params, &ev) {
			delete(p.opened, ev.TargetID)
			p.finishLocked()
		}
	case p.closing && m.Method == cdproto.MethodType(page.JavascriptDialogOpening.Method):
		p.sendLocked(m.SessionID, page.CommandHandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
	}
	return !p.closing
}

func decode(raw jsonv2.Value, into any) bool {
	return jsonv2.Unmarshal(raw, into, chromedp.DefaultUnmarshalOptions) == nil
}

// closeAll closes the pages that were opened, and returns a channel that is closed when all are.
func (p *pageTracker) closeAll() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closing = true
	for id := range p.opened {
		p.closeLocked(id)
	}
	p.finishLocked()
	return p.closed
}

// closeLocked closes a page once the server has ended.
func (p *pageTracker) closeLocked(id target.ID) {
	if p.closing {
		p.sendLocked("", target.CommandCloseTarget, target.CloseTargetParams{TargetID: id})
	}
}

func (p *pageTracker) finishLocked() {
	if p.closing && len(p.opened) == 0 && len(p.creating) == 0 {
		select {
		case <-p.closed:
		default:
			close(p.closed)
		}
	}
}

// sendLocked sends a command and drops its answer.
func (p *pageTracker) sendLocked(session target.SessionID, method string, params any) {
	raw, err := jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
	if err != nil {
		return
	}
	p.next++
	m := &cdproto.Message{ID: p.next, SessionID: session, Method: cdproto.MethodType(method), Params: raw}
	_ = p.browser.Write(context.Background(), m) // a lost connection ends the watchdog
}
