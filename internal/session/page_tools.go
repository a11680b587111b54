package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/webmcp"
	"github.com/callsheet/callsheet/internal/text/fence"
	"github.com/callsheet/callsheet/internal/webmcp/offer"
)

// PageTools switches the tools of pages on. The zero value leaves pages alone.
type PageTools struct {
	// Tool is the tool of the server that calls tools of pages; "" switches them off.
	Tool string
	// Taken reports whether a name in lists belongs to something else.
	Taken func(name string) bool
	// Lock has the allowed words of tools; nil shows the present words of pages.
	Lock PageLock
}

// PageLock stores the tools of pages that a person has allowed.
type PageLock interface {
	// Pin returns tools with the allowed words and schemas where the present ones are compatible.
	Pin(tools []webmcp.Tool) []webmcp.Tool
	// Version is another text after each change of the allowed tools.
	Version() string
}

// allowed returns the version of the lock.
func (p PageTools) allowed() string {
	if p.Lock == nil {
		return ""
	}
	return p.Lock.Version()
}

// pageOffer has the tools that the page of one tab offers, in one version.
type pageOffer struct {
	tab     *browser.Tab
	version uint64
	allowed string // the version of the lock
	tools   []offer.Tool
	omitted int
	entries []toolkit.ListEntry
}

// PageOffers tracks the tools that the pages of one client offer. Its methods are safe for concurrent use.
type PageOffers struct {
	cfg      PageTools
	onChange func() // a page has changed its tools

	mu     sync.Mutex
	latest pageOffer
	nonce  string // of the fence in entries of lists; "" until there are some
}

// Tools returns the tools that the page of a tab offers, and how many more it has than are followed. The
// errors are those of webmcp.Client.Wait, and that of its CheckSupport for a page without tools.
func (p *PageOffers) Tools(ctx context.Context, tab *browser.Tab) (tools []offer.Tool, omitted int, err error) {
	if err := p.Client(tab).Wait(ctx); err != nil {
		return nil, 0, err
	}
	o := p.describe(tab)
	if len(o.tools)+o.omitted == 0 {
		err = p.Client(tab).CheckSupport(ctx)
	}
	return o.tools, o.omitted, err
}

// Client returns the client of the tools of a tab's page.
func (p *PageOffers) Client(tab *browser.Tab) *webmcp.Client { return webmcp.Of(tab, p.onChange) }

// describe returns the present offer of a tab. It describes the latest tab once for each version of the
// tools and of the lock.
func (p *PageOffers) describe(tab *browser.Tab) pageOffer {
	tools, omitted, version := p.Client(tab).Tools()
	p.mu.Lock()
	last, nonce := p.latest, p.nonce
	p.mu.Unlock()
	now := pageOffer{tab: tab, version: version, allowed: p.cfg.allowed(), omitted: omitted}
	if last.tab == tab && last.version == version && last.allowed == now.allowed {
		return last
	}
	if nonce == "" {
		_, nonce = fence.WithNonce(context.Background())
	}
	if p.cfg.Lock != nil {
		tools = p.cfg.Lock.Pin(tools)
	}
	now.tools = offer.Of(tools, func(name string) bool { return p.cfg.Taken == nil || !p.cfg.Taken(name) })
	for _, e := range offer.Entries(now.tools, nonce) {
		now.entries = append(now.entries, toolkit.ListEntry{
			Name: e.Name, Definition: e.Definition, Tool: p.cfg.Tool, Bind: bindHandle(tab.ID(), e.Handle),
		})
	}
	p.mu.Lock()
	p.latest, p.nonce = now, nonce
	p.mu.Unlock()
	return now
}

// bindHandle returns how arguments of an entry become those of the tool that calls it. What is no object
// stays as it is, for the reader of that tool to refuse.
func bindHandle(tab, handle string) func([]byte) []byte {
	return func(args []byte) []byte {
		if args = bytes.TrimSpace(args); len(args) == 0 || string(args) == "null" {
			args = []byte("{}")
		}
		bound, err := json.Marshal(map[string]any{"action": "call", "tabId": tab, "handle": handle, "arguments": json.RawMessage(args)})
		if err != nil {
			return fmt.Appendf(nil, `{"action":"call","handle":%q,"arguments":null}`, handle)
		}
		return bound
	}
}

// current returns the offer of the current tab of a connection. It begins to follow every
// tab of the connection, so that a tab's tools are known when it becomes the current one.
func (p *PageOffers) current(c *Connection) (out pageOffer) {
	if p.cfg.Tool == "" || !c.Session().Connected() {
		return out
	}
	session := c.Session()
	for _, id := range session.TabIDs() {
		if t, err := session.Tab(context.Background(), id); err == nil {
			p.Client(t)
		}
	}
	if t, err := session.Tab(context.Background(), ""); err == nil {
		out = p.describe(t)
	}
	return out
}
