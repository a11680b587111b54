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

// addElicitation fills in how a call asks the person behind its client. Only a client with a session
// that declares forms is ever asked: a stateless one would have to repeat the call, and what the
// call has done by then with it.
func addElicitation(req *mcp.CallToolRequest, c *client, r *toolkit.Request) {
	caps := req.ClientCapabilities()
	if c == nil || caps == nil || caps.Elicitation == nil || caps.Elicitation.Form == nil && caps.Elicitation.URL != nil {
		return
	}
	r.Elicit = func(ctx context.Context, q toolkit.Question) (toolkit.Reply, error) {
		res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Mode: "form", Message: q.Message, RequestedSchema: q.Schema})
		if ctx.Err() != nil {
			time.Sleep(cancellationTime)
		}
		if err != nil {
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
