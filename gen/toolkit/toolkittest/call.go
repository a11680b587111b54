package toolkittest

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
)

// Args are the arguments of a call, by name.
type Args = map[string]any

// Result is the result of a call as a client receives it.
type Result struct {
	*mcp.CallToolResult

	Text       string          // of all content, joined
	Structured json.RawMessage // nil where there is none
	Code       toolkit.Code    // why the call was refused; "" where it was not
}

// Decode reads the structured content, or the envelope of a refusal, into a value.
func (r Result) Decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(r.Structured, into); err != nil {
		t.Fatalf("decode %s: %v", r.Structured, err)
	}
}

// Do calls a tool and returns its result, refusals too. The arguments are a value that marshals to a JSON object, nil for
// none. A call that has no result, as one of an unknown tool, fails the test.
func (k *Kit) Do(t testing.TB, tool string, args any) Result {
	t.Helper()
	if args == nil {
		args = Args{}
	}
	res, err := k.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("call %s with %v: %v", tool, args, err)
	}
	out := Result{CallToolResult: res, Text: textOf(res.Content)}
	structured := res.StructuredContent
	if structured == nil && res.IsError {
		structured = res.Meta[toolkit.MetaRefusal]
	}
	if structured != nil {
		if out.Structured, err = json.Marshal(structured); err != nil {
			t.Fatal(err)
		}
	}
	if res.IsError {
		var envelope struct{ Code toolkit.Code }
		if json.Unmarshal(out.Structured, &envelope) != nil || envelope.Code == "" {
			t.Fatalf("%s is refused without a code: %s", tool, out.Text)
		}
		out.Code = envelope.Code
		if k.codes != nil {
			if err := k.codes.Check(out.Structured); err != nil {
				t.Errorf("%s is refused with %s: %v", tool, out.Structured, err)
			}
		}
	}
	return out
}

// Call calls a tool that must not refuse.
func (k *Kit) Call(t testing.TB, tool string, args any) Result {
	t.Helper()
	res := k.Do(t, tool, args)
	if res.IsError {
		t.Fatalf("%s with %v is refused: %s", tool, args, res.Text)
	}
	return res
}

// Refuse calls a tool that must refuse with the code.
func (k *Kit) Refuse(t testing.TB, tool string, args any, code toolkit.Code) Result {
	t.Helper()
	res := k.Do(t, tool, args)
	if res.Code != code {
		t.Fatalf("%s with %v is answered with code %q, not %q: %s", tool, args, res.Code, code, res.Text)
	}
	return res
}

// textOf joins the texts of a content.
func textOf(content []mcp.Content) string {
	var b strings.Builder
	for _, c := range content {
		if text, ok := c.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// served serves clients over HTTP until the test ends, and is the way to the server.
func served(t testing.TB, server *mcpserver.Server) mcp.Transport {
	listener := httptest.NewServer(server.HTTPHandler(mcpserver.HTTPOptions{}))
	t.Cleanup(func() {
		listener.Close()
		if err := server.Close(context.Background()); err != nil {
			t.Errorf("close the server: %v", err)
		}
	})
	return HTTP(listener.URL, "")
}

// handleStore sends back the handle of the state that a result has given, as a client should.
type handleStore struct {
	mu     sync.Mutex
	handle string
}

func (k *handleStore) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		k.mu.Lock()
		handle := k.handle
		k.mu.Unlock()
		if call, ok := req.GetParams().(*mcp.CallToolParams); ok && handle != "" {
			call.Meta = maps.Clone(call.Meta)
			if call.Meta == nil {
				call.Meta = mcp.Meta{}
			}
			call.Meta[mcpserver.StateName] = handle
		}
		res, err := next(ctx, method, req)
		if got, ok := res.(*mcp.CallToolResult); ok && err == nil {
			if given, ok := got.Meta[mcpserver.StateName].(string); ok {
				k.mu.Lock()
				defer k.mu.Unlock()
				k.handle = given
			}
		}
		return res, err
	}
}

// HTTP reaches a server at an address. The token is sent with each request; "" sends none.
func HTTP(url, token string) mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}
}

// bearer sends a token with each request.
type bearer string

// RoundTrip sends the request.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}
