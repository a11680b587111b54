package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
	"github.com/callsheet/callsheet/gen/toolkit/uritemplate"
)

// withContents adds prompts, resources, a template and log messages to the sample.
func withContents(t *testing.T) *toolkit.Surface {
	t.Helper()
	reg := newBench().registry(0)
	entry := func(name, definition string) toolkit.Entry {
		return toolkit.Entry{Name: name, Capability: "core", Scopes: []string{"default"}, Definition: definition}
	}
	ready := entry("when_ready", `{"name":"when_ready"}`)
	ready.Requires, ready.Visible = "ready", func(f toolkit.Facts) bool { return f.Has(factReady) }
	none := func(context.Context, *toolkit.Call, toolkit.Arguments) (toolkit.PromptResult, error) {
		return toolkit.PromptResult{Messages: []toolkit.Message{toolkit.UserMessage("ready")}}, nil
	}
	reg.Prompts = []toolkit.Prompt{
		{
			Entry:     entry("review", `{"name":"review","arguments":[{"name":"language","required":true},{"name":"style"}]}`),
			Arguments: []toolkit.Argument{{Name: "language", Required: true, Values: []string{"go", "Gleam", "rust"}}, {Name: "style", Complete: completeStyle}},
			Get: func(_ context.Context, _ *toolkit.Call, args toolkit.Arguments) (toolkit.PromptResult, error) {
				return toolkit.PromptResult{Description: "A review.", Messages: []toolkit.Message{
					toolkit.UserMessage("Review this " + args["language"] + " <b>" + args.Opt("style").Or("plainly") + "</b>"),
					{Role: toolkit.RoleAssistant, Content: toolkit.Content{Data: []byte{1, 2}, MIME: "image/png"}},
				}}, nil
			},
		},
		{Entry: entry("panics", `{"name":"panics"}`), Get: func(context.Context, *toolkit.Call, toolkit.Arguments) (toolkit.PromptResult, error) { panic("sample") }},
		{Entry: ready, Get: none},
	}
	reg.Resources = []toolkit.Resource{
		{
			Entry: entry("motd", `{"uri":"note://motd","name":"motd"}`), URI: "note://motd", MIME: "text/plain", Subscribe: true,
			Read: func(context.Context, *toolkit.Call, string, toolkit.Arguments) (toolkit.Contents, error) {
				return toolkit.Contents{Text: "hello"}, nil
			},
		},
		{
			Entry: entry("note", `{"uriTemplate":"note://by/{author}","name":"note"}`), Template: uritemplate.MustParse("note://by/{author}"),
			Variables: []toolkit.Argument{{Name: "author", Values: []string{"ada", "bob"}}},
			Read: func(_ context.Context, _ *toolkit.Call, _ string, vars toolkit.Arguments) (toolkit.Contents, error) {
				if vars["author"] == "nobody" {
					return toolkit.Contents{}, errors.New("disk /secret is full")
				}
				return toolkit.Contents{Data: []byte(vars["author"]), MIME: "application/x-note"}, nil
			},
		},
	}
	reg.Logs = true
	for i := range reg.Tools {
		if reg.Tools[i].Name == "echo" {
			run := reg.Tools[i].Invoke
			reg.Tools[i].Invoke = func(ctx context.Context, c *toolkit.Call, g grant.Grant, args []byte) (toolkit.CallResult, error) {
				c.Log(toolkit.LogDebug, "details")
				c.Log(toolkit.LogWarning, map[string]string{"what": "careful"})
				c.Session.Surface().ResourceUpdated("note://motd")
				return run(ctx, c, g, args)
			}
		}
	}
	surface, err := toolkit.NewSurface(reg.Index(), toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return surface
}

func completeStyle(_ context.Context, _ *toolkit.Call, in toolkit.Completion) ([]string, error) {
	return []string{in.Arguments["language"] + "-" + in.Value}, nil
}

// serveContents serves withContents over HTTP.
func serveContents(t *testing.T) string {
	t.Helper()
	s := mcpserver.New(withContents(t), mcpserver.Options{Name: "sample", Version: "1"})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return listen(t, s, mcpserver.HTTPOptions{})
}

// eachEra runs a test with a client of each kind of revision.
func eachEra(t *testing.T, opt mcp.ClientOptions, run func(t *testing.T, cs *mcp.ClientSession)) {
	for _, version := range toolkittest.Revisions() {
		t.Run(version, func(t *testing.T) {
			run(t, toolkittest.Dial(t, toolkittest.HTTP(serveContents(t), ""), nil, toolkittest.Revision(version), toolkittest.Client(opt)).ClientSession)
		})
	}
}

func TestPrompts(t *testing.T) {
	eachEra(t, mcp.ClientOptions{}, func(t *testing.T, cs *mcp.ClientSession) {
		list, err := cs.ListPrompts(t.Context(), nil)
		if err != nil || len(list.Prompts) < 2 || list.Prompts[0].Name != "review" || !list.Prompts[0].Arguments[0].Required {
			t.Fatalf("%+v %v", list, err)
		}
		got, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "review", Arguments: map[string]string{"language": "go", "style": "<&>"}})
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(got.Messages)
		const want = `[{"content":{"type":"text","text":"Review this go \u003cb\u003e\u003c\u0026\u003e\u003c/b\u003e"},"role":"user"},` +
			`{"content":{"type":"image","mimeType":"image/png","data":"AQI="},"role":"assistant"}]`
		if d := cmp.Diff(want, string(text)); d != "" || got.Description != "A review." {
			t.Error(got.Description, d)
		}
		for name, c := range map[string]struct {
			params mcp.GetPromptParams
			want   string
		}{
			"missing":   {mcp.GetPromptParams{Name: "review"}, `"language" is required`},
			"unknown":   {mcp.GetPromptParams{Name: "review", Arguments: map[string]string{"language": "go", "stile": "x"}}, `"stile" is unknown`},
			"no prompt": {mcp.GetPromptParams{Name: "reveiw"}, `did you mean "review"`},
			"hidden":    {mcp.GetPromptParams{Name: "when_ready"}, "it needs ready"},
			"panic":     {mcp.GetPromptParams{Name: "panics"}, "the server failed inside this handler"},
		} {
			_, err := cs.GetPrompt(t.Context(), &c.params)
			if code := codeOf(err); err == nil || !strings.Contains(err.Error(), c.want) || code != jsonrpc.CodeInvalidParams && name != "panic" {
				t.Errorf("%s: %d %v, want %s", name, code, err, c.want)
			}
		}
	})
}

func codeOf(err error) int64 {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		return wire.Code
	}
	return 0
}

func TestCompletions(t *testing.T) {
	prompt, template := &mcp.CompleteReference{Type: "ref/prompt", Name: "review"}, &mcp.CompleteReference{Type: "ref/resource", URI: "note://by/{author}"}
	eachEra(t, mcp.ClientOptions{}, func(t *testing.T, cs *mcp.ClientSession) {
		for _, c := range []struct {
			ref         *mcp.CompleteReference
			name, value string
			want        []string
		}{
			{prompt, "language", "g", []string{"go", "Gleam"}},
			{prompt, "style", "st", []string{"go-st"}},
			{template, "author", "b", []string{"bob"}},
		} {
			got, err := cs.Complete(t.Context(), &mcp.CompleteParams{
				Ref: c.ref, Argument: mcp.CompleteParamsArgument{Name: c.name, Value: c.value}, Context: &mcp.CompleteContext{Arguments: map[string]string{"language": "go"}},
			})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if d := cmp.Diff(c.want, got.Completion.Values); d != "" || got.Completion.Total != len(c.want) {
				t.Errorf("%s: %s", c.name, d)
			}
		}
		if _, err := cs.Complete(t.Context(), &mcp.CompleteParams{Ref: prompt, Argument: mcp.CompleteParamsArgument{Name: "lang"}}); codeOf(err) != jsonrpc.CodeInvalidParams {
			t.Errorf("an unknown argument: %v", err)
		}
	})
}

func TestResourcesOfTheRegistry(t *testing.T) {
	eachEra(t, mcp.ClientOptions{}, func(t *testing.T, cs *mcp.ClientSession) {
		list, err := cs.ListResources(t.Context(), nil)
		if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != "note://motd" {
			t.Errorf("%+v %v", list, err)
		}
		templates, err := cs.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate != "note://by/{author}" {
			t.Errorf("%+v %v", templates, err)
		}
		for uri, want := range map[string]mcp.ResourceContents{
			"note://motd":        {URI: "note://motd", MIMEType: "text/plain", Text: "hello"},
			"note://by/ada%20b":  {URI: "note://by/ada%20b", MIMEType: "application/x-note", Blob: []byte("ada b")},
			"note://by/x/../etc": {},
			"note://none":        {},
		} {
			got, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if want.URI == "" {
				if codeOf(err) != jsonrpc.CodeInvalidParams {
					t.Errorf("%s: %v", uri, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", uri, err)
				continue
			}
			if d := cmp.Diff(want, *got.Contents[0]); d != "" {
				t.Errorf("%s: %s", uri, d)
			}
		}
		if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "note://by/nobody"}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("an error that is not made for clients: %v", err)
		}
	})
}

// TestNotificationsOfContents covers updates of a resource, log messages by level, and lists that follow
// facts, for a client with a session.
func TestNotificationsOfContents(t *testing.T) {
	updated, logged, prompts := make(chan string, 8), make(chan *mcp.LoggingMessageParams, 8), make(chan bool, 8)
	cs := connect(t, serveContents(t), &mcp.ClientOptions{
		ResourceUpdatedHandler:   func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
		LoggingMessageHandler:    func(_ context.Context, r *mcp.LoggingMessageRequest) { logged <- r.Params },
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { prompts <- true },
	}, false)
	defer func() { _ = cs.Close() }()
	if err := cs.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "note://by/ada"}); codeOf(err) != jsonrpc.CodeInvalidParams {
		t.Errorf("a resource without updates: %v", err)
	}
	if err := cs.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "note://motd"}); err != nil {
		t.Fatal(err)
	}
	if err := cs.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "warning"}); err != nil {
		t.Fatal(err)
	}
	if _, err := cs.ListPrompts(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{}}); err != nil {
		t.Fatal(err)
	}
	if uri := receive(t, updated); uri != "note://motd" {
		t.Errorf("updated %s", uri)
	}
	if m := receive(t, logged); m.Level != "warning" || len(logged) > 0 {
		t.Errorf("logged %+v", m)
	}
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "toggle", Arguments: map[string]any{"times": 1}}); err != nil {
		t.Fatal(err)
	}
	receive(t, prompts)
	list, err := cs.ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) != 3 {
		t.Errorf("%+v %v", list, err)
	}
}

// TestNothingIsDeclaredThatIsNotThere asks a server of tools for everything else.
func TestNothingIsDeclaredThatIsNotThere(t *testing.T) {
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	cs := connect(t, listen(t, s, mcpserver.HTTPOptions{}), nil, true)
	defer func() { _ = cs.Close() }()
	if c := cs.InitializeResult().Capabilities; c.Prompts != nil || c.Resources != nil || c.Completions != nil || c.Logging != nil {
		t.Errorf("declared: %+v", c)
	}
	_, prompts := cs.ListPrompts(t.Context(), nil)
	_, resources := cs.ListResources(t.Context(), nil)
	level := cs.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "warning"})
	for what, err := range map[string]error{"prompts": prompts, "resources": resources, "logging": level} {
		if err == nil {
			t.Errorf("%s are served", what)
		}
	}
}

func receive[T any](t *testing.T, from <-chan T) (out T) {
	t.Helper()
	select {
	case out = <-from:
	case <-time.After(time.Minute):
		t.Fatal("nothing came in a minute")
	}
	return out
}
