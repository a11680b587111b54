package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// sessionTable holds the open sessions: those of clients, and those that stateless requests work in.
// It makes sessions, bounds their number and reports their begin and end. It sends nothing.
type sessionTable struct {
	surface *toolkit.Surface
	opt     *Options
	closing context.Context                   // ends the calls of every session
	opened  func(*mcp.ServerSession, *client) // called with each new client that can follow changes of its lists

	unusedLimit time.Duration // after which a client without a request makes place, where there are too many

	limit      *SessionLimit
	principals func() int // how many share the limit; nil is one

	mu      *sync.Mutex // of the limit
	clients map[*mcp.ServerSession]*client
	named   map[string]*static
	// lines are the IDs of sessions over lines, and whether several clients work in one. An ID stays when
	// its connection ends, because a request can be handled later than that.
	lines map[string]bool
}

func newSessionTable(s *Server) *sessionTable {
	limit := cmp.Or(s.opt.Limit, &SessionLimit{})
	t := &sessionTable{
		limit: limit, mu: &limit.mu, unusedLimit: defaultUnusedLimit, surface: s.surface, opt: &s.opt, closing: s.closing, opened: s.registerListChanged,
		clients: make(map[*mcp.ServerSession]*client), named: make(map[string]*static), lines: make(map[string]bool),
	}
	limit.add(t)
	return t
}

// clientOf finds the client behind a session of the SDK, or makes a new one and waits for its end.
// The sessions that the SDK makes for single stateless requests have no ID and no client. A new client
// belongs to the principal of ctx.
func (s *sessionTable) clientOf(ctx context.Context, ss *mcp.ServerSession) *client {
	if ss.ID() == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.clients[ss]; ok {
		return c
	}
	c := &client{ended: make(chan struct{}), principal: authenticated(ctx), opened: time.Now()}
	c.shared, c.local = s.lines[ss.ID()]
	c.ctx, c.cancel = context.WithCancel(s.closing)
	c.session = s.surface.NewSession(ss.ID(), func() { c.eachNotifier((*listNotifier).notify) })
	if s.surface.Options().Visibility != toolkit.Static {
		s.opened(ss, c)
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

// onSessionEnd removes a client whose connection has ended.
func (s *sessionTable) onSessionEnd(ss *mcp.ServerSession, c *client) {
	c.cancel()
	c.eachNotifier((*listNotifier).stop)
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
func (s *sessionTable) started(session *toolkit.Session) {
	if s.opt.SessionStarted != nil {
		s.opt.SessionStarted(session)
	}
}

func (s *sessionTable) ended(id string) {
	if s.opt.SessionEnded != nil {
		s.opt.SessionEnded(id)
	}
}

// allClients lists the clients with sessions.
func (s *sessionTable) allClients() []*client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.clients))
}

// byID finds a client by its session's ID, or returns nil.
func (s *sessionTable) byID(id string) *client {
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
func (s *sessionTable) attach(c *client, streams int) {
	s.mu.Lock()
	c.streams += streams
	s.mu.Unlock()
	if streams > 0 {
		c.eachNotifier((*listNotifier).notify)
	}
}

// hasNoStream reports whether notifications can reach a client only with the response to one of its
// requests.
func (s *sessionTable) hasNoStream(c *client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.streams == 0
}

// staticOf finds or starts the session of a stateless caller, and holds it until done is called.
func (s *sessionTable) staticOf(of stateless) (session *toolkit.Session, done func(), err error) {
	if of.key == "" {
		session := s.surface.NewStaticSession(newID())
		s.mu.Lock()
		defer s.mu.Unlock()
		s.started(session)
		return session, func() { s.ended(session.ID) }, nil
	}
	s.mu.Lock()
	st := s.named[of.key]
	if st == nil && of.known {
		s.mu.Unlock()
		return nil, nil, invalidParams("no session has this handle: it ended, or was never given out; leave " + s.opt.StateHeader + " out for a new one")
	}
	var ended []func()
	if st == nil {
		full := false
		if full, ended = s.evict(of.principal); full {
			s.mu.Unlock()
			return nil, nil, s.tooMany()
		}
		if of.id == "" {
			of.id = newID()
		}
		st = &static{session: s.surface.NewStaticSession(of.id), principal: of.principal, issued: of.issued != ""}
		s.named[of.key] = st
		s.started(st.session)
	}
	st.calls++
	st.begun++
	s.mu.Unlock()
	for _, f := range ended {
		f()
	}
	return st.session, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		st.calls--
		st.used = time.Now()
	}, nil
}

// endStatics reports the end of every session of stateless requests, when the server closes.
func (s *sessionTable) endStatics() {
	s.endNamed(func(key string, st *static) bool { return key != st.session.ID }) // clients report those themselves
}

// endNamed removes the sessions of stateless requests that match, and reports their end.
func (s *sessionTable) endNamed(match func(key string, st *static) bool) {
	var ids []string
	s.mu.Lock()
	for key, st := range s.named {
		if match(key, st) {
			delete(s.named, key)
			ids = append(ids, st.session.ID)
		}
	}
	s.mu.Unlock()
	for _, id := range slices.Sorted(slices.Values(ids)) {
		s.ended(id)
	}
}

// markUsed notes that the client of a session has sent a request after it was initialized.
func (s *sessionTable) markUsed(ss mcp.Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of, ok := ss.(*mcp.ServerSession); ok {
		if c := s.clients[of]; c != nil {
			c.used = true
		}
	}
}

// SessionLimit bounds the sessions of all servers that have it in their Options together. The zero value is a limit of
// no server.
type SessionLimit struct {
	mu     sync.Mutex // of the tables
	tables []*sessionTable
}

func (l *SessionLimit) add(t *sessionTable) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tables = append(l.tables, t)
}

// shareAmong has the limit shared by as many principals as the function returns.
func (s *sessionTable) shareAmong(principals func() int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.principals = principals
}

// defaultSessions is the default of Options.MaxSessions. Clients list tools within a second of their first request.
const (
	defaultSessions    = 256
	defaultUnusedLimit = 10 * time.Second
)

func (s *sessionTable) maxSessions() int {
	if s.opt.MaxSessions > 0 {
		return s.opt.MaxSessions
	}
	return defaultSessions
}

// isFull reports whether a principal may open no session more. Of several principals, each leaves as many places free
// as it has sessions, so that none takes the places of the others; own says that this is the reason. The caller holds mu.
func (s *sessionTable) isFull(principal string) (full, own bool) {
	mine, all := 0, 0
	for _, t := range s.limit.tables {
		all += len(t.named) + len(t.clients)
		for _, c := range t.clients {
			if c.principal == principal {
				mine++
			}
		}
		for _, st := range t.named {
			if st.principal == principal {
				mine++
			}
		}
	}
	free := s.maxSessions() - all
	own = s.principals != nil && s.principals() > 1 && mine > 0 && mine >= free
	return free <= 0 || own, own
}

// evict removes sessions that are idle for idleLimit and, where there are too many, those of which one request was made a
// while ago: most callers never use their handle. It reports whether the principal may still open no session, and
// returns what reports the ends. The caller holds mu.
func (s *sessionTable) evict(principal string) (full bool, ended []func()) {
	full, _ = s.isFull(principal)
	for _, t := range s.limit.tables {
		for key, st := range t.named {
			limit := idleLimit
			if full && st.issued && st.begun == 1 {
				limit = onceLimit
			}
			if st.calls == 0 && time.Since(st.used) > limit {
				delete(t.named, key)
				ended = append(ended, func() { t.ended(st.session.ID) })
			}
		}
	}
	full, _ = s.isFull(principal)
	return full, ended
}

// tooMany is the refusal of one more session.
func (s *sessionTable) tooMany() *jsonrpc.Error {
	message := fmt.Sprintf("%d sessions are open, and no more may be", s.maxSessions())
	if s.principals != nil && s.principals() > 1 {
		message = fmt.Sprintf("of the %d sessions that may be open, the rest is for others", s.maxSessions())
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: message + ": close one, or have the operator allow more"}
}

// overloaded is the refusal of one more session of a principal where there are too many, or nil. The session of a client
// that has sent nothing since it was initialized, the oldest first, makes place.
func (s *sessionTable) overloaded(principal string) error {
	s.mu.Lock()
	full, ended := s.evict(principal)
	var unused *mcp.ServerSession
	if full {
		unused = s.removeUnused(principal)
	}
	s.mu.Unlock()
	for _, f := range ended {
		f()
	}
	switch {
	case !full:
		return nil
	case unused == nil:
		return s.tooMany()
	}
	_ = unused.Close()
	return nil
}

// removeUnused removes the client that was initialized first of those that have sent no request since and follow no
// stream, and returns its session, or nil. One that has its share of the places has only a client of its own removed.
// The caller holds mu.
func (s *sessionTable) removeUnused(principal string) (oldest *mcp.ServerSession) {
	_, own := s.isFull(principal)
	var from *sessionTable
	for _, t := range s.limit.tables {
		for ss, c := range t.clients {
			if c.used || c.local || c.streams > 0 || time.Since(c.opened) < t.unusedLimit || own && c.principal != principal {
				continue
			}
			if oldest == nil || c.opened.Before(from.clients[oldest].opened) {
				from, oldest = t, ss
			}
		}
	}
	if from != nil {
		delete(from.clients, oldest)
	}
	return oldest
}

// admit refuses the client of one session too many, and ends its connection.
func (s *sessionTable) admit(ctx context.Context, ss *mcp.ServerSession) error {
	s.mu.Lock()
	_, known := s.clients[ss]
	s.mu.Unlock()
	if known {
		return nil
	}
	if err := s.overloaded(authenticated(ctx)); err != nil {
		go func() { _ = ss.Close() }() // it waits for this very request
		return err
	}
	return nil
}
