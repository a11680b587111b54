package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// client is one client of a protocol revision with sessions.
type client struct {
	session   *toolkit.Session
	tools     *listNotifier // of tools; nil when its lists never change
	prompts   *listNotifier // nil too where no prompt is declared
	resources *listNotifier // nil too where no resource is declared
	ctx       context.Context
	cancel    context.CancelFunc
	ended     chan struct{} // closed when its end has been reported
	err       error         // why the connection broke; valid after over
	shared    bool          // its session is not its own
	local     bool          // it talks over lines
	principal string        // who opened the session over HTTP; "" where no token is demanded
	roots     clientRoots
	opened    time.Time
	used      bool // it sent a request after it was initialized; guarded by sessionTable.mu
	streams   int  // that notifications can be sent on at any time; guarded by sessionTable.mu
}

// registerListChanged makes the functions that send a client the list_changed notifications.
func (s *Server) registerListChanged(ss *mcp.ServerSession, c *client) {
	sendTools := sender(s, ss, toolsChanged, new(mcp.ToolListChangedParams))
	c.tools = newListNotifier(c.session.Shown, func(ctx context.Context) error {
		c.session.Announced()
		return sendTools(ctx)
	})
	if s.declared.Prompts != nil {
		visible := func() toolkit.Shown { _, set := c.session.PromptList(); return toolkit.Shown{Tools: set} }
		c.prompts = newListNotifier(visible, sender(s, ss, promptsChanged, new(mcp.PromptListChangedParams)))
	}
	if s.surface.Resources() {
		c.resources = newListNotifier(func() toolkit.Shown { return toolkit.Shown{Tools: c.session.VisibleResources()} }, sender(s, ss, resourcesChanged, new(mcp.ResourceListChangedParams)))
	}
}

// sender returns how one session is sent a notification.
func sender[P mcp.Params](s *Server, ss *mcp.ServerSession, method string, params P) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := s.notify(ctx, method, &mcp.ServerRequest[P]{Session: ss, Params: params})
		return err
	}
}

// eachNotifier calls f with every notifier of the client.
func (c *client) eachNotifier(f func(*listNotifier)) {
	for _, a := range []*listNotifier{c.tools, c.prompts, c.resources} {
		if a != nil {
			f(a)
		}
	}
}

// relist announces to every client that the definitions of its list have changed. Clients whose list
// is static learn it when they next fetch the list, or by their subscription.
func (s *Server) relist() {
	s.registerMirrored()
	s.listsUpdated()
	for _, c := range s.sessions.allClients() {
		c.eachNotifier((*listNotifier).relist)
	}
}

// registerMirrored tells the SDK which tools have parameters that clients repeat in HTTP headers
// (x-mcp-header in their schema), so that it holds the headers against the arguments. It knows no other
// tools, because it answers nothing about them.
func (s *Server) registerMirrored() {
	for _, t := range s.surface.AllowedTools() {
		if !strings.Contains(t.Definition, `"x-mcp-header"`) {
			continue
		}
		var definition struct {
			Schema json.RawMessage `json:"inputSchema"`
		}
		var root struct{ Type string }
		err := json.Unmarshal([]byte(t.Definition), &definition)
		if err == nil {
			err = json.Unmarshal(definition.Schema, &root)
		}
		if err != nil || root.Type != "object" { // the SDK panics
			s.log.Error("headers of a tool are not checked: its schema is none of an object", "tool", t.Name, "error", err)
			continue
		}
		s.sdk.AddTool(&mcp.Tool{Name: t.Name, InputSchema: definition.Schema}, nil)
	}
}
