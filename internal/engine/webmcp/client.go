package webmcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	protocol "github.com/chromedp/cdproto/webmcp"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/children"
)

// Limits of one tab. A page can register any number of tools.
const (
	maxTools     = 256
	maxToolBytes = 256 << 10 // bytes of the texts of one tool
	maxEarly     = 64        // responses that came before the id of their call
	startTimeout = 30 * time.Second
)

// Client follows the tools of one tab. Its methods are safe for concurrent use.
type Client struct {
	tab   *browser.Tab
	ready chan struct{} // closed when the tools of the tab are known, or readyErr is set
	dirty chan struct{} // one slot: the tools have changed since the last report
	gone  chan struct{} // closed when the tab has ended

	readyErr error // written before ready closes

	mu      sync.Mutex
	frames  map[cdp.FrameID]frame
	tools   map[toolKey]Tool
	omitted int    // registrations beyond the limits, or of opaque origins, since the document came
	version uint64 // how often tools has changed
	calls   map[*call]bool
	early   map[string]*protocol.EventToolResponded // responses to calls whose id is not known yet
	ended   bool
}

// frame is a document of the tab. An opaque origin is "".
type frame struct {
	origin  string
	session cdp.Session
}

type toolKey struct {
	frame cdp.FrameID
	name  string
}

type clientKey struct{}

// Of returns the client of a tab, which begins to follow the tab at the first call. It calls changed, on
// a goroutine of its own, after the tools have changed: once for changes that follow each other quickly.
func Of(tab *browser.Tab, changed func()) *Client {
	return tab.Instruments.Get(clientKey{}, func() any {
		c := &Client{
			tab: tab, ready: make(chan struct{}), dirty: make(chan struct{}, 1), gone: make(chan struct{}),
			frames: make(map[cdp.FrameID]frame), tools: make(map[toolKey]Tool), calls: make(map[*call]bool),
			early: make(map[string]*protocol.EventToolResponded),
		}
		go c.start()
		go c.report(changed)
		return c
	}).(*Client)
}

// report calls changed after changes, until the tab has ended.
func (c *Client) report(changed func()) {
	for {
		select {
		case <-c.dirty:
			changed()
		case <-c.gone:
			changed()
			return
		}
	}
}

// start enables the domain in the tab's page and in its out-of-process frames.
func (c *Client) start() {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	c.readyErr = c.enable(ctx)
	close(c.ready)
	c.touch()
}

func (c *Client) enable(ctx context.Context) error {
	session, err := c.tab.Protocol(ctx)
	if err != nil {
		c.dropAll(true) // no event says that such a tab ends
		return err
	}
	c.tab.Listen(func(event any) { c.onEvent(session, event) })
	if err := c.enableIn(ctx, session); err != nil {
		return err
	}
	_, err = c.tab.Children.Handle(ctx, &children.Handler{
		Attach: func(ctx context.Context, child *children.Session) {
			if child.Kind != "iframe" {
				return
			}
			if _, err := cdp.Call(ctx, child, page.Enable, page.EnableParams{}); err == nil {
				_ = c.enableIn(ctx, child) // a frame that has gone offers nothing
			}
		},
		Event: func(child *children.Session, event any) { c.onEvent(child, event) },
	})
	return err
}

// enableIn reads the documents of a session and has the browser report their tools.
func (c *Client) enableIn(ctx context.Context, session cdp.Session) error {
	tree, err := cdp.Call(ctx, session, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return fmt.Errorf("read the frames of tab %s: %w", c.tab.ID(), err)
	}
	c.mu.Lock()
	c.addFrames(session, tree.FrameTree)
	c.mu.Unlock()
	if _, err := cdp.Call(ctx, session, protocol.Enable, cdp.Empty{}); err != nil {
		return unsupported()
	}
	return nil
}

// addFrames takes over the documents of a tree. The caller holds mu.
func (c *Client) addFrames(session cdp.Session, tree *page.FrameTree) {
	if _, known := c.frames[tree.Frame.ID]; !known { // an event has newer facts
		c.frames[tree.Frame.ID] = frame{origin: originOf(tree.Frame), session: session}
	}
	for _, child := range tree.ChildFrames {
		c.addFrames(session, child)
	}
}

// originOf returns the origin of a document, "" for an opaque one.
func originOf(f *cdp.Frame) string {
	if f.SecurityOrigin == "null" || f.SecurityOrigin == "://" {
		return ""
	}
	return f.SecurityOrigin
}

// Wait waits until the tools of the tab are known. The errors are those of browser.Tab.Protocol and
// UnsupportedError.
func (c *Client) Wait(ctx context.Context) error {
	select {
	case <-c.ready:
		return c.readyErr
	case <-ctx.Done():
		return fmt.Errorf("wait for the tools of tab %s: %w", c.tab.ID(), context.Cause(ctx))
	}
}

// Tools returns the tools that the documents of the tab offer now, those of the main frame first, then by
// origin and name. omitted is how many more there are, beyond the limits or of documents without an
// origin. version changes with the tools.
func (c *Client) Tools() (tools []Tool, omitted int, version uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.tools {
		tools = append(tools, t)
	}
	main := func(t Tool) int {
		if c.tab.Document.IsMainFrame(t.Frame) {
			return 0
		}
		return 1
	}
	slices.SortFunc(tools, func(a, b Tool) int {
		return cmp.Or(main(a)-main(b), cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Frame, b.Frame))
	})
	return tools, c.omitted, c.version
}

// touch notes that the tools have changed.
func (c *Client) touch() {
	select {
	case c.dirty <- struct{}{}:
	default:
	}
}
