package mcpserver

import (
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// static is the session of stateless requests of one principal.
type static struct {
	session *toolkit.Session
	used    time.Time
	calls   int  // under way
	begun   int  // since the start
	issued  bool // its handle is the only way to it
}

const (
	// HandleHeader is the HTTP header with the handle of a session: of a response that made one, and
	// of the requests that work in it.
	HandleHeader = "Callsheet-Session"
	// metaSession is the member of _meta that does the same, and over lines names a session.
	metaSession = "callsheet/session"

	maxName   = 64
	idleLimit = time.Hour   // after which a session of stateless requests ends
	onceLimit = time.Minute // the same for a session with one request, where there are too many
)

// stateless is what is known of the caller of a stateless request.
type stateless struct {
	key       string // of the session; "" is one for this request alone
	id        string // of a new session; "" is a random one
	principal string
	issued    bool // a new handle, which the response has
	known     bool // the session must exist
}

// principalKeys begins the keys of sessions of principals that have a token.
const principalKeys = "principal/"

// Principals of callers that are not known by a token.
const (
	principalLines   = "stdio"   // the client of a connection of lines
	principalSession = "session" // who opened a session over HTTP
	principalHandle  = "handle"  // who was given a handle
)

// ofLines tells the caller of a stateless request over lines: the connection, which may name more
// sessions of its own. Clients that share the server's sessions name them for all of them.
func (s *Server) ofLines(c *client, meta map[string]any) (stateless, error) {
	name := ""
	if v, ok := meta[metaSession]; ok {
		if name, ok = v.(string); !ok || !validName(name) {
			return stateless{}, invalidParams(metaSession + " must be 1 to 64 of A-Z a-z 0-9 . _ -")
		}
	}
	switch {
	case !c.shared && name == "":
		return stateless{key: c.session.ID, id: c.session.ID, principal: s.opt.Principal}, nil
	case !c.shared:
		return stateless{key: c.session.ID + "/" + name, principal: s.opt.Principal}, nil
	case name == "":
		name = c.session.ID
	}
	return stateless{key: "/" + name, id: name, principal: s.opt.Principal}, nil
}

// staticOf finds or starts the session of a stateless caller, and holds it until done is called.
func (s *Server) staticOf(of stateless) (session *toolkit.Session, done func(), err error) {
	if of.key == "" {
		session := s.surface.NewStaticSession(newID())
		s.mu.Lock()
		defer s.mu.Unlock()
		s.started(session)
		return session, func() {}, nil
	}
	s.mu.Lock()
	st := s.named[of.key]
	if st == nil && of.known {
		s.mu.Unlock()
		return nil, nil, invalidParams("no session has this handle: it ended, or was never given out; leave " + HandleHeader + " out for a new one")
	}
	var idle []string
	if st == nil {
		if idle = s.evict(); len(s.named)+len(s.clients) >= s.maxSessions() {
			s.mu.Unlock()
			return nil, nil, s.tooMany()
		}
		if of.id == "" {
			of.id = newID()
		}
		st = &static{session: s.surface.NewStaticSession(of.id), issued: of.issued}
		s.named[of.key] = st
		s.started(st.session)
	}
	st.calls++
	st.begun++
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

// newID returns the ID of a session that no caller can guess.
func newID() string { return "s-" + rand.Text() }

func invalidParams(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// evict removes sessions that are idle for idleLimit and, where there are too many, those of which
// one request was made a while ago: most callers never use their handle. The caller holds mu.
func (s *Server) evict() (ids []string) {
	full := len(s.named)+len(s.clients) >= s.maxSessions()
	for key, st := range s.named {
		limit := idleLimit
		if full && st.issued && st.begun == 1 {
			limit = onceLimit
		}
		if st.calls == 0 && time.Since(st.used) > limit {
			delete(s.named, key)
			ids = append(ids, st.session.ID)
		}
	}
	return ids
}

// endStatics reports the end of every session of stateless requests, when the server closes.
func (s *Server) endStatics() {
	s.endNamed(func(key string, st *static) bool { return key != st.session.ID }) // clients report those themselves
}

// endNamed removes the sessions of stateless requests that match, and reports their end.
func (s *Server) endNamed(match func(key string, st *static) bool) {
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

// defaultSessions is the default of Options.MaxSessions.
const defaultSessions = 256

func (s *Server) maxSessions() int {
	if s.opt.MaxSessions > 0 {
		return s.opt.MaxSessions
	}
	return defaultSessions
}

// tooMany is the refusal of one more session.
func (s *Server) tooMany() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf(
		"%d sessions are open, and no more may be: close one, or have the operator allow more", s.maxSessions())}
}

// admit refuses the client of one session too many, and ends its connection.
func (s *Server) admit(ss *mcp.ServerSession) error {
	s.mu.Lock()
	idle := s.evict()
	_, known := s.clients[ss]
	full := len(s.named)+len(s.clients) >= s.maxSessions()
	s.mu.Unlock()
	for _, id := range idle {
		s.ended(id)
	}
	if known || !full {
		return nil
	}
	go func() { _ = ss.Close() }() // it waits for this very request
	return s.tooMany()
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
