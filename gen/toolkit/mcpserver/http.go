package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ErrExpired is the error of HTTPOptions.Authenticate about a token whose time is over. The answer to the client says so.
var ErrExpired = errors.New("the bearer token has expired")

// HTTPOptions say who may use the server over HTTP. The zero value serves loopback names without
// authentication.
type HTTPOptions struct {
	// AuthToken is demanded as a bearer token when it is not empty. With it, Host may be any IP
	// address, as an address cannot be rebound to another machine. Callers with it are one principal.
	AuthToken string
	// Authenticate returns the principal that a bearer token belongs to, for servers of several; "" is a
	// token of none, and ErrExpired the error of one that was good before. When it is set, a token is
	// demanded and AuthToken is not taken. Call.Principal gives handlers the name, and a session serves only
	// the principal that opened it.
	Authenticate func(ctx context.Context, token string) (principal string, err error)

	// Principals returns how many principals Authenticate knows. Of several, none opens so many sessions that no place is
	// left for another. Nil is one.
	Principals func() int
	// AllowedHosts are accepted in Host and Origin beside loopback names, without ports.
	AllowedHosts []string
	// SessionTimeout ends a session that has had no request for so long; 0 means one hour.
	SessionTimeout time.Duration
	// MaxBody bounds a request's body in bytes; 0 means 4 MiB.
	MaxBody int64
}

const (
	defaultTimeout = time.Hour
	defaultMaxBody = 4 << 20
)

// The headers that tell the protocol eras apart.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

// endpoint is the protocol's one URL. Three handlers of the SDK stand behind it, on the same
// server, because each of them serves one kind of client only.
type endpoint struct {
	server   *Server
	maxBody  int64
	sessions http.Handler // revisions with sessions, as event streams
	modern   http.Handler // stateless revisions, as event streams
	bare     http.Handler // requests of no revision at all, as plain JSON
	ids      idMapping
	calls    callIDs // of sessions; stateless requests have nothing in common
}

// HTTPHandler serves the protocol at every path it is mounted on.
func (s *Server) HTTPHandler(opt HTTPOptions) http.Handler {
	if opt.SessionTimeout == 0 {
		opt.SessionTimeout = defaultTimeout
	}
	if opt.MaxBody == 0 {
		opt.MaxBody = defaultMaxBody
	}
	if len(s.surface.Registry().Facts) > 0 && !s.keepsState && opt.Authenticate == nil {
		s.log.Warn("facts hold between stateless calls only for clients that send back the handle of a result", "handle", s.opt.StateMeta)
	}
	s.sessions.shareAmong(opt.Principals)
	get := func(*http.Request) *mcp.Server { return s.sdk }
	with := func(o mcp.StreamableHTTPOptions) http.Handler {
		o.DisableLocalhostProtection = true // the guard is stricter, and knows AllowedHosts
		o.MaxRequestBodyBytes = opt.MaxBody
		o.Logger = s.sdkLogger()
		return mcp.NewStreamableHTTPHandler(get, &o)
	}
	return newGuard(opt, s.log, &endpoint{
		server: s, maxBody: opt.MaxBody, ids: newIDMapping(),
		sessions: with(mcp.StreamableHTTPOptions{SessionTimeout: opt.SessionTimeout}),
		modern:   with(mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}),
		bare:     with(mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}),
	})
}

// ServeHTTP finds the handler for the kind of client. A request that names a session or a revision
// has chosen; one that does neither either opens a session or is bare.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Accel-Buffering", "no") // reverse proxies hold event streams back otherwise
	errs := &errorWriter{ResponseWriter: w}
	out := &bodyWriter{ResponseWriter: errs, bodies: e.server.bodies, ids: e.ids}
	if !e.server.mayUse(r) {
		refuse(w, http.StatusNotFound, jsonrpc.CodeInvalidRequest, "session not found")
		return
	}
	switch r.Method {
	case http.MethodGet:
		e.listen(out, r)
	case http.MethodPost:
		if m, ok := e.readPost(w, r); ok {
			errs.id, errs.isCall = m.id, m.id != nil && m.method != ""
			e.handlePost(out, r, m)
		}
	case http.MethodDelete:
		if c := e.server.sessions.byID(r.Header.Get(sessionHeader)); c != nil {
			c.cancel() // the SDK waits for the session's calls
		}
		e.sessions.ServeHTTP(errs, r)
	default:
		e.sessions.ServeHTTP(errs, r)
	}
}

func (e *endpoint) handlePost(w *bodyWriter, r *http.Request, m clientMessage) {
	switch {
	case r.Header.Get(versionHeader) >= modernVersion:
		e.modern.ServeHTTP(w, e.identify(w, r, m, false))
	case r.Header.Get(sessionHeader) != "" || r.Header.Get(versionHeader) != "":
		if m.method != "" && m.id != nil {
			key, ok := e.calls.add(r.Header.Get(sessionHeader), m.id)
			if !ok {
				refuseRequest(w.ResponseWriter, http.StatusBadRequest, m.id, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: idInUse})
				return
			}
			defer e.calls.remove(key)
		}
		e.sessions.ServeHTTP(w, r)
	default:
		e.handleBarePost(w, r, m)
	}
}

// handleBarePost serves a POST without a protocol header.
func (e *endpoint) handleBarePost(w http.ResponseWriter, r *http.Request, m clientMessage) {
	streams := strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/event-stream")
	if _, named := metaOf(m)[mcp.MetaKeyProtocolVersion]; named {
		e.modern.ServeHTTP(w, r) // it says which header is missing
		return
	}
	if streams && m.method == "initialize" {
		e.openSession(w, r, m)
		return
	}
	r = e.identify(w, r, m, true)
	r = r.WithContext(context.WithValue(r.Context(), httpContextKey{}, r.Context()))
	r.Header = r.Header.Clone()
	r.Header.Set("Accept", "application/json, text/event-stream") // the SDK insists
	e.bare.ServeHTTP(w, r)
}

// openSession serves an initialize request. One session too many is refused here, before the SDK gives out the ID of a
// session that would end at once.
func (e *endpoint) openSession(w http.ResponseWriter, r *http.Request, m clientMessage) {
	if failure := (*jsonrpc.Error)(nil); errors.As(e.server.sessions.overloaded(authenticated(r.Context())), &failure) {
		w.Header().Set("Retry-After", "10")
		refuseRequest(w, http.StatusServiceUnavailable, m.id, failure)
		return
	}
	e.sessions.ServeHTTP(w, r)
}

// listen serves a session's notification stream and starts the notifiers while there is one.
func (e *endpoint) listen(w http.ResponseWriter, r *http.Request) {
	c := e.server.sessions.byID(r.Header.Get(sessionHeader))
	if c == nil {
		e.sessions.ServeHTTP(w, r)
		return
	}
	opened := &flushNotifier{ResponseWriter: w}
	opened.onFirstFlush = func() { e.server.sessions.attach(c, 1) }
	e.sessions.ServeHTTP(opened, r)
	if opened.flushed {
		e.server.sessions.attach(c, -1)
	}
}

// flushNotifier reports the first flush of a response, by which a stream is known to have started.
// The SDK uses it from one goroutine at a time.
type flushNotifier struct {
	http.ResponseWriter
	onFirstFlush func()
	once         sync.Once
	flushed      bool
}

// Unwrap is for http.ResponseController.
func (o *flushNotifier) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// FlushError flushes.
func (o *flushNotifier) FlushError() error {
	o.once.Do(func() {
		o.flushed = true
		o.onFirstFlush()
	})
	return http.NewResponseController(o.ResponseWriter).Flush()
}

// bodyWriter puts bodies in place of placeholders in the messages of the SDK, one message per
// Write.
type bodyWriter struct {
	http.ResponseWriter
	bodies *bodyStore
	ids    idMapping
}

// Unwrap is for http.ResponseController.
func (s *bodyWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Write writes p with the body of its result and the id that the client has chosen.
func (s *bodyWriter) Write(message []byte) (int, error) {
	p := bytes.Replace(s.ids.unwrap(message), uncoded, invalid, 1)
	const result = `"result":`
	mark := append([]byte(result), s.bodies.prefix...)
	at := bytes.Index(p, mark)
	if at < 0 {
		return s.writeAll(p, message)
	}
	at += len(result)
	b, size, ok := s.bodies.take(p[at:])
	if !ok {
		return s.writeAll(p, message)
	}
	out := bufio.NewWriterSize(s.ResponseWriter, writeSize)
	_, _ = out.Write(p[:at])
	b.writeTo(out)
	_, _ = out.Write(p[at+size:])
	if err := out.Flush(); err != nil {
		return 0, err
	}
	return len(message), nil
}

// writeAll writes p, which stands for message.
func (s *bodyWriter) writeAll(p, message []byte) (int, error) {
	if _, err := s.ResponseWriter.Write(p); err != nil {
		return 0, err
	}
	return len(message), nil
}
