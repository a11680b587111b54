package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// askKey names the one question of a result; the client answers under the same name.
const askKey = "summary"

// sampling fills in how the client of a call can be asked to sample, and what it has answered. Only
// a client that declares the capability is ever asked: sessions directly, stateless clients by a
// result that is a question.
func sampling(req *mcp.CallToolRequest, v requestScope, r *toolkit.Request) {
	if caps := req.ClientCapabilities(); caps == nil || caps.Sampling == nil {
		return
	}
	if v.client != nil {
		r.Sample = func(ctx context.Context, s toolkit.Sampling) (string, error) {
			res, err := req.Session.CreateMessage(ctx, createMessage(s))
			if err != nil {
				return "", fmt.Errorf("ask the client's model: %w", err)
			}
			return textOf([]mcp.Content{res.Content}), nil
		}
		return
	}
	if version, _ := req.Params.Meta[mcp.MetaKeyProtocolVersion].(string); version < modernVersion {
		return // a bare client does not repeat requests
	}
	r.Repeats = true
	if req.Params.RequestState == "" {
		return
	}
	r.Answer = &toolkit.Answer{State: req.Params.RequestState}
	switch a := req.Params.InputResponses[askKey].(type) {
	case *mcp.CreateMessageResult:
		r.Answer.Text = textOf([]mcp.Content{a.Content})
	case *mcp.CreateMessageWithToolsResult:
		r.Answer.Text = textOf(a.Content)
	}
}

func createMessage(s toolkit.Sampling) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{
		SystemPrompt: s.System, MaxTokens: int64(s.MaxTokens),
		Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: s.Prompt}}},
	}
}

func textOf(content []mcp.Content) string {
	var parts []string
	for _, c := range content {
		if t, ok := c.(*mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// askBody renders a result that is a question.
func (e envelope) askBody(a *toolkit.Ask) (body, error) {
	asks := mcp.InputRequestMap{askKey: createMessage(a.Sampling)}
	if q := a.Question; q != nil {
		asks = mcp.InputRequestMap{elicitKey: &mcp.ElicitParams{Mode: "form", Message: q.Message, RequestedSchema: q.Schema}}
	}
	requests, err := json.Marshal(asks)
	if err != nil {
		return nil, fmt.Errorf("encode the question: %w", err)
	}
	text := append([]byte(`{"resultType":"input_required","inputRequests":`), appendLine(nil, requests)...)
	text = appendString(append(text, `,"requestState":`...), a.State)
	return body{{text: append(text, e.close...)}}, nil
}
