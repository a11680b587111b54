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
	out := &mcp.CreateMessageParams{
		SystemPrompt: s.System, MaxTokens: int64(s.MaxTokens), Temperature: s.Temperature, StopSequences: s.StopSequences,
		ModelPreferences: modelPreferences(s.Model),
	}
	for _, m := range s.Messages {
		out.Messages = append(out.Messages, &mcp.SamplingMessage{Role: mcp.Role(m.Role), Content: samplingContent(m.Content)})
	}
	if s.Prompt != "" || len(s.Messages) == 0 {
		out.Messages = append(out.Messages, &mcp.SamplingMessage{Role: toolkit.RoleUser, Content: &mcp.TextContent{Text: s.Prompt}})
	}
	return out
}

// samplingContent is content that a model can be given: a text, a picture or a sound.
func samplingContent(c toolkit.Content) mcp.Content {
	switch {
	case c.Data == nil:
		return &mcp.TextContent{Text: c.Text}
	case mediaKind(c.MIME) == "audio":
		return &mcp.AudioContent{Data: c.Data, MIMEType: c.MIME}
	}
	return &mcp.ImageContent{Data: c.Data, MIMEType: c.MIME}
}

// modelPreferences is nil where a handler has none.
func modelPreferences(p toolkit.ModelPreferences) *mcp.ModelPreferences {
	if len(p.Hints) == 0 && p.Cost == 0 && p.Speed == 0 && p.Intelligence == 0 {
		return nil
	}
	out := &mcp.ModelPreferences{CostPriority: p.Cost, SpeedPriority: p.Speed, IntelligencePriority: p.Intelligence}
	for _, name := range p.Hints {
		out.Hints = append(out.Hints, &mcp.ModelHint{Name: name})
	}
	return out
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
		asks = mcp.InputRequestMap{elicitKey: elicitParams(*q)}
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
