package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/daemon"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/webmcp/offer"
	"github.com/callsheet/callsheet/internal/webmcp/pagelock"
)

// pageToolsRequest asks the daemon for the tools of the page in the current tab of a session, and
// pageToolsReply has them. A request is of the operator, whom the socket belongs to: no client can make one.
type (
	pageToolsRequest struct {
		PageTools string `json:"page_tools,omitempty"` // the session; "" is no such request
	}
	pageToolsReply struct {
		URL     string     `json:"url"`
		Lock    string     `json:"lock"` // the path of the lock
		Tools   []pageTool `json:"tools"`
		Omitted int        `json:"omitted"` // tools beyond what is followed of one page
	}
)

// fetchPageTools asks the daemon for the tools of the page in the current tab of a session.
func fetchPageTools(ctx context.Context, session string) (reply pageToolsReply, err error) {
	if !options.IsSession(session) {
		return reply, exit.Misuse(fmt.Errorf("--%s: a name is 1 to 64 of A-Z a-z 0-9 . _ -", options.FlagSession))
	}
	at, err := daemonDirectory()
	if err != nil {
		return reply, err
	}
	status, err := at.Status(ctx)
	if errors.Is(err, daemon.ErrNotRunning) || err == nil && status.PID == 0 {
		return reply, exit.Misuse(errors.New("no daemon runs, so no page is open; callsheet daemon start --webmcp starts one that follows the tools of pages"))
	}
	if err != nil {
		return reply, err
	}
	start, err := daemonProgram(nil)
	if err != nil {
		return reply, err
	}
	return reply, at.Control(ctx, buildID(start.Path), start, pageToolsRequest{PageTools: session}, &reply)
}

// readPageTools is the daemon's side of fetchPageTools. The tools are as the page offers them now, and the handles
// those that clients are given.
func (s *scopeServers) readPageTools(ctx context.Context, session string) (reply pageToolsReply, err error) {
	if s.app.PageLock == nil {
		return reply, errors.New("the daemon does not follow the tools of pages; stop it, and start it by callsheet daemon start --webmcp")
	}
	set := s.app.Connections.Set(session)
	_, tab, err := set.Tab(ctx, "")
	if err != nil {
		return reply, err
	}
	shown, omitted, err := set.PageOffers().Tools(ctx, tab)
	if err != nil {
		return reply, err
	}
	reply = pageToolsReply{URL: tab.URL(), Lock: s.app.PageLock.Path(), Tools: []pageTool{}, Omitted: omitted}
	present, _, _ := set.PageOffers().Client(tab).Tools()
	for _, t := range present {
		i := slices.IndexFunc(shown, func(o offer.Tool) bool { return o.Origin == t.Origin && o.Name == t.Name && o.Frame == t.Frame })
		if i < 0 { // another one equals it, or the page has changed meanwhile
			continue
		}
		reply.Tools = append(reply.Tools, pageTool{Origin: t.Origin, Name: t.Name, Handle: shown[i].Handle, Problem: shown[i].Problem, Tool: pagelock.Tool(t)})
	}
	return reply, nil
}
