package external

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/text"
)

type askerKey struct{}

// WithAsker has the questions of servers, during calls under ctx, asked of a person. Without it they
// are declined.
func WithAsker(ctx context.Context, ask toolkit.Asker) context.Context {
	return context.WithValue(ctx, askerKey{}, ask)
}

func askerOf(ctx context.Context) toolkit.Asker {
	ask, _ := ctx.Value(askerKey{}).(toolkit.Asker)
	return ask
}

// Limits of questions: characters of a message, rounds of questions of one call, and the time after
// which a call that waits for a person gets its timeout anew.
const (
	maxQuestion       = 2000
	maxQuestionRounds = 10
	keepAliveTime     = time.Second
)

// onElicit answers elicitation/create. A request does not say which call it belongs to, so that it
// is asked only while one call runs on the connection.
func (c *connection) onElicit(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	c.mu.Lock()
	var call *pendingCall
	for _, p := range c.calls {
		call = p
	}
	if len(c.calls) != 1 {
		call = nil
	}
	c.mu.Unlock()
	if call == nil {
		return &mcp.ElicitResult{Action: toolkit.Decline}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(call.ctx, cancel)
	defer stop()
	return c.answer(ctx, call, req.Params), nil
}

// answer passes a question on, with the name of the server. Whatever cannot be asked is declined:
// other modes than forms, and callers without a person.
func (c *connection) answer(ctx context.Context, call *pendingCall, p *mcp.ElicitParams) *mcp.ElicitResult {
	declined := &mcp.ElicitResult{Action: toolkit.Decline}
	if call.ask == nil || p.URL != "" || p.Mode != "" && p.Mode != "form" {
		return declined
	}
	schema, err := json.Marshal(p.RequestedSchema)
	if err != nil || p.RequestedSchema == nil {
		schema = []byte(`{"type":"object","properties":{}}`)
	}
	done := make(chan struct{})
	defer close(done)
	go func() { // a person takes longer than a server
		ticks := time.NewTicker(keepAliveTime)
		defer ticks.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticks.C:
				call.resetTimeout()
			}
		}
	}()
	message := fmt.Sprintf("Server %q asks: %s", c.server.entry.Alias, text.ClipRunes(p.Message, maxQuestion))
	reply, err := call.ask(ctx, toolkit.Question{Message: message, Schema: schema})
	if err != nil {
		c.server.reg.log.Warn("a question of a server was not answered", "server", c.server.entry.Alias, "error", err)
		return &mcp.ElicitResult{Action: toolkit.Cancel}
	}
	return &mcp.ElicitResult{Action: reply.Action, Content: reply.Values}
}

// onlyQuestions reports whether a result asks for nothing but answers of a person.
func onlyQuestions(requests mcp.InputRequestMap) bool {
	for _, r := range requests {
		if _, ok := r.(*mcp.ElicitParams); !ok {
			return false
		}
	}
	return len(requests) > 0
}

// answerAll answers the questions of a result one after the other.
func (c *connection) answerAll(ctx context.Context, call *pendingCall, requests mcp.InputRequestMap) mcp.InputResponseMap {
	out := mcp.InputResponseMap{}
	for id, r := range requests {
		out[id] = c.answer(ctx, call, r.(*mcp.ElicitParams)) // onlyQuestions has looked
	}
	return out
}
