package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Options describe a server. Name and Version are required.
type Options struct {
	Name, Title, Version string
	Instructions         string // for the model, sent once to each client; "" sends none

	// Updates says that the program calls Surface.Update while clients are served: stateless clients can
	// subscribe to changes of the lists, beside those with sessions.
	Updates bool

	// SessionStarted is called once for each session, with its first request: it can set facts that hold
	// from the beginning. The server is locked meanwhile, so it must not block nor call the server.
	SessionStarted func(*toolkit.Session)

	// SessionEnded is called once for each session after its last call, with the session's ID: what
	// it owned can go. It runs on the server's goroutine for that session and may block; Close and
	// ServeStdio wait for it.
	SessionEnded func(id string)

	// Resources adds resources to those of the registry; nil adds none.
	Resources Resources

	// SessionOf names the session of a stateless caller over HTTP that has neither a token nor a
	// handle. Callers of one name share a session, with its state and facts: that is the choice of
	// the registry's author. Nil, or "", gives each such call a session of its own, which it finds
	// again by the handle in the response's StateHeader.
	SessionOf func(Caller) string

	// StateHeader is the HTTP header with the handle of a session of stateless requests, and StateMeta the member of
	// _meta: of the result that began the session, where the manifest has facts and SessionOf is nil, and of the
	// requests that work in it. Over lines the member names a session. "" is StateName.
	StateHeader, StateMeta string

	// Principal is on whose behalf clients over lines call; "" is "stdio". Call.Principal gives it to handlers.
	Principal string

	// MaxSessions is how many sessions may be open at once; 0 means 256. The client of one more is
	// refused.
	MaxSessions int
	// Limit counts the sessions of other servers with them; nil counts those of this one alone.
	Limit *SessionLimit

	// StateKey is a secret from which the key of request states is made. Servers that stand for each
	// other, and a server that goes on with questions asked before a restart, have the same one. Nil is
	// a random one.
	StateKey []byte

	Logger *slog.Logger // where defects go; nil discards them
}

// keepState reports whether an option says which stateless calls are of one session.
func (o Options) keepState() bool { return o.SessionOf != nil || o.StateHeader+o.StateMeta != "" }

// Caller is the identity that a stateless caller claims. Nothing of it is proved.
type Caller struct {
	Bare      bool   // the request is of no revision of the protocol, as scripts send it
	Name      string // of the client
	Version   string // of the client
	UserAgent string
}

// How long stateless clients may keep a list, and who may share it. The list depends only on the
// command line, but another server may answer at the same address tomorrow.
const (
	cacheMillis = 60_000
	cacheScope  = "private"
)

// modernVersion is the first stateless revision of the protocol; revisions compare as text.
const modernVersion = "2026-07-28"

// Server serves one surface to any number of clients at once.
type Server struct {
	surface *toolkit.Surface
	opt     Options
	log     *slog.Logger
	sdk     *mcp.Server
	notify  mcp.MethodHandler // sends one notification to one session; the SDK itself only knows all of them
	bodies  *bodyStore
	states  *stateSealer

	keepsState bool // an option says which stateless calls are of one session

	declared           *mcp.ServerCapabilities
	session, stateless envelope

	closing context.Context // ends every call
	close   context.CancelFunc

	sessions *sessionTable
}

// New makes a server of the surface. Nothing is registered or rendered per tool, so it takes
// microseconds.
func New(surface *toolkit.Surface, opt Options) *Server {
	s := &Server{
		surface: surface, opt: opt, log: opt.Logger, bodies: newBodyStore(), states: newStateSealer(opt.StateKey), keepsState: opt.keepState(),
	}
	s.opt.Principal, s.opt.StateHeader, s.opt.StateMeta = cmp.Or(opt.Principal, principalLines), cmp.Or(opt.StateHeader, StateName), cmp.Or(opt.StateMeta, StateName)
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.closing, s.close = context.WithCancel(context.Background())
	s.sessions = newSessionTable(s)
	self := &mcp.Implementation{Name: opt.Name, Title: opt.Title, Version: opt.Version}
	identity, err := json.Marshal(self)
	if err != nil { // three strings always marshal
		identity = []byte(`{}`)
	}
	s.session, s.stateless = envelopes(identity)
	s.declared = s.capabilities()
	options := &mcp.ServerOptions{
		Instructions: opt.Instructions,
		Logger:       s.sdkLogger(),
		Capabilities: s.declared,
		InitializedHandler: func(ctx context.Context, req *mcp.InitializedRequest) {
			if c := s.sessions.clientOf(ctx, req.Session); c != nil {
				c.eachNotifier((*listNotifier).start)
			}
		},
		RootsListChangedHandler: func(ctx context.Context, req *mcp.RootsListChangedRequest) {
			if c := s.sessions.clientOf(ctx, req.Session); c != nil {
				c.roots.forget()
			}
		},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = cacheMillis, cacheScope
		},
	}
	if surface.Subscribable() {
		options.SubscribeHandler = s.acceptSubscription
		options.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	}
	s.sdk = mcp.NewServer(self, options)
	s.registerMirrored()
	surface.OnUpdate(s.relist)
	surface.OnResourceUpdate(s.resourceUpdated)
	s.sdk.AddReceivingMiddleware(s.receive)
	s.sdk.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		s.notify = next
		return ownLists(next)
	})
	return s
}

// capabilities returns the capabilities that the server declares: only those of kinds of entries that the surface has.
func (s *Server) capabilities() *mcp.ServerCapabilities {
	follows := s.surface.Options().Visibility != toolkit.Static
	c := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: follows}}
	if s.opt.Resources != nil {
		c.Resources = new(mcp.ResourceCapabilities)
	}
	if s.surface.Resources() {
		c.Resources = &mcp.ResourceCapabilities{ListChanged: follows, Subscribe: s.surface.Subscribable()}
	}
	if s.surface.Prompts() {
		c.Prompts = &mcp.PromptCapabilities{ListChanged: follows}
	}
	if s.surface.Completes() {
		c.Completions = new(mcp.CompletionCapabilities)
	}
	if s.surface.Registry().Logs {
		c.Logging = new(mcp.LoggingCapabilities)
	}
	return c
}

// Close ends every session and call and waits until all ends are reported or ctx is done.
func (s *Server) Close(ctx context.Context) error {
	s.close()
	for ss := range s.sdk.Sessions() {
		go func() { _ = ss.Close() }() // it waits for calls, which may take their time to notice
	}
	s.sessions.endStatics()
	for _, c := range s.sessions.allClients() {
		select {
		case <-c.ended:
		case <-ctx.Done():
			return fmt.Errorf("wait for sessions to end: %w", ctx.Err())
		}
	}
	return nil
}

// sdkLogger lets the SDK write only when someone debugs: it reports every request, and clients'
// mistakes as errors.
func (s *Server) sdkLogger() *slog.Logger {
	if s.log.Enabled(context.Background(), slog.LevelDebug) {
		return s.log
	}
	return slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))
}

// receive routes the messages of a client. A method that is not declared does not exist: the SDK would
// answer for features this server has not got.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("request panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
			}
		}()
		if method != "initialize" && method != "notifications/initialized" {
			s.sessions.markUsed(req.GetSession())
		}
		switch req := req.(type) {
		case *mcp.ListToolsRequest:
			return s.list(ctx, req)
		case *mcp.CallToolRequest:
			return s.call(ctx, req)
		case *mcp.SubscriptionsListenRequest:
			if err := s.narrow(ctx, req); err != nil {
				return nil, err
			}
		}
		if res, handled, err := s.prompt(ctx, req); handled {
			return res, err
		}
		if s.declared.Resources != nil {
			if res, handled, err := s.resource(ctx, req); handled {
				return res, err
			}
		}
		switch method {
		case "initialize":
			ss := req.GetSession().(*mcp.ServerSession)
			if err := s.sessions.admit(ctx, ss); err != nil {
				return nil, err
			}
			c := s.sessions.clientOf(ctx, ss)
			if in, ok := req.GetParams().(*mcp.InitializeParams); ok && c != nil && in.ClientInfo != nil {
				c.session.Client.Set(in.ClientInfo.Name)
			}
		case "server/discover":
			return s.discover(next(ctx, method, req))
		default:
			if !s.serves(method) {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
			}
		}
		return next(ctx, method, req)
	}
}

// serves reports whether the SDK may answer a method: the server declares what it is part of.
func (s *Server) serves(method string) bool {
	switch method {
	case "resources/subscribe", "resources/unsubscribe":
		return s.surface.Subscribable()
	case "logging/setLevel":
		return s.declared.Logging != nil
	case "notifications/initialized", "notifications/cancelled", "notifications/progress",
		"notifications/roots/list_changed", "ping", "subscriptions/listen":
		return true
	}
	return false
}

// discover takes back, for stateless clients, the promise to announce list changes, where only facts
// change the lists.
func (s *Server) discover(res mcp.Result, err error) (mcp.Result, error) {
	d, ok := res.(*mcp.DiscoverResult)
	if !ok || d.Capabilities == nil || s.opt.Updates {
		return res, err
	}
	c := d.Capabilities
	if c.Tools != nil {
		c.Tools.ListChanged = false
	}
	if c.Prompts != nil {
		c.Prompts.ListChanged = false
	}
	if c.Resources != nil {
		c.Resources.ListChanged = false
	}
	return res, err
}
