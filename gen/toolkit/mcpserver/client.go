package mcpserver

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// client is one client of a protocol revision with sessions.
type client struct {
	session   *toolkit.Session
	announcer *announcer // of tools; nil when its lists never change
	prompts   *announcer // nil too where no prompt is declared
	resources *announcer // nil too where no resource is declared
	ctx       context.Context
	cancel    context.CancelFunc
	ended     chan struct{} // closed when its end has been reported
	err       error         // why the connection broke; valid after over
	shared    bool          // its session is not its own
	local     bool          // it talks over lines
	principal string        // who opened the session over HTTP; "" where no token is demanded
	roots     clientRoots
	streams   int // that notifications can be sent on at any time; guarded by Server.mu
}

// clientOf finds the client behind a session of the SDK, or makes a new one and waits for its end.
// The sessions that the SDK makes for single stateless requests have no ID and no client. A new client
// belongs to the principal of ctx.
func (s *Server) clientOf(ctx context.Context, ss *mcp.ServerSession) *client {
	if ss.ID() == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.clients[ss]; ok {
		return c
	}
	c := &client{ended: make(chan struct{}), principal: authenticated(ctx)}
	c.shared, c.local = s.lines[ss.ID()]
	c.ctx, c.cancel = context.WithCancel(s.closing)
	if s.opt.Static {
		c.session = s.surface.NewStaticSession(ss.ID())
	} else {
		c.session = s.surface.NewSession(ss.ID(), func() { c.eachAnnouncer((*announcer).notify) })
		s.registerListChanged(ss, c)
	}
	s.clients[ss] = c
	s.started(c.session)
	go func() {
		defer close(c.ended)
		c.err = ss.Wait()
		s.onSessionEnd(ss, c)
	}()
	return c
}

// registerListChanged makes the functions that send a client the list_changed notifications.
func (s *Server) registerListChanged(ss *mcp.ServerSession, c *client) {
	c.announcer = newAnnouncer(c.session.Shown, sender(s, ss, toolsChanged, new(mcp.ToolListChangedParams)))
	if s.declared.Prompts != nil {
		visible := func() toolkit.Shown { _, set := c.session.PromptList(); return toolkit.Shown{Tools: set} }
		c.prompts = newAnnouncer(visible, sender(s, ss, promptsChanged, new(mcp.PromptListChangedParams)))
	}
	if s.surface.Resources() {
		c.resources = newAnnouncer(func() toolkit.Shown { return toolkit.Shown{Tools: c.session.VisibleResources()} }, sender(s, ss, resourcesChanged, new(mcp.ResourceListChangedParams)))
	}
}

// sender returns how one session is sent a notification.
func sender[P mcp.Params](s *Server, ss *mcp.ServerSession, method string, params P) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := s.notify(ctx, method, &mcp.ServerRequest[P]{Session: ss, Params: params})
		return err
	}
}

// eachAnnouncer calls f with every announcer of the client.
func (c *client) eachAnnouncer(f func(*announcer)) {
	for _, a := range []*announcer{c.announcer, c.prompts, c.resources} {
		if a != nil {
			f(a)
		}
	}
}

// onSessionEnd removes a client whose connection has ended.
func (s *Server) onSessionEnd(ss *mcp.ServerSession, c *client) {
	c.cancel()
	c.eachAnnouncer((*announcer).stop)
	s.mu.Lock()
	delete(s.clients, ss)
	delete(s.named, c.session.ID)
	s.mu.Unlock()
	if !c.shared {
		s.endNamed(func(key string, _ *static) bool { return strings.HasPrefix(key, c.session.ID+"/") })
		s.ended(c.session.ID)
	}
}

// started reports a new session. The caller holds mu.
func (s *Server) started(session *toolkit.Session) {
	if s.opt.SessionStarted != nil {
		s.opt.SessionStarted(session)
	}
}

func (s *Server) ended(id string) {
	if s.opt.SessionEnded != nil {
		s.opt.SessionEnded(id)
	}
}

// allClients lists the clients with sessions.
func (s *Server) allClients() []*client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.clients))
}

// relist announces to every client that the definitions of its list have changed. Clients whose list
// is static learn it when they next fetch the list, or by their subscription.
func (s *Server) relist() {
	s.registerMirrored()
	s.listsUpdated()
	for _, c := range s.allClients() {
		c.eachAnnouncer((*announcer).relist)
	}
}

// byID finds a client by its session's ID, or returns nil.
func (s *Server) byID(id string) *client {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ss, c := range s.clients {
		if ss.ID() == id {
			return c
		}
	}
	return nil
}

// attach counts a client's notification streams and sends a due notification on a new one.
func (s *Server) attach(c *client, streams int) {
	s.mu.Lock()
	c.streams += streams
	s.mu.Unlock()
	if streams > 0 {
		c.eachAnnouncer((*announcer).notify)
	}
}

// hasNoStream reports whether notifications can reach a client only with the response to one of its
// requests.
func (s *Server) hasNoStream(c *client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.streams == 0
}
