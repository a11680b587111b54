package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/policy/enforce"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/text/fence"
	"github.com/callsheet/callsheet/internal/webmcp/lock"
	"github.com/callsheet/callsheet/internal/webmcp/offer"
	"github.com/callsheet/callsheet/internal/webmcp/pagelock"
)

// capabilityWebMCP is the capability of tools that pages offer.
const capabilityWebMCP = "webmcp"

// powerPageTool is the power of calls of tools that pages offer.
const powerPageTool = "webmcp"

// pageToolWait bounds the wait for the tools of a page before a decision about one.
const pageToolWait = 5 * time.Second

// pageTools returns how sessions follow the tools of pages, and the lock of what a person has allowed: not at
// all, unless the operator asks for them.
func (c Config) pageTools(dir statedir.Dir) (none session.PageTools, _ *pagelock.Lock) {
	if !slices.Contains(c.Surface.OptIn, capabilityWebMCP) {
		return none, nil
	}
	pages := pagelock.New(lock.NewFile(cmp.Or(c.WebMCPLock, dir.Path(lock.FileName))), "a first call, allowed by the policy or a person who was asked")
	table := vocabulary()
	for i := range table.Tools {
		if t := &table.Tools[i]; slices.Contains(t.AllPowers(), powerPageTool) {
			return session.PageTools{Tool: t.Name, Taken: func(name string) bool { return table.Free(name) != nil }, Lock: pages}, pages
		}
	}
	return none, nil
}

// documentOf returns the document that a call is about: of the tab that it names, or else of the
// current one. Of a call of a page's tool it is the document that offers the tool.
func documentOf(sessions session.Lookup, call *toolkit.Call, args []byte) (none enforce.Document) {
	var in struct {
		Tab        any    `json:"tabId"`
		Connection string `json:"connection_id"`
		Handle     string `json:"handle"`
	}
	_ = json.Unmarshal(args, &in) // the reader of the tool reports what is wrong
	id := ""
	if in.Tab != nil {
		id = fmt.Sprint(in.Tab)
	}
	ctx := context.Background() // a look-up that waits for nothing
	if id == "" && in.Connection != "" {
		if s, err := sessions.At(call, toolkit.Opt[string]{Value: in.Connection, Set: true}); err == nil {
			if t, err := s.Tab(ctx, ""); err == nil {
				return enforce.Document{Tab: t.ID(), URL: t.URL()}
			}
		}
		return none
	}
	t, err := sessions.Tab(ctx, call, toolkit.Opt[string]{Value: id, Set: id != ""})
	switch uses := slices.Contains(call.Tool.PowersOf(args), powerPageTool); {
	case err != nil && uses:
		return enforce.Document{Err: result.Refusal(call, err)}
	case err != nil:
		return none
	case uses:
		return pageToolDocument(sessions.Set(call), call, t, in.Handle)
	}
	return enforce.Document{Tab: t.ID(), URL: t.URL()}
}

// pageToolDocument describes the tool of a page that a call is about. A handle of no tool has no document; the
// call itself says so.
func pageToolDocument(set *session.Set, call *toolkit.Call, tab *browser.Tab, handle string) enforce.Document {
	ctx, cancel := context.WithTimeout(context.Background(), pageToolWait)
	defer cancel()
	all, _, err := set.PageOffers().Tools(ctx, tab)
	if err != nil {
		return enforce.Document{Err: result.Refusal(call, err)}
	}
	t, ok := offer.Find(all, handle)
	if !ok {
		return enforce.Document{Err: offer.GoneRefusal(all)}
	}
	name := t.Entry
	if name == "" {
		name = t.Handle
	}
	return enforce.Document{Tab: tab.ID(), URL: t.Origin, Tool: name,
		About: "It is a tool of the page, which says of it:\n" + fence.Quote(t.Description())}
}
