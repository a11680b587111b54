package main

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"

	"github.com/callsheet/callsheet/examples/conformance/generated/registry"
)

// TestBoundaries holds the decoder of each tool against its schema.
func TestBoundaries(t *testing.T) {
	toolkittest.Boundaries(t, registry.New(registry.Handlers{}))
}

// TestEras calls tools of each area with a client of each era. The suite itself needs npm.
func TestEras(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			cs := connect(t, version)
			for tool, want := range map[string]string{
				"test_simple_text":                           "This is a simple text response for testing.",
				"test_error_handling":                        "FAILED: This tool intentionally returns an error for testing",
				"test_tool_with_progress":                    "Reported progress three times.",
				"test_elicitation_sep1034_defaults":          `Elicitation completed: action=accept, content={"age":30,"name":"Ada","score":95.5,"status":"active","verified":true}`,
				"test_input_required_result_multi_round":     "Ada likes green.",
				"test_input_required_result_multiple_inputs": "Good day Ada (file:///work)",
			} {
				if got := cs.Do(t, tool, nil).Text; got != want {
					t.Errorf("%s: got  %s\nwant %s", tool, got, want)
				}
			}
			prompt, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "test_input_required_result_prompt"})
			if err != nil || !strings.HasSuffix(prompt.Messages[0].Content.(*mcp.TextContent).Text, "context: a garden") {
				t.Errorf("a prompt that asks: %v, %v", prompt, err)
			}
			data, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "test://template/7/data"})
			if err != nil || data.Contents[0].Text != `{"id":"7","templateTest":true,"data":"Data for ID: 7"}` {
				t.Errorf("a template: %v, %v", data, err)
			}
		})
	}
}

// connect connects a client that answers every question.
func connect(t *testing.T, version string) *toolkittest.Kit {
	t.Helper()
	server, err := newServer(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return toolkittest.Dial(t, toolkittest.Lines(t, server), nil, toolkittest.Revision(version), toolkittest.Roots("file:///work"), toolkittest.Client(mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			values := map[string]any{}
			for name := range req.Params.RequestedSchema.(map[string]any)["properties"].(map[string]any) {
				if value, ok := map[string]any{"name": "Ada", "color": "green", "context": "a garden"}[name]; ok {
					values[name] = value
				}
			}
			return &mcp.ElicitResult{Action: "accept", Content: values}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "Good day"}}, nil
		},
	}))
}
