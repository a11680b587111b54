package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// cancellationTime is left to the cancellation of a question before its call is answered. The SDK
// sends it in the background, and over HTTP only while the stream of the call is open: a client that
// misses it goes on asking.
const cancellationTime = 50 * time.Millisecond

// elicitKey names the question of a result that asks a person; the client answers under the same
// name.
const elicitKey = "consent"

// addElicitation fills in how a call asks the person behind its client. Only a client that declares
// forms is ever asked: one with a session at once, a stateless one by a result that is a question,
// with which the call ends before it has done anything.
func addElicitation(in inbound, c *client, r *toolkit.Request) {
	caps := in.caps
	if caps == nil || caps.Elicitation == nil || caps.Elicitation.Form == nil && caps.Elicitation.URL != nil {
		return
	}
	if c == nil {
		addLaterElicitation(in, r)
		return
	}
	r.Elicit = func(ctx context.Context, q toolkit.Question) (toolkit.Reply, error) {
		res, err := in.session.Elicit(ctx, &mcp.ElicitParams{Mode: "form", Message: q.Message, RequestedSchema: q.Schema})
		if err != nil {
			if ctx.Err() != nil {
				time.Sleep(cancellationTime)
			}
			return toolkit.Reply{}, fmt.Errorf("ask the person behind the client: %w", err)
		}
		switch res.Action {
		case toolkit.Accept:
			return toolkit.Reply{Action: toolkit.Accept, Values: res.Content}, nil
		case toolkit.Decline, toolkit.Cancel:
			return toolkit.Reply{Action: res.Action}, nil
		}
		return toolkit.Reply{}, fmt.Errorf("the client replied with the unknown action %q", res.Action)
	}
}

// addLaterElicitation lets a stateless call ask by its result, and fills in the answers of a repeated one.
func addLaterElicitation(in inbound, r *toolkit.Request) {
	if !in.isModern() {
		return // a bare client does not repeat requests
	}
	r.ElicitLater = true
	if reply := answerOf(in.responses[elicitKey]).Reply; reply != nil && in.state != "" {
		r.Answer = &toolkit.Answer{State: in.state, Reply: reply}
	}
}
