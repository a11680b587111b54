package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// inbound is what of a request decides how its client can be asked and told while it is served.
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

// request begins the request that a handler is given. It is bounded by ctx.
func (s *Server) request(ctx context.Context, in inbound, v requestScope) toolkit.Request {
	r := toolkit.Request{Progress: progressTo(ctx, in), Logger: s.log, Principal: v.principal}
	addSampling(in, v, &r)
	addElicitation(in, v.client, &r)
	s.addRoots(in, v.client, &r)
	addInputs(in, v.client, &r)
	s.addLog(ctx, in, &r)
	return r
}

// addInputs fills in what a stateless request was repeated with.
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
		out.Text = textOf([]mcp.Content{a.Content})
	case *mcp.CreateMessageWithToolsResult:
		out.Text = textOf(a.Content)
	case *mcp.ListRootsResult:
		for _, root := range a.Roots {
			out.Roots = append(out.Roots, root.URI)
		}
	}
	return out
}

// inputRequest is a question of a result as the protocol has it.
func inputRequest(in toolkit.Input) mcp.InputRequest {
	switch {
	case in.Question != nil:
		return &mcp.ElicitParams{Mode: "form", Message: in.Question.Message, RequestedSchema: in.Question.Schema}
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
