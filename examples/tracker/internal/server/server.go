// Package server is the composition root: it wires the database, the handlers and the registry, and serves
// them. It must not know how a tool works.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"

	"github.com/callsheet/callsheet/examples/tracker/generated/registry"
	"github.com/callsheet/callsheet/examples/tracker/generated/toolset"
	"github.com/callsheet/callsheet/examples/tracker/internal/store"
	"github.com/callsheet/callsheet/examples/tracker/internal/workspace"
	"github.com/callsheet/callsheet/examples/tracker/tools/admin"
	"github.com/callsheet/callsheet/examples/tracker/tools/comments"
	"github.com/callsheet/callsheet/examples/tracker/tools/issues"
)

const version = "0.1.0"

// local is the owner of what is done without a token: by a command, or by a client on standard input
// and output. It is what Call.Principal says of the latter.
const local = "stdio"

// Server is the tracker on one database.
type Server struct {
	store   *store.Store
	surface *toolkit.Surface
	mcp     *mcpserver.Server
	log     *slog.Logger
}

// New makes a server of the tracker. The layers stand around each call.
func New(ctx context.Context, database string, layers ...toolkit.Middleware) (*Server, error) {
	data, err := store.Open(ctx, database)
	if err != nil {
		return nil, err
	}
	workspaces := workspace.New(data)
	tools := registry.New(registry.Compose(
		admin.Tools{Workspaces: workspaces}, comments.Tools{Workspaces: workspaces}, issues.Tools{Workspaces: workspaces},
	))
	surface, err := toolkit.NewSurface(tools, toolkit.Options{}, layers...)
	if err != nil {
		return nil, errors.Join(err, data.Close())
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	mcp := mcpserver.New(surface, mcpserver.Options{Name: "tracker", Version: version, SessionEnded: workspaces.End, Logger: log})
	return &Server{store: data, surface: surface, mcp: mcp, log: log}, nil
}

// Close closes the database. It is called when nothing is served any more.
func (s *Server) Close() error { return s.store.Close() }

// CreateToken makes a bearer token of a person.
func (s *Server) CreateToken(ctx context.Context, person string) (string, error) {
	return s.store.CreateToken(ctx, person)
}

// ServeStdio serves one client, who is the person that started the program.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.mcp.ServeStdio(ctx, in, out)
}

// HTTPOptions say that clients over HTTP need a token, and are the person whose it is.
func (s *Server) HTTPOptions() mcpserver.HTTPOptions {
	return mcpserver.HTTPOptions{Authenticate: func(ctx context.Context, token string) string {
		if person := s.store.Person(ctx, token); person != "" {
			return "person:" + person // no person can be called like the local one
		}
		return ""
	}}
}

// ServeHTTP serves at an address until ctx is done.
func (s *Server) ServeHTTP(ctx context.Context, address string) error {
	listener, err := httpserver.Listen(ctx, address, true)
	if err != nil {
		return err
	}
	handler, err := httpserver.Handler(s.mcp.HTTPHandler(s.HTTPOptions()), version)
	if err != nil {
		return err
	}
	s.log.Info("serving", "url", "http://"+listener.Addr().String()+httpserver.Path)
	return httpserver.Serve(ctx, listener, handler, s.log, s.mcp.Close)
}

// Run runs the tool of a command in a session of its own, which works in the project unless that is "".
func (s *Server) Run(ctx context.Context, out io.Writer, project string, call command.Call) error {
	session := s.surface.NewSession("command", nil)
	if project != "" {
		if _, err := s.call(ctx, session, toolset.ToolProjectSelect, fmt.Appendf(nil, `{"name":%q}`, project)); err != nil {
			return err
		}
	}
	result, err := s.call(ctx, session, call.Verb.Tool, call.Args)
	if err != nil {
		return err
	}
	if call.JSON && result.Structured != nil {
		_, err = fmt.Fprintf(out, "%s\n", result.Structured)
		return err
	}
	for _, content := range result.Content {
		if _, err := fmt.Fprintln(out, content.Text); err != nil {
			return err
		}
	}
	return nil
}

// call calls a tool for the local person. The refusal of a call is an error.
func (s *Server) call(ctx context.Context, session *toolkit.Session, tool string, args []byte) (toolkit.CallResult, error) {
	result, err := session.Dispatch(ctx, toolkit.Request{Tool: tool, Args: args, Principal: local, Logger: s.log})
	if err == nil && result.Refused {
		err = errors.New(result.Content[0].Text)
	}
	return result, err
}
