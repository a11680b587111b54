package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// requestScope is one request's view of the server: whose session it works in and how its answer is
// written.
type requestScope struct {
	session  *toolkit.Session
	client   *client // nil for stateless requests
	envelope envelope
	done     func()
	life     context.Context // nil where the session is of this request alone

	principal string
}

// scopeOf decides the session by the request itself: a revision without sessions names its own, and
// so does everything that comes without one (a bare HTTP POST).
func (s *Server) scopeOf(ctx context.Context, ss *mcp.ServerSession, meta map[string]any) (requestScope, error) {
	version, _ := meta[mcp.MetaKeyProtocolVersion].(string)
	modern := version >= modernVersion
	c := s.sessions.clientOf(ctx, ss)
	if c != nil && !modern {
		return requestScope{session: c.session, client: c, envelope: s.session, done: func() {}, principal: s.principalOf(c), life: c.ctx}, nil
	}
	of, err := s.callerOf(ctx, c, meta)
	if err != nil {
		return requestScope{}, err
	}
	session, done, err := s.sessions.staticOf(of)
	if err != nil {
		return requestScope{}, err
	}
	if info, ok := meta[metaClientInfo].(map[string]any); ok {
		if name, ok := info["name"].(string); ok {
			session.Client.Set(name)
		}
	}
	v := requestScope{session: session, envelope: s.session, done: done, principal: of.principal}
	if of.key != "" {
		v.life = s.closing
	}
	if modern {
		v.envelope = s.stateless
	}
	if of.issued != "" && s.opt.SessionOf == nil && len(s.surface.Registry().Facts) > 0 {
		v.envelope = v.envelope.with(s.opt.StateMeta, appendString(nil, of.issued))
	}
	return v, nil
}

// list answers tools/list with the session's compiled list. There is one page.
func (s *Server) list(ctx context.Context, req *mcp.ListToolsRequest) (mcp.Result, error) {
	var meta map[string]any
	if req.Params != nil {
		meta = req.Params.Meta
		if req.Params.Cursor != "" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such cursor: the list has one page"}
		}
	}
	v, err := s.scopeOf(ctx, req.Session, meta)
	if err != nil {
		return nil, err
	}
	defer v.done()
	tools, shown := v.session.Listing()
	if v.client != nil && v.client.tools != nil {
		v.client.tools.listed(shown)
	}
	return s.bodies.put(ctx, v.envelope.listBody("tools", tools)), nil
}

// call answers tools/call. Dispatch decides everything about the tool; this is only how its answer
// travels.
func (s *Server) call(ctx context.Context, req *mcp.CallToolRequest) (mcp.Result, error) {
	if req.Params == nil || req.Params.Name == "" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "a call names its tool"}
	}
	in := ofCall(req)
	v, err := s.scopeOf(ctx, req.Session, in.meta)
	if err != nil {
		return nil, err
	}
	defer v.done()
	running, stop := s.bounded(ctx, v.client)
	defer stop()
	request := s.request(running, in, v, "tools/call", req.Params.Name, canonical(req.Params.Arguments))
	request.Tool, request.Args, request.Life = req.Params.Name, req.Params.Arguments, v.life
	res, err := v.session.Dispatch(running, request)
	var unknown *toolkit.UnknownToolError
	var protocol *toolkit.ProtocolError
	switch {
	case errors.As(err, &unknown):
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: unknown.Error()}
	case errors.As(err, &protocol):
		return nil, protocolError(err)
	case err != nil:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the call was cancelled"}
	}
	if c := v.client; c != nil && s.sessions.hasNoStream(c) {
		c.eachNotifier(func(a *listNotifier) { a.flush(ctx) }) // ctx carries it on the answer of this very request
	}
	if res.Ask != nil {
		return s.ask(ctx, v, res.Ask)
	}
	return s.bodies.put(ctx, v.envelope.callBody(res, s.surface.ListsOutput(request.Tool))), nil
}

// ask sends a result that is a question.
func (s *Server) ask(ctx context.Context, v requestScope, a *toolkit.Ask) (mcp.Result, error) {
	question, err := v.envelope.askBody(a)
	if err != nil {
		return nil, err
	}
	return s.bodies.put(ctx, question), nil
}

// httpContextKey is the context key of the HTTP request a stateless call came with, where the SDK
// does not end a call when its client goes away.
type httpContextKey struct{}

// bounded ends a call with its client, with the HTTP request that carries it and with the server.
func (s *Server) bounded(ctx context.Context, c *client) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	end := s.closing
	if c != nil {
		end = c.ctx
	}
	stops := []func() bool{context.AfterFunc(end, cancel)}
	if carrier, ok := ctx.Value(httpContextKey{}).(context.Context); ok {
		stops = append(stops, context.AfterFunc(carrier, cancel))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// progressTo returns how a call reports progress, or nil when its client did not ask. After the
// call has ended nothing is sent: the protocol forbids it for cancelled calls.
func progressTo(ctx context.Context, in inbound) func(done, total float64, message string) {
	token := in.token
	switch token.(type) {
	case string, float64:
	default:
		return nil
	}
	return func(done, total float64, message string) {
		if ctx.Err() != nil {
			return
		}
		_ = in.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // a client that has gone misses nothing
			ProgressToken: token, Progress: done, Total: total, Message: message,
		})
	}
}
