package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/form"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
	"github.com/callsheet/callsheet/gen/toolkit/uritemplate"
)

// person asks for a name and, with the default, for an age.
func person(key string) toolkit.Input {
	return toolkit.Input{Key: key, Question: &toolkit.Question{Message: "Who are you?", Schema: form.Schema(
		form.Text{Label: form.Label{Name: "name", Required: true}}, form.Integer{Label: form.Label{Name: "age"}, Default: toolkit.Some(30)},
	)}}
}

// asking is a registry whose handlers ask the client, and declare it but for the named ones.
func asking(t *testing.T, undeclared ...string) *toolkit.Surface {
	t.Helper()
	reg := newBench().registry(0)
	asks := map[string]invoke{
		"echo": func(ctx context.Context, c *toolkit.Call, _ []byte) (toolkit.Result, error) {
			a, err := c.Ask(ctx, person("who"), toolkit.Input{Key: "poem", Sampling: &toolkit.Sampling{Prompt: "Rhyme.", MaxTokens: 9}}, toolkit.Input{Key: "dirs", Roots: true})
			if err != nil {
				return toolkit.Result{}, fmt.Errorf("wrapped: %w", err)
			}
			return toolkit.Textf("%s %v %s %s", a["who"].Reply.Action, a.Accepted("who"), a["poem"].Sampled.Model+":"+a["poem"].Text, a["dirs"].Roots[0].Name), nil
		},
		"count": func(ctx context.Context, c *toolkit.Call, _ []byte) (toolkit.Result, error) {
			first, err := c.Ask(ctx, person("first"))
			if err != nil {
				return toolkit.Result{}, err
			}
			var who struct{ Name string }
			if _, err := first.Decode("first", &who); err != nil {
				return toolkit.Result{}, err
			}
			q := person("second")
			q.Question.Message = "And whom do you know, " + who.Name + "?"
			second, err := c.Ask(ctx, q)
			if err != nil {
				return toolkit.Result{}, err
			}
			return toolkit.Textf("%s knows %v", who.Name, second.Accepted("second")["name"]), nil
		},
		"link": func(ctx context.Context, c *toolkit.Call, _ []byte) (toolkit.Result, error) {
			a, err := c.Ask(ctx, toolkit.Input{Key: "page", Question: &toolkit.Question{Message: "Sign in", URL: "https://example.com/in", ID: "in-1"}})
			if err != nil {
				return toolkit.Result{}, err
			}
			return toolkit.Text(a["page"].Reply.Action), c.Completed(ctx, "in-1")
		},
		"toggle": func(ctx context.Context, c *toolkit.Call, _ []byte) (toolkit.Result, error) {
			res, err := c.Dispatch(ctx, "count", nil, nil)
			if err == nil && res.Ask != nil {
				err = res.Ask
			}
			return res.Result, err
		},
	}
	asks["structured"] = asks["count"]
	for i := range reg.Tools {
		if run := asks[reg.Tools[i].Name]; run != nil {
			if !slices.Contains(undeclared, reg.Tools[i].Name) {
				reg.Tools[i].Asks = toolkit.InputForm | toolkit.InputURL | toolkit.InputSampling | toolkit.InputRoots
			}
			reg.Tools[i].Invoke = func(ctx context.Context, c *toolkit.Call, _ grant.Grant, args []byte) (toolkit.CallResult, error) {
				return toolkit.Unstructured(run(ctx, c, args))
			}
		}
	}
	entry := toolkit.Entry{Name: "letter", Capability: "core", Scopes: []string{"default"}, Definition: `{"name":"letter"}`, Asks: toolkit.InputForm}
	reg.Prompts = []toolkit.Prompt{{Entry: entry, Get: func(ctx context.Context, c *toolkit.Call, _ toolkit.Arguments) (toolkit.PromptResult, error) {
		a, err := c.Ask(ctx, person("who"))
		return toolkit.PromptResult{Messages: []toolkit.Message{toolkit.UserMessage(fmt.Sprint(a.Accepted("who")["name"]))}}, err
	}}}
	entry.Definition = `{"uriTemplate":"letter://{to}","name":"letter"}`
	reg.Resources = []toolkit.Resource{{
		Entry: entry, Template: uritemplate.MustParse("letter://{to}"), Variables: []toolkit.Argument{{Name: "to"}},
		Read: func(ctx context.Context, c *toolkit.Call, _ string, _ toolkit.Arguments) (toolkit.Contents, error) {
			a, err := c.Ask(ctx, person("who"))
			return toolkit.Contents{Text: fmt.Sprint(a.Accepted("who")["name"])}, err
		},
	}}
	surface, err := toolkit.NewSurface(reg.Index(), toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return surface
}

// answering are the options of a client that answers each question, and records its messages.
func answering(asked *[]string, values map[string]any) *mcp.ClientOptions {
	var mu sync.Mutex
	record := func(message string) {
		mu.Lock()
		defer mu.Unlock()
		*asked = append(*asked, message)
	}
	return &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{
			RootsV2: &mcp.RootCapabilities{}, Sampling: &mcp.SamplingCapabilities{},
			Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
		},
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			record(req.Params.Message + req.Params.URL)
			if values == nil || req.Params.Mode == "url" {
				return &mcp.ElicitResult{Action: map[bool]string{true: "accept", false: "decline"}[req.Params.Mode == "url"]}, nil
			}
			return &mcp.ElicitResult{Action: "accept", Content: values}, nil
		},
		CreateMessageHandler: func(_ context.Context, req *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			record(req.Params.Messages[0].Content.(*mcp.TextContent).Text)
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "rhyme"}}, nil
		},
	}
}

// eachAsking runs a test in each era with a client that has a directory.
func eachAsking(t *testing.T, opt func(asked *[]string) *mcp.ClientOptions, run func(t *testing.T, cs *mcp.ClientSession, asked *[]string)) {
	for _, version := range toolkittest.Revisions() {
		t.Run(version, func(t *testing.T) {
			var asked []string
			url := listen(t, mcpserver.New(asking(t), mcpserver.Options{Name: "sample", Version: "1"}), mcpserver.HTTPOptions{})
			k := toolkittest.Dial(t, toolkittest.HTTP(url, ""), nil, toolkittest.Revision(version), toolkittest.Client(*opt(&asked)), toolkittest.Roots("file:///work"))
			run(t, k.ClientSession, &asked)
		})
	}
}

func callText(t *testing.T, cs *mcp.ClientSession, tool string) string {
	t.Helper()
	res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{}})
	if err != nil {
		return "error: " + err.Error()
	}
	return res.Content[0].(*mcp.TextContent).Text
}

func TestAskAnswers(t *testing.T) {
	ada := func(asked *[]string) *mcp.ClientOptions { return answering(asked, map[string]any{"name": "Ada"}) }
	eachAsking(t, ada, func(t *testing.T, cs *mcp.ClientSession, asked *[]string) {
		if got, want := callText(t, cs, "echo"), "accept map[age:30 name:Ada] m:rhyme work"; got != want {
			t.Errorf("all kinds: %q, want %q", got, want)
		}
		*asked = nil
		if got := callText(t, cs, "count"); got != "Ada knows Ada" {
			t.Errorf("two questions: %q", got)
		}
		if want := []string{"Who are you?", "And whom do you know, Ada?"}; !slices.Equal(*asked, want) {
			t.Errorf("asked %q, want each question once: %q", *asked, want)
		}
		*asked = nil
		if got := callText(t, cs, "link"); got != "accept" || !slices.Equal(*asked, []string{"Sign inhttps://example.com/in"}) {
			t.Errorf("a page: %q, asked %q", got, *asked)
		}
		p, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "letter"})
		if err != nil || p.Messages[0].Content.(*mcp.TextContent).Text != "Ada" {
			t.Errorf("a prompt that asks: %v, %v", p, err)
		}
		r, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "letter://x"})
		if err != nil || r.Contents[0].Text != "Ada" {
			t.Errorf("a resource that asks: %v, %v", r, err)
		}
	})
}

func TestAskDeclined(t *testing.T) {
	decline := func(asked *[]string) *mcp.ClientOptions { return answering(asked, nil) }
	eachAsking(t, decline, func(t *testing.T, cs *mcp.ClientSession, _ *[]string) {
		if got, want := callText(t, cs, "echo"), "decline map[] m:rhyme work"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

func TestAskWithoutCapability(t *testing.T) {
	none := func(*[]string) *mcp.ClientOptions { return &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}} }
	eachAsking(t, none, func(t *testing.T, cs *mcp.ClientSession, _ *[]string) {
		for tool, capability := range map[string]string{"count": `"elicitation"`, "link": `"elicitation.url"`} {
			if got := callText(t, cs, tool); !strings.Contains(got, capability) {
				t.Errorf("%s: %q does not name the capability %s", tool, got, capability)
			}
		}
	})
}

// A handler that asks for what its row does not declare is refused, whatever the client has declared.
func TestAskUndeclared(t *testing.T) {
	ctx, s := t.Context(), asking(t, "count", "link").NewSession("s", nil)
	everything := toolkit.Interaction{
		Kinds: toolkit.InputForm | toolkit.InputURL,
		Ask: func(context.Context, toolkit.Input) (toolkit.InputAnswer, error) {
			t.Error("the client is asked")
			return toolkit.InputAnswer{}, nil
		},
	}
	for tool, want := range map[string]string{"count": "asks: [elicitation] in the manifest", "link": "asks: [elicitation.url] in the manifest"} {
		res, err := s.Dispatch(ctx, toolkit.Request{Tool: tool, Interaction: everything})
		if err != nil || res.RefusalCode() != toolkit.Internal || !strings.Contains(res.Content[0].Text, want) {
			t.Errorf("%s: %+v, %v, want a refusal with %q", tool, res, err, want)
		}
	}
}

// TestAskOnBehalf lets a handler's own call ask where the answer does not need a repeated call.
func TestAskOnBehalf(t *testing.T) {
	ada := func(asked *[]string) *mcp.ClientOptions { return answering(asked, map[string]any{"name": "Ada"}) }
	eachAsking(t, ada, func(t *testing.T, cs *mcp.ClientSession, _ *[]string) {
		got, want := callText(t, cs, "toggle"), "Ada knows Ada"
		if strings.HasSuffix(t.Name(), "2026-07-28") {
			want = "call the tool by itself"
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// raw makes a stateless call with an answer and a state.
func raw(t *testing.T, url, tool, args, responses, state string) (result struct {
	Type    string `json:"resultType"`
	State   string `json:"requestState"`
	Content []struct{ Text string }
	Inputs  map[string]struct{ Method string } `json:"inputRequests"`
}, failure *jsonrpc.Error,
) {
	t.Helper()
	params := `"name":"` + tool + `","arguments":` + args
	if responses != "" {
		params += `,"inputResponses":` + responses
	}
	if state != "" {
		params += `,"requestState":"` + state + `"`
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + params + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`
	_, text := do(t, "POST", url, body, headers{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	})
	if _, event, streamed := strings.Cut(text, "data: "); streamed {
		text = event
	}
	var out struct {
		Result json.RawMessage
		Error  *jsonrpc.Error
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if out.Error == nil {
		if err := json.Unmarshal(out.Result, &result); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	return result, out.Error
}

// TestAskStates holds a state against the request that it was made for.
func TestAskStates(t *testing.T) {
	url := listen(t, mcpserver.New(asking(t), mcpserver.Options{Name: "sample", Version: "1", StateKey: []byte("k")}), mcpserver.HTTPOptions{})
	same := listen(t, mcpserver.New(asking(t), mcpserver.Options{Name: "sample", Version: "1", StateKey: []byte("k")}), mcpserver.HTTPOptions{})
	other := listen(t, mcpserver.New(asking(t), mcpserver.Options{Name: "sample", Version: "1"}), mcpserver.HTTPOptions{})
	const first, second = `{"first":{"action":"accept","content":{"name":"Ada"}}}`, `{"second":{"action":"accept","content":{"name":"Bob"}}}`
	begun, failure := raw(t, url, "count", `{"a":1,"b":2}`, "", "")
	if failure != nil || begun.Type != "input_required" || begun.Inputs["first"].Method != "elicitation/create" || begun.State == "" {
		t.Fatalf("the first call: %+v, %v", begun, failure)
	}
	next, failure := raw(t, url, "count", `{"a":1,"b":2}`, first, begun.State)
	if failure != nil || next.Inputs["second"].Method == "" || next.State == begun.State {
		t.Fatalf("the second call: %+v, %v", next, failure)
	}
	done, failure := raw(t, same, "count", `{ "b":2, "a":1.0 }`, second, next.State)
	if failure != nil || done.Type != "complete" || done.Content[0].Text != "Ada knows Bob" {
		t.Errorf("the same request, written in another way, at a server with the same key: %+v, %v", done, failure)
	}
	for name, refused := range map[string]struct{ url, tool, args, state string }{
		"changed":         {url, "count", `{"a":1,"b":2}`, next.State + "x"},
		"of no server":    {url, "count", `{"a":1,"b":2}`, "AAAA"},
		"other arguments": {url, "count", `{"a":1,"b":3}`, next.State},
		"another tool":    {url, "structured", `{"a":1,"b":2}`, next.State},
		"another server":  {other, "count", `{"a":1,"b":2}`, next.State},
	} {
		if res, failure := raw(t, refused.url, refused.tool, refused.args, second, refused.state); failure == nil || failure.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("a state that is %s: %+v, %v, want error -32602", name, res, failure)
		}
	}
	for name, answer := range map[string]string{
		"missing": `{"third":{"action":"accept","content":{"name":"Ada"}}}`, "of another kind": `{"first":{"role":"assistant","model":"m","content":{"type":"text","text":"x"}}}`,
	} {
		if res, failure := raw(t, url, "count", `{}`, answer, ""); failure != nil || res.Inputs["first"].Method == "" {
			t.Errorf("an answer that is %s: %+v, %v, want the question again", name, res, failure)
		}
	}
	for _, answer := range []string{`{"action":"accept","content":{"name":5}}`, `{"action":"accept"}`, `{"action":"perhaps"}`} {
		if res, failure := raw(t, url, "count", `{}`, `{"first":`+answer+`}`, ""); failure == nil || !strings.Contains(failure.Message, `"first"`) {
			t.Errorf("the answer %s: %+v, %v, want an error that names the key", answer, res, failure)
		}
	}
}
