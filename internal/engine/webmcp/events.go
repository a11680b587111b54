package webmcp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	protocol "github.com/chromedp/cdproto/webmcp"
)

// resyncTimeout bounds the report of the tools of a new document.
const resyncTimeout = 5 * time.Second

// onEvent takes over an event of the page or of an out-of-process frame. It runs where events are read
// and calls no browser.
func (c *Client) onEvent(session cdp.Session, event any) {
	switch ev := event.(type) {
	case *protocol.EventToolsAdded:
		c.add(ev.Tools)
	case *protocol.EventToolsRemoved:
		c.remove(ev.Tools)
	case *protocol.EventToolResponded:
		c.onResponse(ev)
	case *page.EventFrameNavigated:
		c.onNavigated(session, ev.Frame)
	case *page.EventFrameDetached:
		if ev.Reason != page.FrameDetachedReasonSwap { // of a swap, the other process reports the document
			c.dropFrame(ev.FrameID, outcome{gone: true})
		}
	case *page.EventJavascriptDialogOpening:
		c.endCalls(func(*call) bool { return true }, outcome{dialog: true})
	case *inspector.EventTargetCrashed:
		c.dropAll(false)
	case *inspector.EventDetached:
		c.dropAll(true)
	}
}

func (c *Client) add(tools []*protocol.Tool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range tools {
		key := toolKey{t.FrameID, t.Name}
		_, known := c.tools[key]
		size := len(t.Name) + len(t.Description) + len(t.InputSchema) + len(t.OutputSchema)
		f, ok := c.frames[t.FrameID]
		if !ok || f.origin == "" || size > maxToolBytes || !known && len(c.tools) >= maxTools {
			delete(c.tools, key)
			c.omitted++
			continue
		}
		c.version++
		registered := toolOf(t, f.origin)
		registered.Registration = c.version
		c.tools[key] = registered
		c.touch()
	}
}

// toolOf returns a tool of the protocol with the origin of its document.
func toolOf(t *protocol.Tool, origin string) Tool {
	out := Tool{
		Origin: origin, Frame: t.FrameID, Name: t.Name, Description: t.Description, Declarative: t.BackendNodeID != 0,
		InputSchema: json.RawMessage(t.InputSchema.Clone()), OutputSchema: json.RawMessage(t.OutputSchema.Clone()),
	}
	if a := t.Annotations; a != nil {
		out.Annotations = Annotations{
			ReadOnly: a.ReadOnly, UntrustedContent: a.UntrustedContent, Consequential: a.Consequential, Debugging: a.Debugging,
			Autosubmit: a.Autosubmit,
		}
	}
	return out
}

func (c *Client) remove(tools []*protocol.RemovedTool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range tools {
		key := toolKey{t.FrameID, t.Name}
		if _, known := c.tools[key]; known {
			delete(c.tools, key)
			c.version++
			c.touch()
		}
	}
}

// onNavigated forgets the tools of the document before, whose removal the browser does not report, and
// has the browser report those of the new one: a restored document registers none.
func (c *Client) onNavigated(session cdp.Session, f *cdp.Frame) {
	c.dropFrame(f.ID, outcome{document: f.URL + f.URLFragment})
	c.mu.Lock()
	c.frames[f.ID] = frame{origin: originOf(f), session: session}
	if f.ParentID == "" {
		c.omitted = 0
	}
	c.mu.Unlock()
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), resyncTimeout)
		defer cancel()
		_, _ = cdp.Call(ctx, session, protocol.Enable, cdp.Empty{}) // a document that has gone offers nothing
	}()
}

// dropFrame forgets a document, and ends the calls of its tools.
func (c *Client) dropFrame(id cdp.FrameID, why outcome) {
	c.mu.Lock()
	delete(c.frames, id)
	for key := range c.tools {
		if key.frame == id {
			delete(c.tools, key)
			c.version++
			c.touch()
		}
	}
	c.mu.Unlock()
	c.endCalls(func(o *call) bool { return o.frame == id }, why)
}

// dropAll forgets everything, because the page has crashed or the tab has ended for good.
func (c *Client) dropAll(ended bool) {
	c.mu.Lock()
	clear(c.frames)
	clear(c.tools)
	c.version++
	last := ended && !c.ended
	c.ended = c.ended || ended
	c.mu.Unlock()
	c.endCalls(func(*call) bool { return true }, outcome{gone: true})
	c.touch()
	if last {
		close(c.gone)
	}
}
