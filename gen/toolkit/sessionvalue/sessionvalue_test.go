package sessionvalue_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/gen/toolkit/sessionvalue"
)

// counter is the value of a session.
type counter struct {
	mu     sync.Mutex
	n      int
	closed chan<- int
}

func (c *counter) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

func (c *counter) Close() error {
	c.closed <- c.n
	return errors.New("closed with an error")
}

// serve serves the tool count, which counts the calls of its session, and the resource count, which does too.
func serve(t *testing.T, closed chan<- int) (*mcpserver.Server, string) {
	t.Helper()
	first := true
	counters := &sessionvalue.Store[*counter]{Make: func(context.Context, *toolkit.Session) (*counter, error) {
		if first {
			first = false
			return nil, toolkit.Refuse(toolkit.Failed, "not yet")
		}
		return &counter{closed: closed}, nil
	}}
	reg := &toolkit.Registry{Scopes: []string{"default"}, Capabilities: []toolkit.Capability{{Name: "core"}}}
	reg.Tools = []toolkit.Tool{{
		Name: "count", Area: "a", Capability: "core", Scopes: []string{"default"}, Tier: 1, Timeout: time.Minute, ResultBytes: 4000,
		Schema: `{"type":"object"}`, Definition: `{"name":"count","inputSchema":{"type":"object"}}`,
		Invoke: func(ctx context.Context, call *toolkit.Call, _ grant.Grant, _ []byte) (toolkit.CallResult, error) {
			c, err := counters.Of(ctx, call)
			if err != nil {
				return toolkit.CallResult{}, err
			}
			return toolkit.Unstructured(toolkit.Textf("%d", c.next()), nil)
		},
	}}
	reg.Resources = []toolkit.Resource{{
		Entry: toolkit.Entry{Name: "n", Area: "a", Capability: "core", Scopes: []string{"default"}, Definition: `{"uri":"count://n","name":"n"}`}, URI: "count://n",
		Read: func(ctx context.Context, call *toolkit.Call, _ string, _ toolkit.Arguments) (toolkit.Contents, error) {
			c, err := counters.Of(ctx, call)
			if err != nil {
				return toolkit.Contents{}, err
			}
			c.next()
			return toolkit.Contents{Text: "read"}, nil
		},
	}}
	surface, err := toolkit.NewSurface(reg.Index(), toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := mcpserver.New(surface, mcpserver.Options{Name: "a", Version: "1", SessionEnded: counters.End})
	web := httptest.NewServer(server.HTTPHandler(mcpserver.HTTPOptions{}))
	t.Cleanup(web.Close)
	return server, web.URL
}

// TestStore counts the calls of two sessions apart. The end of each closes its counter once.
func TestStore(t *testing.T) {
	t.Parallel()
	closed := make(chan int, 8)
	server, url := serve(t, closed)
	connect := func() *mcp.ClientSession {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "a", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url},
			&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		return session
	}
	call := func(session *mcp.ClientSession, want string) {
		t.Helper()
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "count"})
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Content[0].(*mcp.TextContent).Text; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	one, two := connect(), connect()
	call(one, "FAILED: not yet")
	call(one, "1")
	call(one, "2")
	call(two, "1")
	call(one, "3")
	_ = one.Close()
	ended(t, closed, 3)
	call(two, "2")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"count://n"}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, _ := io.ReadAll(response.Body); !strings.Contains(string(text), `"read"`) {
		t.Fatalf("%s", text)
	}
	ended(t, closed, 1) // a request without a session has a value for itself
	_ = two.Close()
	ended(t, closed, 2)
	if err := server.Close(t.Context()); err != nil {
		t.Error(err)
	}
	select {
	case n := <-closed:
		t.Errorf("one more counter is closed, at %d", n)
	default:
	}
}

// ended waits until a counter is closed.
func ended(t *testing.T, closed <-chan int, want int) {
	t.Helper()
	select {
	case n := <-closed:
		if n != want {
			t.Errorf("closed the counter at %d, want %d", n, want)
		}
	case <-time.After(time.Minute):
		t.Fatalf("the counter at %d was not closed", want)
	}
}
