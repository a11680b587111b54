package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// A request that is handled after its connection has ended does not end a session that others share.
func TestASharedSessionOutlivesItsConnections(t *testing.T) {
	surface, err := toolkit.NewSurface(&toolkit.Registry{
		Scopes: []string{"default"}, Capabilities: []toolkit.Capability{{Name: "core"}},
		Tools: []toolkit.Tool{{Name: "wave", Capability: "core", Scopes: []string{"default"}, Tier: 1, Definition: `{"name":"wave"}`}},
	}, toolkit.Options{Scope: "default"})
	if err != nil {
		t.Fatal(err)
	}
	s := New(surface, Options{Name: "t", Version: "1", SessionEnded: func(id string) { t.Errorf("session %q has ended", id) }})
	in, input := io.Pipe()
	output, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.ServeShared(t.Context(), "default", in, out) }()
	_, _ = fmt.Fprintln(input, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if _, err := bufio.NewReader(output).ReadBytes('\n'); err != nil {
		t.Fatal(err)
	}
	connection := s.onlySession(t)
	_ = input.Close()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	late := s.sessions.clientOf(context.WithoutCancel(t.Context()), connection)
	<-late.ended
}

func (s *Server) onlySession(t *testing.T) *mcp.ServerSession {
	t.Helper()
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	for ss := range s.sessions.clients {
		return ss
	}
	t.Fatal("the server has no client")
	return nil
}
