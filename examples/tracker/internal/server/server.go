// Package server is the composition root: it wires the database, the handlers and the registry, and serves
// them. It must not know how a tool works.
package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"

	"github.com/callsheet/callsheet/examples/tracker/generated/registry"
	"github.com/callsheet/callsheet/examples/tracker/internal/store"
	"github.com/callsheet/callsheet/examples/tracker/internal/workspace"
	"github.com/callsheet/callsheet/examples/tracker/tools/admin"
	"github.com/callsheet/callsheet/examples/tracker/tools/comments"
	"github.com/callsheet/callsheet/examples/tracker/tools/issues"
)

// Version is the server's version in the answer to initialize and on the health page.
const Version = "0.1.0"

// Local is the owner of what is done without a token: by a command, or by a client on standard input
// and output, whose Call.Principal it is.
const Local = "stdio"

// Server is the tracker on one database.
type Server struct {
	store   *store.Store
	surface *toolkit.Surface
	mcp     *mcpserver.Server
	log     *slog.Logger
}

// New makes a server of the tracker with the tools that the options choose. The layers stand around each
// call.
func New(ctx context.Context, database string, opt toolkit.Options, layers ...toolkit.Middleware) (*Server, error) {
	data, err := store.Open(ctx, database)
	if err != nil {
		return nil, err
	}
	workspaces := workspace.New(data)
	tools := registry.New(registry.Compose(
		admin.Tools{Workspaces: workspaces}, comments.Tools{Workspaces: workspaces}, issues.Tools{Workspaces: workspaces},
	))
	surface, err := toolkit.NewSurface(tools, opt, layers...)
	if err != nil {
		return nil, errors.Join(err, data.Close())
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	mcp := mcpserver.New(surface, mcpserver.Options{Name: "tracker", Version: Version, SessionEnded: workspaces.End, Logger: log})
	return &Server{store: data, surface: surface, mcp: mcp, log: log}, nil
}

// Surface returns the tools that are served.
func (s *Server) Surface() *toolkit.Surface { return s.surface }

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

// HTTPHandler serves clients over HTTP.
func (s *Server) HTTPHandler() http.Handler { return s.mcp.HTTPHandler(s.HTTPOptions()) }

// HTTPOptions say that clients over HTTP need a token, and are the person whose it is.
func (s *Server) HTTPOptions() mcpserver.HTTPOptions {
	return mcpserver.HTTPOptions{Authenticate: func(ctx context.Context, token string) (string, error) {
		if person := s.store.Person(ctx, token); person != "" {
			return "person:" + person, nil // no person can be called like the local one
		}
		return "", nil
	}}
}

// ServeHTTP serves at an address until ctx is done.
func (s *Server) ServeHTTP(ctx context.Context, address string) error {
	listener, err := httpserver.Listen(ctx, address, true)
	if err != nil {
		return err
	}
	handler, err := httpserver.Handler(s.HTTPHandler(), Version)
	if err != nil {
		return err
	}
	s.log.Info("serving", "url", "http://"+listener.Addr().String()+httpserver.Path)
	return httpserver.Serve(ctx, listener, handler, s.log, s.mcp.Close)
}
