package mcpserver

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// prompt answers a request about prompts and completions, and reports false for every other request
// and where nothing of the kind is declared.
func (s *Server) prompt(ctx context.Context, req mcp.Request) (res mcp.Result, handled bool, err error) {
	switch req := req.(type) {
	case *mcp.ListPromptsRequest:
		if s.declared.Prompts != nil {
			res, err = s.listPrompts(ctx, req)
			return res, true, err
		}
	case *mcp.GetPromptRequest:
		if s.declared.Prompts != nil {
			res, err = s.getPrompt(ctx, req)
			return res, true, err
		}
	case *mcp.CompleteRequest:
		if s.declared.Completions != nil {
			res, err = s.complete(ctx, req)
			return res, true, err
		}
	}
	return nil, false, nil
}

// listPrompts answers prompts/list with the session's compiled list. There is one page.
func (s *Server) listPrompts(ctx context.Context, req *mcp.ListPromptsRequest) (mcp.Result, error) {
	var meta map[string]any
	if req.Params != nil {
		meta = req.Params.Meta
		if req.Params.Cursor != "" {
			return nil, invalidParams("no such cursor: the list has one page")
		}
	}
	v, err := s.scopeOf(ctx, req.Session, meta)
	if err != nil {
		return nil, err
	}
	defer v.done()
	list, set := v.session.PromptList()
	if v.client != nil && v.client.prompts != nil {
		v.client.prompts.listed(toolkit.Shown{Tools: set})
	}
	return s.bodies.put(ctx, v.envelope.listBody("prompts", list)), nil
}

func (s *Server) getPrompt(ctx context.Context, req *mcp.GetPromptRequest) (mcp.Result, error) {
	if req.Params == nil || req.Params.Name == "" {
		return nil, invalidParams("a request for a prompt names it")
	}
	in := ofPrompt(req)
	v, err := s.scopeOf(ctx, req.Session, in.meta)
	if err != nil {
		return nil, err
	}
	defer v.done()
	running, stop := s.bounded(ctx, v.client)
	defer stop()
	args, err := json.Marshal(req.Params.Arguments)
	if err != nil {
		return nil, err
	}
	request := s.request(running, in, v, "prompts/get", req.Params.Name, string(args))
	res, err := v.session.GetPrompt(running, req.Params.Name, req.Params.Arguments, request)
	if err != nil {
		return nil, protocolError(err)
	}
	if res.Ask != nil {
		return s.ask(ctx, v, res.Ask)
	}
	return s.bodies.put(ctx, v.envelope.promptBody(res)), nil
}

// complete answers completion/complete.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (mcp.Result, error) {
	p := req.Params
	if p == nil || p.Ref == nil || p.Argument.Name == "" {
		return nil, invalidParams("a completion names what it is of, and the argument")
	}
	v, err := s.scopeOf(ctx, req.Session, p.Meta)
	if err != nil {
		return nil, err
	}
	defer v.done()
	running, stop := s.bounded(ctx, v.client)
	defer stop()
	in := toolkit.Completion{Value: p.Argument.Value}
	if p.Context != nil {
		in.Arguments = p.Context.Arguments
	}
	request := toolkit.Request{Logger: s.log, Principal: v.principal}
	var values toolkit.Completions
	if p.Ref.Type == "ref/prompt" {
		values, err = v.session.CompletePrompt(running, p.Ref.Name, p.Argument.Name, in, request)
	} else {
		values, err = v.session.CompleteTemplate(running, p.Ref.URI, p.Argument.Name, in, request)
	}
	if err != nil {
		return nil, protocolError(err)
	}
	return s.bodies.put(ctx, v.envelope.completionBody(values)), nil
}

// promptBody renders the messages of a prompt.
func (e envelope) promptBody(res toolkit.PromptResult) body {
	b := bodyBuilder{text: append([]byte(nil), e.open...)}
	if res.Description != "" {
		b.text = append(appendString(append(b.text, `"description":`...), res.Description), ',')
	}
	b.text = append(b.text, `"messages":[`...)
	for i, m := range res.Messages {
		if i > 0 {
			b.text = append(b.text, ',')
		}
		b.text = appendString(append(b.text, `{"role":`...), m.Role)
		b.text = append(b.text, `,"content":`...)
		b.content(m.Content)
		b.text = append(b.text, '}')
	}
	return b.end(append([]byte(`]`), e.close...))
}

// completionBody renders the values that complete an argument.
func (e envelope) completionBody(c toolkit.Completions) body {
	text := append(append([]byte(nil), e.open...), `"completion":{"values":[`...)
	for i, value := range c.Values {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendString(text, value)
	}
	text = strconv.AppendInt(append(text, `],"total":`...), int64(c.Total), 10)
	if c.Total > len(c.Values) {
		text = append(text, `,"hasMore":true`...)
	}
	return body{{text: append(append(text, '}'), e.close...)}}
}
