package tooltest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/storage/database"
)

// SessionRevision is the last revision of the protocol that has sessions. Clients without a
// revision speak the newest.
const SessionRevision = "2025-11-25"

// Server is a server of a test.
type Server struct {
	*app.App

	t      *testing.T
	output string
}

// NewServer starts a server on the shared browser. An empty StateDir or OutputDir is a directory of
// the test.
func NewServer(t *testing.T, cfg app.Config) *Server {
	t.Helper()
	cfg.Backend = Shared
	return newServer(t, cfg)
}

// NewOwnServer starts a server with a headless browser of its own.
func NewOwnServer(t *testing.T, cfg app.Config) *Server {
	t.Helper()
	cfg.Browser.Headless = true
	return newServer(t, cfg)
}

func newServer(t *testing.T, cfg app.Config) *Server {
	t.Helper()
	cfg.Layers = append(slices.Clip(cfg.Layers), toolkit.CheckChanges(func(err error) { t.Error(err) }), checkDurable(t), checkNestedOutputs(t))
	return startServer(t, cfg)
}

// checkDurable fails the test when a tool without the trait durable waits for the database.
func checkDurable(t *testing.T) toolkit.Middleware {
	return func(next toolkit.CallHandler) toolkit.CallHandler {
		return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
			tool := v.Surface().Tool(req.Tool)
			return next(database.ObserveChanges(ctx, func() {
				if tool != nil && !tool.Traits.Durable {
					t.Errorf("%s waits for the database, but its manifest entry does not state durable", req.Tool)
				}
			}), v, req)
		}
	}
}

func startServer(t *testing.T, cfg app.Config) *Server {
	t.Helper()
	cfg.StateDir, cfg.OutputDir = cmp.Or(cfg.StateDir, filepath.Join(t.TempDir(), "state")), cmp.Or(cfg.OutputDir, t.TempDir())
	cfg.Version = "test"
	a, err := app.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Errorf("close the server: %v", err)
		}
	})
	return &Server{App: a, t: t, output: cfg.OutputDir}
}

// Connect connects a client of a protocol revision ("" is the newest), which works in the session
// with this id. Listen may be nil.
func (s *Server) Connect(id, revision string, listen *mcp.ClientOptions) Client {
	s.t.Helper()
	return s.ConnectClient(mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, listen), id, revision)
}

// ConnectClient is Connect for a client of the SDK, which may have roots.
func (s *Server) ConnectClient(client *mcp.Client, id, revision string) Client {
	s.t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	server := s.Server(s.Surface)
	go func() { done <- server.ServeShared(context.Background(), id, fromClient, toClient) }()
	CheckOutputs(s.t, client)
	session, err := client.Connect(s.t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = session.Close()
		_ = toServer.Close()
		if err := <-done; err != nil && !errors.Is(err, io.ErrClosedPipe) { // a notification may be on its way to the client
			s.t.Errorf("the server ended with %v", err)
		}
		s.EndSession(id)
	})
	return Client{ClientSession: session, T: s.t, Output: s.outputOf(id)}
}

// Connect starts a server on the shared browser with these options, and connects a client to it.
func Connect(t *testing.T, opt toolkit.Options) Client {
	t.Helper()
	return ConnectAs(t, opt, "", nil)
}

// ConnectAs is Connect for a client of a protocol revision that may listen for notifications.
func ConnectAs(t *testing.T, opt toolkit.Options, revision string, listen *mcp.ClientOptions) Client {
	t.Helper()
	return NewServer(t, app.Config{Surface: opt}).Connect(t.Name(), revision, listen)
}

// ConnectSecond is Connect for another client of the same tabs. Its server does not check changes
// of facts, because it does not see the calls of the first.
func ConnectSecond(t *testing.T, opt toolkit.Options) Client {
	t.Helper()
	return startServer(t, app.Config{Surface: opt, Backend: Shared}).Connect(t.Name(), "", nil)
}

// ConnectIn is Connect with a state directory that other servers use before or after.
func ConnectIn(t *testing.T, dir string, opt toolkit.Options) Client {
	t.Helper()
	return NewServer(t, app.Config{StateDir: dir, Surface: opt}).Connect(t.Name(), "", nil)
}

// outputOf returns the output directory of a session, which exists then.
func (s *Server) outputOf(id string) string {
	s.t.Helper()
	dir := filepath.Join(s.output, url.PathEscape(id))
	if id == app.StdioSession {
		dir = s.output
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	return dir
}
