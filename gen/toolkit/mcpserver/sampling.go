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

// addSampling fills in how the client of a call can be asked to sample, and what it has answered. Only
// a client that declares the capability is ever asked: sessions directly, stateless clients by a
// result that is a question.
func addSampling(in inbound, v requestScope, r *toolkit.Request) {
	if in.caps == nil || in.caps.Sampling == nil {
		return
	}
	if v.client != nil {
		r.Sample = func(ctx context.Context, s toolkit.Sampling) (string, error) {
			res, err := in.session.CreateMessage(ctx, createMessage(s))
			if err != nil {
				return "", fmt.Errorf("ask the client's model: %w", err)
			}
			return textOf([]mcp.Content{res.Content}), nil
		}
		return
	}
	if !in.isModern() {
		return // a bare client does not repeat requests
	}
	r.Repeats = true
	if in.state == "" {
		return
	}
	r.Answer = &toolkit.Answer{State: in.state, Text: answerOf(in.responses[askKey]).Text}
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
	if len(a.Inputs) > 0 {
		asks = make(mcp.InputRequestMap, len(a.Inputs))
		for _, in := range a.Inputs {
			asks[in.Key] = inputRequest(in)
		}
	}
	requests, err := json.Marshal(asks)
	if err != nil {
		return nil, fmt.Errorf("encode the question: %w", err)
	}
	text := append([]byte(`{"resultType":"input_required","inputRequests":`), appendLine(nil, requests)...)
	if a.State != "" {
		text = appendString(append(text, `,"requestState":`...), a.State)
	}
	return body{{text: append(text, e.close...)}}, nil
}
