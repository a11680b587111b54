package mcpclient_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/callsheet/callsheet/internal/cli/mcpclient"
)

// answering is a connection whose other end answers a call with lines, and reports what it was
// sent.
func answering(t *testing.T, lines ...string) (net.Conn, <-chan string) {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { _ = near.Close(); _ = far.Close() })
	heard := make(chan string, 4)
	go func() {
		in := bufio.NewReader(far)
		line, _ := in.ReadString('\n')
		heard <- line
		for _, l := range lines {
			_, _ = fmt.Fprintln(far, l)
		}
		if len(lines) == 0 {
			line, _ = in.ReadString('\n')
			heard <- line
		}
		_ = far.Close()
	}()
	return near, heard
}

func TestDo(t *testing.T) {
	t.Parallel()
	conn, heard := answering(t,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"1","progress":1,"total":4,"message":"first"}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"},{"type":"image","mimeType":"image/png","data":"AQI="}],"structuredContent":{"a":1},"isError":true}}`)
	var seen []string
	res, err := mcpclient.CallTool(t.Context(), conn, mcpclient.Call{
		Tool: "x", Args: json.RawMessage(`{"b":"<c>"}`), Session: "s", Progress: func(done, total float64, message string) { seen = append(seen, fmt.Sprint(done, total, message)) },
	})
	if err != nil || res.Content[0].Text != "hi" || string(res.Content[1].Data) != "\x01\x02" || string(res.Structured) != `{"a":1}` || !res.Refused {
		t.Errorf("%+v %v", res, err)
	}
	if len(seen) != 1 || seen[0] != "1 4first" {
		t.Errorf("%+v", seen)
	}
	if line := <-heard; !strings.Contains(line, `"arguments":{"b":"\u003cc\u003e"}`) || !strings.Contains(line, `"callsheet/session":"s"`) {
		t.Error(line)
	}
}

// TestQuestions repeats a call with the reply to a question.
func TestQuestions(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	t.Cleanup(func() { _ = near.Close(); _ = far.Close() })
	heard := make(chan string, 2)
	go func() {
		in := bufio.NewReader(far)
		for _, response := range []string{
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"sure?","requestedSchema":{"type":"object"}}}},"requestState":"st"}}`,
			`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}}`,
		} {
			line, _ := in.ReadString('\n')
			heard <- line
			_, _ = fmt.Fprintln(far, response)
		}
	}()
	var asked []string
	call := mcpclient.Call{Tool: "x", Args: json.RawMessage(`{}`), Ask: func(_ context.Context, q mcpclient.Question) (mcpclient.Reply, error) {
		asked = append(asked, q.Message+string(q.Schema))
		return mcpclient.Reply{Action: "accept", Content: map[string]any{"covers": "this call"}}, nil
	}}
	res, err := mcpclient.CallTool(t.Context(), near, call)
	if err != nil || res.Content[0].Text != "done" || len(asked) != 1 || asked[0] != `sure?{"type":"object"}` {
		t.Errorf("%+v %v %q", res, err, asked)
	}
	if first := <-heard; !strings.Contains(first, `clientCapabilities":{"elicitation":{"form":{}}}`) || strings.Contains(first, "inputResponses") {
		t.Error(first)
	}
	if second := <-heard; !strings.Contains(second, `"inputResponses":{"k":{"action":"accept","content":{"covers":"this call"}}}`) ||
		!strings.Contains(second, `"requestState":"st"`) || !strings.Contains(second, `"id":2`) {
		t.Error(second)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	conn, _ := answering(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool"}}`)
	var protocol *jsonrpc.Error
	if _, err := mcpclient.CallTool(t.Context(), conn, mcpclient.Call{Tool: "x", Args: json.RawMessage(`{}`)}); !errors.As(err, &protocol) || protocol.Code != -32602 {
		t.Error(err)
	}
	conn, _ = answering(t, `{"jsonrpc":"2.0","method":"x"}`) // and then nothing
	if _, err := mcpclient.CallTool(t.Context(), conn, mcpclient.Call{Tool: "x", Args: json.RawMessage(`{}`)}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	conn, _ = answering(t, `garbage`)
	if _, err := mcpclient.CallTool(t.Context(), conn, mcpclient.Call{Tool: "x", Args: json.RawMessage(`{}`)}); err == nil {
		t.Error("garbage was taken for an answer")
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	conn, heard := answering(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := mcpclient.CallTool(ctx, conn, mcpclient.Call{Tool: "x", Args: json.RawMessage(`{}`)})
		done <- err
	}()
	<-heard
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	select {
	case line := <-heard:
		if !strings.Contains(line, "notifications/cancelled") {
			t.Error(line)
		}
	case <-time.After(20 * time.Second):
		t.Error("the server was not told")
	}
}
