package mcpserver_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
)

func TestStdioInitialize(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{Instructions: "Do."}, 0)
	got := dial(t, s).ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	want := `{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{"listChanged":true}},"instructions":"Do.",` +
		`"protocolVersion":"2025-06-18","serverInfo":{"name":"sample","version":"1.2.3"}}}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestStdioDiscover(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	got := dial(t, s).ask(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`)
	for _, want := range []string{`"tools":{}`, `"ttlMs":60000`, `"cacheScope":"private"`, `"2026-07-28"`, `"2025-11-25"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

// TestStdioListIsTheSurface compares the bytes of tools/list with those of the compiled definitions.
func TestStdioListIsTheSurface(t *testing.T) {
	t.Parallel()
	s, surface := newBench().serve(t, mcpserver.Options{}, 80)
	want := string(surface.NewStaticSession("").List())
	w := dial(t, s)
	modern := w.ask(`{"jsonrpc":"2.0","id":"a<1>","method":"tools/list","params":{` + modernMeta + `}}`)
	if diff := cmp.Diff(`{"jsonrpc":"2.0","id":"a\u003c1\u003e","result":{"resultType":"complete","tools":`+want+
		`,"ttlMs":60000,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"sample","version":"1.2.3"}}}}`, modern); diff != "" {
		t.Error(diff)
	}
	w = dial(t, s)
	w.initialize()
	session := w.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	want = string(surface.NewSession("", nil).List())
	if diff := cmp.Diff(`{"jsonrpc":"2.0","id":2,"result":{"tools":`+want+`}}`, session); diff != "" {
		t.Error(diff)
	}
}

func TestStdioCalls(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	w := dial(t, s)
	w.initialize()
	tests := map[string]struct{ params, want string }{
		"text is not escaped for html": {`{"name":"echo","arguments":{"text":"<a>&\n\u2028"}}`,
			`"result":{"content":[{"type":"text","text":"<a>&\n\u2028"}]}}`},
		"structured content is sent on one line": {`{"name":"structured"}`,
			`"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{  "a": "<&\u2028>"}}}`},
		"refusal": {`{"name":"refuses"}`,
			`"result":{"content":[{"type":"text","text":"STALE_REF: gone"}],"structuredContent":{"code":"STALE_REF","tool":"refuses","ref":"e<1>","message":"gone"},"isError":true}}`},
		"unknown tool": {`{"name":"ecko"}`,
			`"error":{"code":-32602,"message":"unknown tool \"ecko\", did you mean \"echo\"?"}}`},
		"no name": {`{}`, `"error":{"code":-32602,"message":"a call names its tool"}}`},
		"picture": {`{"name":"picture","arguments":{"bytes":5}}`,
			`"result":{"content":[{"type":"text","text":"a picture"},{"type":"image","mimeType":"image/png","data":"` +
				base64.StdEncoding.EncodeToString(pixels(5)) + `"}]}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w.t = t
			got := w.ask(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + test.params + `}`)
			if diff := cmp.Diff(`{"jsonrpc":"2.0","id":7,`+test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStdioSurvivesPanics(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	w := dial(t, s)
	w.initialize()
	if got := w.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"panics"}}`); !strings.Contains(got, `"code":"INTERNAL"`) {
		t.Error(got)
	}
	if got := w.ask(`{"jsonrpc":"2.0","id":2,"method":"ping"}`); got != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Error(got)
	}
}

func TestStdioAnswersWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	w := dial(t, s)
	tests := []struct{ line, code, id string }{
		{`{"jsonrpc":"2.0",`, "-32700", "null"},
		{"\x00\xff garbage", "-32700", "null"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, "-32700", "null"},
		{`{"jsonrpc":"1.0","id":"x","method":"ping"}`, "-32600", `"x"`},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "-32600", "null"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "-32600", "null"},
		{`17`, "-32600", "null"},
		{strings.Repeat("x", 17<<20), "-32600", "null"},
		{`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`, "-32600", "9"}, // before initialize
		{`{"jsonrpc":"2.0","id":9,"method":"no/such"}`, "-32600", "9"},
	}
	for _, test := range tests {
		got := w.ask(test.line)
		if !strings.Contains(got, `"code":`+test.code) || !strings.Contains(got, `"id":`+test.id) {
			t.Errorf("%.60s: %s", test.line, got)
		}
	}
	w.send("\n \n\t")
	w.initialize()
	for _, method := range []string{"prompts/list", "resources/list", "resources/templates/list", "completion/complete", "logging/setLevel", "no/such"} {
		got := w.ask(`{"jsonrpc":"2.0","id":3,"method":"` + method + `","params":{"level":"info","ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","value":"b"}}}`)
		if !strings.Contains(got, `"code":-32601`) {
			t.Errorf("%s: %s", method, got)
		}
	}
}

func TestStdioProgress(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	w := dial(t, s)
	w.initialize()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","_meta":{"progressToken":"p"}}}`)
	for i := range 3 {
		want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","message":"step %d","progress":%d,"total":3}}`, i+1, i+1)
		if diff := cmp.Diff(want, w.next()); diff != "" {
			t.Error(diff)
		}
	}
	if got := w.next(); !strings.Contains(got, "counted") {
		t.Error(got)
	}
	if got := w.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"count"}}`); !strings.Contains(got, "counted") {
		t.Errorf("progress without a token: %s", got)
	}
}

func TestStdioCancelledCallsAreNotAnswered(t *testing.T) {
	t.Parallel()
	b := newBench()
	s, _ := b.serve(t, mcpserver.Options{}, 0)
	w := dial(t, s)
	w.initialize()
	w.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"wait"}}`)
	<-b.running
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	<-b.cancelled
	w.silent(50 * time.Millisecond)
	if got := w.ask(`{"jsonrpc":"2.0","id":5,"method":"ping"}`); !strings.Contains(got, `"id":5,"result":{}`) {
		t.Errorf("the id is free again: %s", got)
	}
}

// TestStdioEnd covers how a connection ends: answers to what was asked first, then silence, soon,
// and all reported.
func TestStdioEnd(t *testing.T) {
	t.Parallel()
	b := newBench()
	s, _ := b.serve(t, mcpserver.Options{}, 0)
	w := dial(t, s)
	w.initialize()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`)
	<-b.running
	w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	start := time.Now()
	if err := w.closeInput(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 4*time.Second { // less than the server waits for an answer of a client
		t.Errorf("the end took %v", took)
	}
	if got := w.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":2,"result":{"tools":[`) {
		t.Errorf("what was asked before the end is answered: %.80s", got)
	}
	<-b.cancelled
	if got := b.endedSessions(); len(got) != 1 || !strings.HasPrefix(got[0], mcpserver.LinePrefix) {
		t.Error(got)
	}
}

func TestStdioEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := newBench()
	s, _ := b.serve(t, mcpserver.Options{}, 0)
	w := dial(t, s)
	w.initialize()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`)
	<-b.running
	w.stop()
	select {
	case err := <-w.ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("still serving")
	}
	<-b.cancelled
}

func TestStdioListChanged(t *testing.T) {
	t.Parallel()
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	w, other := dial(t, s), dial(t, s)
	w.initialize()
	other.initialize()
	call := func(tool string, args string) {
		t.Helper()
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`)
		if got := w.next(); !strings.Contains(got, `"id":1`) {
			t.Errorf("expected the answer first: %s", got)
		}
	}
	call("toggle", `{"times":2}`) // there and back: nothing to tell
	w.silent(80 * time.Millisecond)
	call("toggle", `{"times":5}`)
	if got := w.next(); got != changed {
		t.Errorf("got %s", got)
	}
	call("expand", `{}`)
	if got := w.next(); got != changed {
		t.Errorf("got %s", got)
	}
	list := w.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	for _, name := range []string{"resume", "rare"} {
		if !strings.Contains(list, `"name":"`+name+`"`) {
			t.Errorf("%s is not listed", name)
		}
	}
	w.silent(80 * time.Millisecond)
	other.silent(0)
}

func TestStdioNothingBeforeInitialized(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	w := dial(t, s)
	w.ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	w.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"expand"}}`)
	w.silent(80 * time.Millisecond)
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if got := w.next(); !strings.Contains(got, "list_changed") {
		t.Error(got)
	}
}

func TestStdioStaticListNeverChanges(t *testing.T) {
	t.Parallel()
	b := newBench()
	b.visibility = toolkit.Static
	s, surface := b.serve(t, mcpserver.Options{}, 0)
	w := dial(t, s)
	w.initialize()
	w.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"expand"}}`)
	w.silent(80 * time.Millisecond)
	want := `{"jsonrpc":"2.0","id":3,"result":{"tools":` + string(surface.NewStaticSession("").List()) + `}}`
	if diff := cmp.Diff(want, w.ask(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)); diff != "" {
		t.Error(diff)
	}
}

// TestStatelessSessions names sessions by hand, as stateless clients do.
func TestStatelessSessions(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	w := dial(t, s)
	for session, want := range map[string]string{
		"":                      `"text":"stdio-`,
		`,"Mcp-State":"mine"`:   `"text":"s-`,
		`,"Mcp-State":"no way"`: `-32602`,
		`,"Mcp-State":7`:        `-32602`,
	} {
		meta := strings.TrimSuffix(modernMeta, "}") + session + "}"
		got := w.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"session_name",` + meta + `}}`)
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s", session, got)
		}
	}
}

// TestClientInBothEras lets the SDK's own client judge the messages.
func TestClientInBothEras(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s, _ := newBench().serve(t, mcpserver.Options{}, 0)
			clientIn, serverOut := io.Pipe()
			serverIn, clientOut := io.Pipe()
			go func() { _ = s.ServeStdio(t.Context(), serverIn, serverOut) }()
			exercise(t, &mcp.IOTransport{Reader: clientIn, Writer: clientOut}, version)
		})
	}
}

// exercise runs a client through everything it can do.
func exercise(t *testing.T, transport mcp.Transport, version string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	steps := make(chan float64, 8)
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			steps <- req.Params.Progress
		},
	})
	cs, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cs.Close() }()
	list, err := cs.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Contains(names, "echo") || slices.Contains(names, "rare") {
		t.Errorf("listed: %v", names)
	}
	params := &mcp.CallToolParams{Name: "count"}
	params.SetProgressToken("p")
	if _, err := cs.CallTool(ctx, params); err != nil {
		t.Error(err)
	}
	for want := range 3 {
		if got := <-steps; got != float64(want+1) {
			t.Errorf("progress %v, want %d", got, want+1)
		}
	}
	res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "picture", Arguments: map[string]any{"bytes": 100_000}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pixels(100_000), res.Content[1].(*mcp.ImageContent).Data); diff != "" {
		t.Error("the picture is another one")
	}
	if res, err = cs.CallTool(ctx, &mcp.CallToolParams{Name: "refuses"}); err != nil || !res.IsError {
		t.Errorf("refusal: %v %v", res, err)
	}
	structured, _ := json.Marshal(res.StructuredContent)
	if !strings.Contains(string(structured), "STALE_REF") {
		t.Errorf("refusal: %s", structured)
	}
	if _, err = cs.CallTool(ctx, &mcp.CallToolParams{Name: "nope"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("unknown tool: %v", err)
	}
}
