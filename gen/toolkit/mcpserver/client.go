package mcpserver

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// client is one client of a protocol revision with sessions.
type client struct {
	session   *toolkit.Session
	announcer *announcer // nil when its list never changes
	ctx       context.Context
	cancel    context.CancelFunc
	ended     chan struct{} // closed when its end has been reported
	err       error         // why the connection broke; valid after over
	shared    bool          // its session is not its own; guarded by Server.mu
	local     bool          // it talks over lines; guarded by Server.mu
	roots     clientRoots
	streams   int // that notifications can be sent on at any time; guarded by Server.mu
}

// clientOf finds the client behind a session of the SDK, or makes a new one and waits for its end.
// The sessions that the SDK makes for single stateless requests have no ID and no client.
func (s *Server) clientOf(ss *mcp.ServerSession) *client {
	if ss.ID() == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.clients[ss]; ok {
		return c
	}
	c := &client{ended: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancel(s.closing)
	if s.opt.Static {
		c.session = s.surface.NewStaticSession(ss.ID())
	} else {
		c.session = s.surface.NewSession(ss.ID(), func() { c.announcer.notify() })
		c.announcer = newAnnouncer(c.session.Visible, func(ctx context.Context) error {
			_, err := s.notify(ctx, "notifications/tools/list_changed",
				&mcp.ServerRequest[*mcp.ToolListChangedParams]{Session: ss, Params: new(mcp.ToolListChangedParams)})
			return err
		})
	}
	s.clients[ss] = c
	go func() {
		defer close(c.ended)
		c.err = ss.Wait()
		s.onSessionEnd(ss, c)
	}()
	return c
}

// onSessionEnd removes a client whose connection has ended.
func (s *Server) onSessionEnd(ss *mcp.ServerSession, c *client) {
	c.cancel()
	if c.announcer != nil {
		c.announcer.stop()
	}
	s.mu.Lock()
	delete(s.clients, ss)
	shared := c.shared
	s.mu.Unlock()
	if !shared {
		s.ended(c.session.ID)
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
// is static learn it when they next fetch the list.
func (s *Server) relist() {
	for _, c := range s.allClients() {
		if c.announcer != nil {
			c.announcer.relist()
		}
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
	if streams > 0 && c.announcer != nil {
		c.announcer.notify()
	}
}

// hasNoStream reports whether notifications can reach a client only with the response to one of its
// requests.
func (s *Server) hasNoStream(c *client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.streams == 0
}

// static is a session that stateless clients name in their requests.
type static struct {
	session *toolkit.Session
	used    time.Time
	calls   int
}

// Sessions of stateless clients: the name of the one they share unless they say another, the member
// of _meta that says it, and how many there may be before those idle for idleLimit make room.
const (
	defaultSession = "default"
	metaSession    = "callsheet/session"
	maxStatics     = 256
	maxName        = 64
	idleLimit      = time.Hour
)

// staticOf finds or starts the session that a stateless request names, or else the one of its
// connection, and holds it until done is called.
func (s *Server) staticOf(c *client, meta map[string]any) (session *toolkit.Session, done func(), err error) {
	name := defaultSession
	s.mu.Lock()
	if c != nil && c.shared {
		name = c.session.ID
	}
	s.mu.Unlock()
	if v, ok := meta[metaSession]; ok {
		if name, ok = v.(string); !ok || !validName(name) {
			return nil, nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
				Message: metaSession + " must be 1 to 64 of A-Z a-z 0-9 . _ -"}
		}
	}
	s.mu.Lock()
	st := s.named[name]
	var idle []string
	if st == nil {
		if idle = s.evict(); len(s.named) >= maxStatics {
			s.mu.Unlock()
			return nil, nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
				Message: "too many sessions are in use; name one of the earlier ones in " + metaSession}
		}
		st = &static{session: s.surface.NewStaticSession(name)}
		s.named[name] = st
	}
	st.calls++
	s.mu.Unlock()
	for _, id := range idle {
		s.ended(id)
	}
	return st.session, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		st.calls--
		st.used = time.Now()
	}, nil
}

// evict removes named sessions that are idle for idleLimit, once there are too many. The caller
// holds mu.
func (s *Server) evict() (names []string) {
	if len(s.named) < maxStatics {
		return nil
	}
	for name, st := range s.named {
		if st.calls == 0 && time.Since(st.used) > idleLimit {
			delete(s.named, name)
			names = append(names, name)
		}
	}
	return names
}

// endStatics reports the end of every named session, when the server closes.
func (s *Server) endStatics() {
	s.mu.Lock()
	names := slices.Sorted(maps.Keys(s.named))
	clear(s.named)
	s.mu.Unlock()
	for _, name := range names {
		s.ended(name)
	}
}

func validName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return len(name) >= 1 && len(name) <= maxName
}
