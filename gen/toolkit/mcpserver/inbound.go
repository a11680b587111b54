package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// inbound has the parts of a request that the questions and notifications to its client need while it is served.
type inbound struct {
	session   *mcp.ServerSession
	caps      *mcp.ClientCapabilities
	meta      map[string]any
	token     any // of progress
	responses mcp.InputResponseMap
	state     string
}

func ofCall(req *mcp.CallToolRequest) inbound {
	p := req.Params
	return inbound{req.Session, req.ClientCapabilities(), p.Meta, p.GetProgressToken(), p.InputResponses, p.RequestState}
}

func ofPrompt(req *mcp.GetPromptRequest) inbound {
	p := req.Params
	return inbound{req.Session, req.ClientCapabilities(), p.Meta, p.GetProgressToken(), p.InputResponses, p.RequestState}
}

func ofRead(req *mcp.ReadResourceRequest) inbound {
	p := req.Params
	return inbound{req.Session, req.ClientCapabilities(), p.Meta, p.GetProgressToken(), p.InputResponses, p.RequestState}
}

// isModern reports whether the request is of a stateless revision.
func (in inbound) isModern() bool {
	version, _ := in.meta[mcp.MetaKeyProtocolVersion].(string)
	return version >= modernVersion
}

// request begins the request that a handler is given. It is bounded by ctx. The parts of subject tell it
// from every other request of its principal.
func (s *Server) request(ctx context.Context, in inbound, v requestScope, subject ...string) toolkit.Request {
	r := toolkit.Request{Progress: progressTo(ctx, in), Logger: s.log, Principal: v.principal}
	addSampling(in, v, &r)
	addElicitation(in, v.client, &r)
	s.addRoots(in, v.client, &r)
	addInputs(in, v.client, &r)
	s.addLog(ctx, in, &r)
	s.addInteraction(in, v, strings.Join(subject, "\x00"), &r)
	return r
}

// addInputs fills in the answers and the state of a repeated stateless request.
func addInputs(in inbound, c *client, r *toolkit.Request) {
	if c != nil || !in.isModern() {
		return
	}
	r.RootsLater = in.caps != nil && in.caps.RootsV2 != nil
	r.Inputs.State = in.state
	for key, response := range in.responses {
		if r.Inputs.Answers == nil {
			r.Inputs.Answers = make(map[string]toolkit.InputAnswer, len(in.responses))
		}
		r.Inputs.Answers[key] = answerOf(response)
	}
}

func answerOf(response mcp.InputResponse) (out toolkit.InputAnswer) {
	switch a := response.(type) {
	case *mcp.ElicitResult:
		out.Reply = &toolkit.Reply{Action: a.Action, Values: a.Content}
	case *mcp.CreateMessageResult:
		out = sampledAnswer(toolkit.Sampled{Role: string(a.Role), Model: a.Model, StopReason: a.StopReason}, a.Content)
	case *mcp.CreateMessageWithToolsResult:
		out = sampledAnswer(toolkit.Sampled{Role: string(a.Role), Model: a.Model, StopReason: a.StopReason}, a.Content...)
	case *mcp.ListRootsResult:
		out.Roots = []toolkit.Root{}
		for _, root := range a.Roots {
			out.Roots = append(out.Roots, toolkit.Root{URI: root.URI, Name: root.Name})
		}
	}
	return out
}

// sampledAnswer is a message of the client's model.
func sampledAnswer(m toolkit.Sampled, content ...mcp.Content) toolkit.InputAnswer {
	for _, c := range content {
		switch c := c.(type) {
		case *mcp.TextContent:
			m.Content = append(m.Content, toolkit.Content{Text: c.Text})
		case *mcp.ImageContent:
			m.Content = append(m.Content, toolkit.Content{Data: c.Data, MIME: c.MIMEType})
		case *mcp.AudioContent:
			m.Content = append(m.Content, toolkit.Content{Data: c.Data, MIME: c.MIMEType})
		}
	}
	return toolkit.InputAnswer{Text: textOf(content), Sampled: &m}
}

// inputRequest is a question of a result as the protocol has it.
func inputRequest(in toolkit.Input) mcp.InputRequest {
	switch {
	case in.Question != nil:
		return elicitParams(*in.Question)
	case in.Sampling != nil:
		return createMessage(*in.Sampling)
	}
	return &mcp.ListRootsParams{}
}

// protocolError renders the error of a request whose answers have no isError.
func protocolError(err error) error {
	var p *toolkit.ProtocolError
	var r *toolkit.Refusal
	switch {
	case errors.As(err, &p):
		out := &jsonrpc.Error{Code: int64(p.Code), Message: p.Message}
		if p.Data != nil {
			if data, err := json.Marshal(p.Data); err == nil {
				out.Data = data
			}
		}
		return out
	case errors.As(err, &r):
		code := int64(jsonrpc.CodeInternalError)
		if r.Code == toolkit.InvalidArguments {
			code = jsonrpc.CodeInvalidParams
		}
		return &jsonrpc.Error{Code: code, Message: r.Message, Data: r.Envelope()}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the call was cancelled"}
	}
	return err
}

// addLog fills in how a handler sends log messages. A client with a session chooses their level with
// logging/setLevel, and a stateless one with each request; before that it is sent none. After the
// request has ended nothing is sent.
func (s *Server) addLog(ctx context.Context, in inbound, r *toolkit.Request) {
	if !s.surface.Registry().Logs {
		return
	}
	r.Log = func(level toolkit.LogLevel, data any) {
		if ctx.Err() != nil {
			return
		}
		_ = in.session.Log(ctx, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(level), Logger: s.opt.Name, Data: data}) // a client that has gone misses nothing
	}
}
