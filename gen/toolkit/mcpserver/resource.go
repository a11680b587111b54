package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Resources are the resources of sessions. A session can list and read only its own.
type Resources interface {
	// Template describes the resources that there can be; its URI is a template of RFC 6570.
	Template() toolkit.Link
	// List describes the resources of a session.
	List(session string) ([]toolkit.Link, error)
	// Read returns a resource of a session. fs.ErrNotExist says that there is none of that address;
	// the message of a toolkit.Refusal is for the client, and every other error only for the log.
	Read(session, uri string) (toolkit.Link, []byte, error)
}

// resource answers a request about resources, and reports false for every other request.
func (s *Server) resource(ctx context.Context, req mcp.Request) (res mcp.Result, handled bool, err error) {
	var meta map[string]any
	var cursor string
	var answer func(v requestScope) (body, error)
	switch req := req.(type) {
	case *mcp.ListResourcesRequest:
		if req.Params != nil {
			meta, cursor = req.Params.Meta, req.Params.Cursor
		}
		answer = s.listResources
	case *mcp.ListResourceTemplatesRequest:
		if req.Params != nil {
			meta, cursor = req.Params.Meta, req.Params.Cursor
		}
		answer = s.listTemplates
	case *mcp.ReadResourceRequest:
		if req.Params == nil {
			return nil, true, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "a read names its resource"}
		}
		meta = req.Params.Meta
		answer = func(v requestScope) (body, error) { return s.readResource(ctx, v, req) }
	default:
		return nil, false, nil
	}
	if cursor != "" {
		return nil, true, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such cursor: the list has one page"}
	}
	v, err := s.scopeOf(ctx, req.GetSession().(*mcp.ServerSession), meta)
	if err != nil {
		return nil, true, err
	}
	defer v.done()
	b, err := answer(v)
	if err != nil {
		return nil, true, err
	}
	return s.bodies.put(ctx, b), true, nil
}

func (s *Server) listResources(v requestScope) (body, error) {
	entries := v.session.ResourceEntries(false)
	if v.client != nil && v.client.resources != nil {
		v.client.resources.listed(toolkit.Shown{Tools: v.session.VisibleResources()})
	}
	if s.opt.Resources != nil {
		links, err := s.opt.Resources.List(v.session.ID)
		if err != nil {
			s.log.Error("list resources", "error", err)
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the resources cannot be listed"}
		}
		for _, l := range links {
			entries = append(entries, string(append(appendLink([]byte{'{'}, "uri", l), '}')))
		}
	}
	return v.envelope.volatile(segment{text: []byte(`"resources":[` + strings.Join(entries, ",") + `]`)}), nil
}

func (s *Server) listTemplates(v requestScope) (body, error) {
	entries := v.session.ResourceEntries(true)
	if s.opt.Resources != nil {
		entries = append(entries, string(append(appendLink([]byte{'{'}, "uriTemplate", s.opt.Resources.Template()), '}')))
	}
	return v.envelope.volatile(segment{text: []byte(`"resourceTemplates":[` + strings.Join(entries, ",") + `]`)}), nil
}

// readResource answers with a resource of the registry or, where that has none of the address, with
// one of the options.
func (s *Server) readResource(ctx context.Context, v requestScope, req *mcp.ReadResourceRequest) (body, error) {
	running, stop := s.bounded(ctx, v.client)
	defer stop()
	uri := req.Params.URI
	c, err := v.session.ReadResource(running, uri, s.request(running, ofRead(req), v, "resources/read", uri))
	switch {
	case err == nil && c.Ask != nil:
		return v.envelope.askBody(c.Ask)
	case err == nil:
		return v.envelope.readBody(c), nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, protocolError(err)
	case s.opt.Resources == nil:
		return nil, absent(uri)
	}
	link, data, err := s.opt.Resources.Read(v.session.ID, uri)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, absent(uri)
	case err != nil:
		return nil, s.unreadable(uri, err)
	}
	c = toolkit.Contents{URI: link.URI, MIME: link.MIME, Data: data}
	if textual(link.MIME) && utf8.Valid(data) {
		c.Text, c.Data = string(data), nil
	} else if data == nil {
		c.Data = []byte{}
	}
	return v.envelope.readBody(c), nil
}

// readBody renders the contents of a resource.
func (e envelope) readBody(c toolkit.Contents) body {
	b := bodyBuilder{text: []byte(`"contents":[`)}
	b.contents(c)
	return e.volatile(b.end([]byte(`]`))...)
}

// absent is the answer to a read of an address that no resource has.
func absent(uri string) error {
	data := append(appendString([]byte(`{"uri":`), uri), '}')
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "resource not found", Data: data}
}

// unreadable is the answer to a read that fails. Only a refusal is made for clients.
func (s *Server) unreadable(uri string, err error) error {
	var r *toolkit.Refusal
	if errors.As(err, &r) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: r.Message}
	}
	id := toolkit.ErrorID()
	s.log.Error("read a resource", "uri", uri, "error_id", id, "error", err)
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error, id " + id + "; the server's log has the details"}
}

// textual reports whether a MIME type is text that a model can read.
func textual(mime string) bool {
	kind, _, _ := strings.Cut(mime, ";")
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") ||
		kind == "application/json" || kind == "application/xml"
}

// appendLink appends the members of a link, its address under the name that the place asks for.
func appendLink(dst []byte, address string, l toolkit.Link) []byte {
	dst = appendString(append(dst, fmt.Sprintf("%q:", address)...), l.URI)
	dst = appendString(append(dst, `,"name":`...), l.Name)
	if l.Description != "" {
		dst = appendString(append(dst, `,"description":`...), l.Description)
	}
	if l.MIME != "" {
		dst = appendString(append(dst, `,"mimeType":`...), l.MIME)
	}
	if l.Size > 0 {
		dst = strconv.AppendInt(append(dst, `,"size":`...), l.Size, 10)
	}
	return dst
}

// volatile wraps the members of a result that stateless clients must ask for again: what tools make
// is there at once.
func (e envelope) volatile(members ...segment) body {
	out := append(body{{text: e.open}}, members...)
	if len(e.list) > 0 {
		out = append(out, segment{text: []byte(`,"ttlMs":0,"cacheScope":"` + cacheScope + `"`)})
	}
	return append(out, segment{text: e.close})
}
