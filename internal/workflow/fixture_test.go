package workflow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/workflow"
	"github.com/callsheet/callsheet/internal/workflow/summary"
)

// serverVariable makes the test binary the MCP server that workflows call; logVariable is the file
// in which it notes what it was called with, and what was cancelled.
const (
	serverVariable = "WORKFLOW_TEST_SERVER"
	logVariable    = "WORKFLOW_TEST_LOG"
)

func TestMain(m *testing.M) {
	if os.Getenv(serverVariable) != "" {
		if err := newUpstream(os.Getenv(logVariable)).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// newUpstream is a real MCP server with tools of every temper. Its list has more than one page.
func newUpstream(logFile string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "upstream", Version: "1"}, &mcp.ServerOptions{PageSize: 3})
	var mu sync.Mutex
	note := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		f, err := os.OpenFile(logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return
		}
		_, _ = fmt.Fprintf(f, format+"\n", args...)
		_ = f.Close()
	}
	object := func(properties string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":{` + properties + `},"additionalProperties":false}`)
	}
	yes := true
	add := func(name string, schema json.RawMessage, reads bool,
		run func(ctx context.Context, req *mcp.CallToolRequest, args map[string]any) *mcp.CallToolResult) {
		s.AddTool(&mcp.Tool{Name: name, Description: name, InputSchema: schema,
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads, OpenWorldHint: &yes}},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				var args map[string]any
				_ = json.Unmarshal(req.Params.Arguments, &args)
				note("begin %s %s", name, req.Params.Arguments)
				res := run(ctx, req, args)
				note("end %s %v", name, ctx.Err() != nil)
				return res, nil
			})
	}
	text := func(t string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: t}}}
	}
	add("echo", json.RawMessage(`{"type":"object","properties":{"s":{"type":"string"},"n":{"type":"number"},"b":{"type":"boolean"},
		"list":{"type":"array","items":{"type":"string"}},"nullable":{"type":["string","null"]},"either":{"anyOf":[{"type":"integer"},{"type":"null"}]},
		"format":{"type":"string","enum":["png","jpeg"],"default":"png"}},"additionalProperties":false}`), true,
		func(_ context.Context, req *mcp.CallToolRequest, args map[string]any) *mcp.CallToolResult {
			res := text(string(req.Params.Arguments))
			res.StructuredContent = map[string]any{"args": args, "title": "echoed"}
			return res
		})
	add("fail", object(`"s":{"type":"string"}`), false,
		func(context.Context, *mcp.CallToolRequest, map[string]any) *mcp.CallToolResult {
			res := text("it broke")
			res.IsError = true
			return res
		})
	fails := 0
	for _, name := range []string{"flaky", "flaky_write"} {
		add(name, object(``), name == "flaky",
			func(context.Context, *mcp.CallToolRequest, map[string]any) *mcp.CallToolResult {
				mu.Lock()
				fails++
				n := fails
				mu.Unlock()
				res := text(fmt.Sprintf("attempt %d", n))
				res.IsError = n < 3
				return res
			})
	}
	polls := 0
	add("moody", object(``), true, func(context.Context, *mcp.CallToolRequest, map[string]any) *mcp.CallToolResult {
		polls++
		res := text(map[bool]string{true: "ready", false: "not yet"}[polls >= 5])
		res.IsError = polls == 3
		return res
	})
	add("slow", object(`"ms":{"type":"integer"}`), false,
		func(ctx context.Context, req *mcp.CallToolRequest, args map[string]any) *mcp.CallToolResult {
			ms, _ := args["ms"].(float64)
			if token := req.Params.GetProgressToken(); token != nil {
				_ = req.Session.NotifyProgress(ctx,
					&mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1, Total: 2, Message: "half"})
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(ms) * time.Millisecond):
			}
			return text("slept")
		})
	add("await", object(`"file":{"type":"string"}`), true,
		func(ctx context.Context, _ *mcp.CallToolRequest, args map[string]any) *mcp.CallToolResult {
			for name, _ := args["file"].(string); ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
				if _, err := os.Stat(name); err == nil {
					break
				}
			}
			return text("there")
		})
	add("ask", object(`"how":{"type":"string"}`), true,
		func(ctx context.Context, req *mcp.CallToolRequest, args map[string]any) *mcp.CallToolResult {
			question := &mcp.ElicitParams{Message: "name?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)}
			if args["how"] == "url" {
				question = &mcp.ElicitParams{Message: "go", URL: "https://example.com", ElicitationID: "1"}
			}
			if req.ProtocolVersion() >= "2026-07-28" {
				if answer, ok := req.Params.InputResponses["q"].(*mcp.ElicitResult); ok {
					return text(fmt.Sprint(req.Params.RequestState, " ", answer.Action, " ", answer.Content))
				}
				return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": question}, RequestState: "again"}
			}
			answer, err := req.Session.Elicit(ctx, question)
			if err != nil {
				return text("error: " + err.Error())
			}
			return text(fmt.Sprint(answer.Action, " ", answer.Content))
		})
	add("die", object(``), false, func(context.Context, *mcp.CallToolRequest, map[string]any) *mcp.CallToolResult {
		os.Exit(3)
		return nil
	})
	add("picture", object(`"bytes":{"type":"integer"}`), true,
		func(_ context.Context, _ *mcp.CallToolRequest, args map[string]any) *mcp.CallToolResult {
			n, _ := args["bytes"].(float64)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: make([]byte, int(n)),
				MIMEType: "image/png"}}}
		})
	add("long", object(`"bytes":{"type":"integer"}`), true,
		func(_ context.Context, _ *mcp.CallToolRequest, args map[string]any) *mcp.CallToolResult {
			n, _ := args["bytes"].(float64)
			return text(strings.Repeat("x", int(n)))
		})
	return s
}

// fixture is a set of workflows as it is served, with a real server process behind the alias up.
type fixture struct {
	set     *workflow.Set
	reg     *toolkit.Registry
	surface *toolkit.Surface
	session *toolkit.Session
	callLog string // what the server has noted
	logs    *strings.Builder
}

// builtinRegistry is a registry with one built-in tool, which says which page is open.
func builtinRegistry() *toolkit.Registry {
	open := func(_ context.Context, call *toolkit.Call, _ grant.Grant, args []byte) (toolkit.CallResult, error) {
		return toolkit.Unstructured(toolkit.Textf("%s opened %s", call.Session.ID, args), nil)
	}
	tool := toolkit.Tool{
		Name: "navigate", Area: "tabs", Capability: "core", Scopes: []string{"default"}, Tier: 1, Timeout: time.Second,
		Invoke:     open,
		Definition: `{"name":"navigate","description":"Open.","inputSchema":{"type":"object","properties":{"url":{"type":"string"}},"required":["url"]}}`,
		Schema:     `{"type":"object","properties":{"url":{"type":"string"}},"required":["url"],"additionalProperties":false}`,
	}
	return (&toolkit.Registry{Tools: []toolkit.Tool{tool}, Capabilities: []toolkit.Capability{{Name: "core"}},
		Scopes: []string{"default"}}).Index()
}

func writeFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// stdioServer is the entry of the test binary as a server.
func stdioServer(log string) string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	entry, err := json.Marshal(map[string]any{"command": self, "args": []string{"-test.run=^$"},
		"env": map[string]string{serverVariable: "1", logVariable: log}})
	if err != nil {
		panic(err)
	}
	return string(entry)
}

// option changes the configuration of a bench.
type option func(*workflow.Config)

func withModel(e *summary.Endpoint) option { return func(c *workflow.Config) { c.Model = e } }

// serve opens workflows over a server process, under the alias up, and whatever else the files say.
func serve(t testing.TB, yaml string, options ...option) *fixture {
	t.Helper()
	log := filepath.Join(t.TempDir(), "calls")
	return serveDir(t, writeFiles(t, map[string]string{
		"workflows.yaml": yaml, "servers.json": `{"servers": {"up": ` + stdioServer(log) + `}}`,
	}), log, options...)
}

func serveDir(t testing.TB, dir, log string, options ...option) *fixture {
	t.Helper()
	kept, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &fixture{callLog: log, logs: &strings.Builder{}}
	var mu sync.Mutex
	cfg := workflow.Config{Path: dir, State: kept, Artifacts: artifact.New(kept, 0), Version: "test",
		Log: slog.New(slog.NewTextHandler(lockedWriter{&mu, b.logs}, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	for _, o := range options {
		o(&cfg)
	}
	if b.set, err = workflow.Open(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := b.set.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	if b.reg, err = b.set.Compose(builtinRegistry()); err != nil {
		t.Fatal(err)
	}
	if b.surface, err = toolkit.NewSurface(b.reg, toolkit.Options{Scope: workflow.Scope}); err != nil {
		t.Fatal(err)
	}
	b.session = b.surface.NewSession("s1", nil)
	return b
}

type lockedWriter struct {
	mu *sync.Mutex
	to *strings.Builder
}

func (l lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

// call calls a workflow and returns its result.
func (f *fixture) call(t testing.TB, name, args string) toolkit.CallResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	res, err := f.session.Dispatch(ctx, toolkit.Request{Tool: name, Args: []byte(args)})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return res
}

// ok calls a workflow that must succeed, and returns its text.
func (f *fixture) ok(t testing.TB, name, args string) string {
	t.Helper()
	res := f.call(t, name, args)
	if res.Refused {
		t.Fatalf("%s: %s", name, resultText(res))
	}
	return resultText(res)
}

func resultText(res toolkit.CallResult) string {
	var lines []string
	for _, c := range res.Content {
		if c.Data != nil {
			c.Text = fmt.Sprintf("<%s %d>", c.MIME, len(c.Data))
		}
		lines = append(lines, c.Text)
	}
	for _, l := range res.Links {
		lines = append(lines, fmt.Sprintf("<link %s %s %d>", l.Name, l.MIME, l.Size))
	}
	return strings.Join(lines, "\n")
}

// calls returns the calls that the server has logged so far.
func (f *fixture) calls(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile(f.callLog)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

// eventually polls a condition for at most a minute.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("timed out waiting until %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
