package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// metaClientInfo is the member of _meta in which a stateless client names itself.
const metaClientInfo = "io.modelcontextprotocol/clientInfo"

// callerKey is the context key of the caller of a stateless request over HTTP.
type callerKey struct{}

// identified is the caller of a request, or the error in its statement about itself.
type identified struct {
	stateless
	err error
}

// metaOf returns the members of _meta in a request.
func metaOf(m clientMessage) map[string]json.RawMessage {
	var head struct {
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	_ = json.Unmarshal(m.text, &head) // wrong types are the SDK's to refuse
	return head.Params.Meta
}

// identify determines the caller of a stateless request, and passes it on in the context.
func (e *endpoint) identify(w http.ResponseWriter, r *http.Request, m clientMessage, bare bool) *http.Request {
	var who identified
	who.stateless, who.err = e.statelessOf(w.Header(), r, m, bare)
	return r.WithContext(context.WithValue(r.Context(), callerKey{}, who))
}

// statelessOf tells a caller by its token, which may name several sessions of its own, else by the
// handle that it was given, else as Options.SessionOf does. Who is none of these gets a handle with
// the response to its call.
func (e *endpoint) statelessOf(response http.Header, r *http.Request, m clientMessage, bare bool) (stateless, error) {
	meta, opt := metaOf(m), &e.server.opt
	named := r.Header.Get(opt.StateHeader)
	if raw, ok := meta[opt.StateMeta]; ok && named == "" {
		if json.Unmarshal(raw, &named) != nil || named == "" {
			return stateless{}, invalidParams(opt.StateMeta + " must be a handle that this server gave out")
		}
	}
	if principal := authenticated(r.Context()); principal != "" {
		if named != "" && !validName(named) {
			return stateless{}, invalidParams(opt.StateMeta + " must be 1 to 64 of A-Z a-z 0-9 . _ -")
		}
		return stateless{key: principalKeys + principal + "/" + named, principal: principal}, nil
	}
	if named != "" {
		return stateless{key: "handle/" + named, principal: principalHandle, known: true}, nil
	}
	if opt.SessionOf != nil {
		caller := Caller{Bare: bare, UserAgent: r.UserAgent()}
		var info mcp.Implementation
		if json.Unmarshal(meta[metaClientInfo], &info) == nil {
			caller.Name, caller.Version = info.Name, info.Version
		}
		if name := opt.SessionOf(caller); name != "" {
			return stateless{key: "shared/" + name, principal: "shared:" + name}, nil
		}
	}
	if m.method != "tools/call" {
		return stateless{}, nil
	}
	handle := rand.Text()
	response.Set(opt.StateHeader, handle)
	return stateless{key: "handle/" + handle, principal: principalHandle, issued: handle}, nil
}

// callerOf tells the caller of a stateless request.
func (s *Server) callerOf(ctx context.Context, c *client, meta map[string]any) (stateless, error) {
	if c != nil {
		return s.ofLines(c, meta)
	}
	who, _ := ctx.Value(callerKey{}).(identified) // without one, the request has a session for itself
	return who.stateless, who.err
}

// principalOf names the principal of a client with a session.
func (s *Server) principalOf(c *client) string {
	switch {
	case c.local:
		return s.opt.Principal
	case c.principal != "":
		return c.principal
	}
	return principalSession
}

// principalKey is the context key of the principal that the guard has authenticated.
type principalKey struct{}

// authenticated returns the principal of the HTTP request behind a context; "" where no token is demanded.
// In a session it is the one that opened it.
func authenticated(ctx context.Context) string {
	principal, _ := ctx.Value(principalKey{}).(string)
	return principal
}

// mayUse reports whether the session that a request names, if any, was opened by the request's principal.
func (s *Server) mayUse(r *http.Request) bool {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		return true
	}
	c := s.sessions.byID(id)
	return c == nil || c.principal == authenticated(r.Context()) // of none, the SDK reports that there is none
}

// tokenPrincipal names the callers that have the one token, without telling it.
func tokenPrincipal(token string) string {
	sum := sha256.Sum256([]byte("principal " + token))
	return "token:" + hex.EncodeToString(sum[:8])
}
