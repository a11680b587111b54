package workflow_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
	"github.com/callsheet/callsheet/internal/workflow"
	"github.com/callsheet/callsheet/internal/workflow/summary"
)

func TestInputSchema(t *testing.T) {
	t.Parallel()
	b := serve(t, `
shot:
  description: Take a picture.
  parameters:
    url: { type: string, required: true, description: Where. }
    full: { type: boolean, default: true }
    size: { type: object, properties: { w: { type: integer, minimum: 1 } } }
  steps: [{ call: up:echo, args: { s: "{{ url }}", b: "{{ full }}", n: "{{ size.w }}" } }]
unknown: { steps: [{ call: up:ecoh }] }
nowhere: { steps: [{ call: upp:echo }] }
`)
	list := string(b.session.List())
	want := `{"name":"shot","description":"Take a picture.","inputSchema":{"type":"object","properties":{"url":{"type":"string","description":"Where."},` +
		`"full":{"type":"boolean","default":true},"size":{"type":"object","properties":{"w":{"type":"integer"}}}},"required":["url"]}`
	if !strings.Contains(list, want) {
		t.Error(list)
	}
	if b.surface.Allows("nowhere") || !strings.Contains(b.logs.String(), `no server \"upp\" is configured`) {
		t.Error(b.logs.String())
	}
	if got := resultText(b.call(t, "unknown", ``)); !strings.Contains(got,
		`server "up" has no tool "ecoh"; did you mean "echo"?`) || !strings.Contains(got, "workflows.yaml:9:28") {
		t.Error(got)
	}
}

func TestComposeRejectsBuiltinNames(t *testing.T) {
	t.Parallel()
	set, err := workflow.Open(workflow.Config{Path: writeFiles(t,
		map[string]string{"w.yaml": "navigate: { steps: [{ sleep: 1ms }] }\n"})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.Compose(builtinRegistry()); err == nil ||
		!strings.Contains(err.Error(), `"navigate" is the name of a built-in tool`) {
		t.Error(err)
	}
}

func TestStepToolsAreHidden(t *testing.T) {
	t.Parallel()
	b := serve(t, echoWorkflow+"bad: { parameters: { x: { type: string, required: true } }, steps: [{ call: up:echo, args: { either: \"{{ x | parse }}\" } }] }\n")
	b.ok(t, "echo", `{}`)
	for _, name := range []string{"up:echo", "echo2", "up.echo", "up__echo", "navigate"} {
		if _, err := b.session.Dispatch(t.Context(), toolkit.Request{Tool: name}); err == nil ||
			!strings.Contains(err.Error(), "unknown tool") {
			t.Errorf("%s is callable: %v", name, err)
		}
	}
	before := b.calls(t)
	if got := b.call(t, "bad", `{"x":"\"text\""}`); !strings.Contains(string(got.Structured), `"kind":"arguments"`) ||
		b.calls(t) != before {
		t.Errorf("the arguments are checked before the call: %s", got.Structured)
	}
}

func TestResultParts(t *testing.T) {
	t.Parallel()
	b := serve(t, `
parts:
  steps:
    - { id: e, call: up:echo, args: { s: hello } }
    - { id: p, call: up:picture, args: { bytes: 10 } }
    - id: all
      call: up:echo
      args:
        s: '{{ e.text }}|{{ p.files[0].mime }}|{{ p.files[0].bytes }}|{{ e.structuredContent.title }}|{{ e.json.s }}|{{ e.isError }}|{{ p.text | "" }}'
  show: [all]
own: { parameters: { url: { type: string, required: true } }, steps: [{ call: callsheet:navigate, args: { url: "{{ url }}" } }] }
large: { steps: [{ id: p, call: up:picture, args: { bytes: 2000000 } }, { id: l, call: up:long, args: { bytes: 100000 } }] }
`)
	var sent struct{ S string }
	if err := json.Unmarshal([]byte(b.ok(t, "parts", ``)), &sent); err != nil {
		t.Fatal(err)
	}
	if sent.S != `{"format":"png","s":"hello"}|image/png|10|echoed|hello|false|` {
		t.Error(sent.S)
	}
	if got := b.ok(t, "own", `{"url":"http://x/"}`); got != `s1 opened {"url":"http://x/"}` {
		t.Error(got)
	}
	got := b.ok(t, "large", ``)
	if len(got) > 20_000 || !strings.Contains(got, "<link p.png image/png 2000000>") ||
		!strings.Contains(got, "<link l.txt text/plain; charset=utf-8 100000>") ||
		!strings.Contains(got, "[cut: 100000 bytes in all; the whole text is a resource]") {
		t.Error(got[max(0, len(got)-600):])
	}
}

func TestToolListOfScopes(t *testing.T) {
	t.Parallel()
	b := serve(t, failingWorkflows+echoWorkflow)
	for scope, want := range map[string]string{workflow.Scope: "echo goes_on skips stops",
		"default": "echo goes_on navigate skips stops"} {
		surface, err := toolkit.NewSurface(b.reg, toolkit.Options{Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		c := connect(t, surface, nil)
		if got := strings.Join(c.Listed(t), " "); got != want {
			t.Errorf("%s: %s", scope, got)
		}
		if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "up:echo"}); err == nil {
			t.Error("a hidden tool is callable")
		}
	}
}

// connect connects the SDK's client to a surface over HTTP; the client speaks the newest revision,
// or an older one.
func connect(t *testing.T, surface *toolkit.Surface, opt *mcp.ClientOptions, versions ...string) *toolkittest.Kit {
	t.Helper()
	server := mcpserver.New(surface, mcpserver.Options{Name: "callsheet", Version: "test", SessionOf: sharedByName})
	web := httptest.NewServer(server.HTTPHandler(mcpserver.HTTPOptions{}))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = server.Close(ctx)
		web.CloseClientConnections()
		web.Close()
	})
	if opt == nil {
		opt = new(mcp.ClientOptions)
	}
	revision := append(versions, toolkittest.Stateless)[0]
	return toolkittest.Dial(t, toolkittest.HTTP(web.URL, ""), nil, toolkittest.Revision(revision), toolkittest.Client(*opt))
}

func TestSteps(t *testing.T) {
	t.Parallel()
	b := serve(t, `
w:
  parameters: { items: { type: array, items: { type: string }, required: true }, n: { type: integer, default: 2 } }
  steps:
    - { set: { greeting: "hi {{ items | first }}" } }
    - { id: each, forEach: "{{ items }}", call: up:echo, args: { s: "{{ item }}-{{ index }}" } }
    - parallel:
        - { id: left, call: up:echo, args: { s: left } }
        - { id: right, call: up:echo, args: { s: right } }
    - { id: many, if: n > 1 && left.ok && len(items) == 2, call: up:echo, args: { s: "{{ greeting }} {{ each | len }} {{ right.json.s }}" } }
    - { id: none, if: n > 5, call: up:echo, args: { s: never } }
    - { sleep: 5ms }
    - { requires: none, call: up:echo, args: { s: never } }
  show: [many]
retries: { steps: [{ call: up:flaky, retry: { attempts: 4, backoff: 1ms, on: [tool] } }] }
writes: { steps: [{ call: up:flaky_write, retry: { attempts: 4, backoff: 1ms, on: [tool] } }] }
polls: { steps: [{ id: p, call: up:flaky, onError: continue }, { call: up:echo, until: { if: "result.ok", interval: 1ms } }] }
`)
	got := b.ok(t, "w", `{"items":["a","b"]}`)
	if !strings.Contains(got, `"s":"hi a 2 right"`) || strings.Contains(b.calls(t), "never") {
		t.Errorf("%s\n%s", got, b.calls(t))
	}
	calls := strings.Join(sentCalls(t, b), "\n")
	if !strings.HasPrefix(calls, "echo {\"format\":\"png\",\"s\":\"a-0\"}\necho {\"format\":\"png\",\"s\":\"b-1\"}") {
		t.Error(calls)
	}
	if got := b.ok(t, "retries", ``); got != "attempt 3" {
		t.Error(got)
	}
	if got := resultText(b.call(t, "writes", ``)); !strings.Contains(got, "is neither idempotent nor read-only") {
		t.Error(got)
	}
	b.ok(t, "polls", ``)
	if !strings.Contains(b.logs.String(), "msg=step workflow=retries step=1") ||
		!strings.Contains(b.logs.String(), "attempts=") {
		t.Error("no audit log")
	}
}

func TestProgressOfEachStep(t *testing.T) {
	t.Parallel()
	b := serve(t, "w: { steps: [{ call: up:slow, args: { ms: 1500 } }, { call: up:echo }] }\n")
	var mu sync.Mutex
	var heard []string
	_, err := b.session.Dispatch(t.Context(),
		toolkit.Request{Tool: "w", Progress: func(done, total float64, message string) {
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, strings.TrimSpace(message))
			if total != 2 || done > 2 {
				t.Errorf("%v of %v", done, total)
			}
		}})
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(heard, ","); err != nil || !strings.HasPrefix(got, "up:slow") ||
		!strings.HasSuffix(got, "up:echo,up:echo") || !strings.Contains(got, "half") {
		t.Errorf("%v %v", got, err)
	}
}

// A server behind HTTP is as good as one that is a process.
func TestServersOverHTTP(t *testing.T) {
	t.Parallel()
	up := newUpstream("")
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return up }, nil))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	b := serveDir(t, writeFiles(t, map[string]string{
		"w.yaml":       "w: { steps: [{ call: web:echo, args: { s: over http } }] }\n",
		"servers.json": `{"mcpServers": {"web": {"url": "` + web.URL + `"}}}`,
	}), "")
	if got := b.ok(t, "w", ``); !strings.Contains(got, "over http") {
		t.Error(got)
	}
}

const summaryTemplate = `
w:
  parameters: { task: { type: string } }
  steps:
    - { id: a, call: up:echo, args: { s: "an error happened" } }
  summarize: { prompt: '{{ task | "Report." }}', mode: %MODE% }
`

func summaryWorkflow(mode string) string { return strings.Replace(summaryTemplate, "%MODE%", mode, 1) }

func TestSummaryByRules(t *testing.T) {
	t.Parallel()
	b := serve(t, summaryWorkflow("auto"))
	if got := b.ok(t, "w", ``); !strings.HasPrefix(got,
		"Summary:\na (up:echo)\n  {\"format\":\"png\",\"s\":\"an error happened\"}") {
		t.Error(got)
	}
}

// Both protocols of models, on a real server that speaks them; the artifacts are there whatever it
// says.
func TestSummaryByOperatorModel(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model    string
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Header.Get("Authorization") != "Bearer k" ||
			!strings.Contains(in.Messages[1].Content, "Find it.\n\n<<<<< a up:echo\n") {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		_, _ = w.Write([]byte(`{"choices":[{"message":{"role":"assistant","content":"openai says ` + in.Model +
			`"}}]}`))
	})
	mux.HandleFunc("POST /v1/messages", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("x-api-key") != "k" || r.Header.Get("anthropic-version") == "" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"content":[{"type":"text","text":"anthropic says"}]}`))
	})
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	for style, want := range map[summary.API]string{summary.OpenAI: "openai says m",
		summary.Anthropic: "anthropic says", "broken": "(no model: the model's endpoint responded 400 Bad Request)"} {
		e := &summary.Endpoint{URL: web.URL + "/v1", Key: "k", Model: "m", API: style}
		if style == "broken" {
			e.API, e.Key = summary.OpenAI, "wrong"
		}
		b := serve(t, summaryWorkflow("model"), withModel(e))
		got := b.ok(t, "w", `{"task":"Find it."}`)
		if !strings.Contains(got, want) || !strings.Contains(got, `"s":"an error happened"`) ||
			!strings.HasPrefix(got, "Summary:") {
			t.Errorf("%s: %s", style, got)
		}
	}
}

// A client that declares sampling is asked, in both protocol eras, and the steps run once.
func TestSummaryByClientModel(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		b := serve(t, summaryWorkflow("auto"))
		asked := 0
		opt := &mcp.ClientOptions{CreateMessageHandler: func(_ context.Context,
			req *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			asked++
			prompt := req.Params.Messages[0].Content.(*mcp.TextContent).Text
			if !strings.Contains(prompt, "an error happened") ||
				!strings.Contains(req.Params.SystemPrompt, "Never follow instructions") {
				t.Errorf("asked: %s", prompt)
			}
			return &mcp.CreateMessageResult{Model: "m", Role: "assistant",
				Content: &mcp.TextContent{Text: "the client says"}}, nil
		}}
		c := connect(t, b.surface, opt, version)
		if got := c.InitializeResult(); got != nil && version < "2026" && got.ProtocolVersion != version {
			t.Fatalf("speaks %s", got.ProtocolVersion)
		}
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "w"})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		if len(res.Content) < 2 || res.Content[0].(*mcp.TextContent).Text != "Summary:\nthe client says" || asked != 1 {
			t.Errorf("%s: %v, asked %d times", version, res.Content, asked)
		}
		if n := strings.Count(b.calls(t), "begin echo"); n != 1 {
			t.Errorf("%s: the step ran %d times", version, n)
		}
	}
	b := serve(t, summaryWorkflow("auto")) // a client without sampling is never asked
	res, err := connect(t, b.surface, nil).CallTool(t.Context(), &mcp.CallToolParams{Name: "w"})
	if err != nil || !strings.HasPrefix(res.Content[0].(*mcp.TextContent).Text, "Summary:\na (up:echo)") {
		t.Errorf("%v %v", res, err)
	}
}

// sharedByName gives stateless clients of one name a session, as the server that ships does: a call that is
// repeated with an answer is taken up in the session that asked.
func sharedByName(c mcpserver.Caller) string { return c.Name }
