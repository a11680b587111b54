package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// addInteraction fills in how a handler asks the client with Call.Ask. subject tells the request from
// every other one, for the seal of its state.
func (s *Server) addInteraction(in inbound, v requestScope, subject string, r *toolkit.Request) {
	i := &r.Interaction
	i.Kinds = kindsOf(in.caps)
	switch {
	case v.client != nil:
		i.Completed = func(ctx context.Context, id string) error {
			return in.session.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{ElicitationID: id})
		}
		i.Ask = func(ctx context.Context, input toolkit.Input) (toolkit.InputAnswer, error) {
			return askNow(ctx, in.session, input)
		}
	case in.isModern():
		about := v.principal + "\x00" + subject
		i.Check = checkAnswer
		i.Seal = func(a toolkit.Answers) (string, error) { return s.states.seal(about, a) }
		i.Open = func(state string) (toolkit.Answers, error) { return s.states.open(about, state) }
	}
}

// canonical is JSON as its value alone decides, so that a client may write it in another way when it
// repeats a request.
func canonical(text []byte) string {
	v := jsontext.Value(bytes.Clone(text))
	if v.Canonicalize() != nil {
		return string(text)
	}
	return string(v)
}

// kindsOf returns the kinds of input that a client has declared. Elicitation without a mode is forms.
func kindsOf(caps *mcp.ClientCapabilities) (kinds toolkit.InputKinds) {
	if caps == nil {
		return 0
	}
	if e := caps.Elicitation; e != nil {
		if e.Form != nil || e.URL == nil {
			kinds |= toolkit.InputForm
		}
		if e.URL != nil {
			kinds |= toolkit.InputURL
		}
	}
	if caps.Sampling != nil {
		kinds |= toolkit.InputSampling
	}
	if caps.RootsV2 != nil {
		kinds |= toolkit.InputRoots
	}
	return kinds
}

// askNow asks the client of a session and waits for its answer.
func askNow(ctx context.Context, ss *mcp.ServerSession, in toolkit.Input) (toolkit.InputAnswer, error) {
	answer, err := sendInput(ctx, ss, in)
	switch {
	case err == nil:
		return answerOf(answer), nil
	case ctx.Err() != nil:
		time.Sleep(cancellationTime)
		return toolkit.InputAnswer{}, ctx.Err()
	}
	return toolkit.InputAnswer{}, toolkit.Refuse(toolkit.Failed, fmt.Sprintf("the client did not answer %q: %v", in.Key, err))
}

func sendInput(ctx context.Context, ss *mcp.ServerSession, in toolkit.Input) (mcp.InputResponse, error) {
	switch {
	case in.Question != nil:
		params := elicitParams(*in.Question)
		params.ElicitationID = in.Question.ID
		return ss.Elicit(ctx, params)
	case in.Sampling != nil:
		return ss.CreateMessage(ctx, createMessage(*in.Sampling))
	}
	return ss.ListRoots(ctx, nil)
}

// elicitParams is a question as the protocol has it.
func elicitParams(q toolkit.Question) *mcp.ElicitParams {
	if q.URL != "" {
		return &mcp.ElicitParams{Mode: "url", Message: q.Message, URL: q.URL}
	}
	return &mcp.ElicitParams{Mode: "form", Message: q.Message, RequestedSchema: q.Schema}
}

// checkAnswer holds the values of an answer against the schema of its question, as the SDK does in
// sessions, and fills in defaults.
func checkAnswer(in toolkit.Input, answer toolkit.InputAnswer) error {
	if in.Question == nil || in.Question.URL != "" {
		return nil
	}
	switch answer.Reply.Action {
	case toolkit.Decline, toolkit.Cancel:
		return nil
	case toolkit.Accept:
	default:
		return fmt.Errorf("unknown action %q", answer.Reply.Action)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(in.Question.Schema, &schema); err != nil {
		return fmt.Errorf("the schema of the question: %w", err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return fmt.Errorf("the schema of the question: %w", err)
	}
	if answer.Reply.Values == nil { // clients leave empty content out; the schema says whether it may be empty
		answer.Reply.Values = map[string]any{}
	}
	if err := resolved.Validate(answer.Reply.Values); err != nil {
		return fmt.Errorf("it does not fit the question: %w", err)
	}
	return resolved.ApplyDefaults(&answer.Reply.Values) //nolint:wrapcheck // the schema is the handler's
}
