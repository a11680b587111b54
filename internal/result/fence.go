package result

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// Fence is the layer that every text of every result passes, those of workflows, of external servers and
// of refusals too, and that of every question to the client. It stands directly around the tools, so that the journal and recorders get what the
// client gets.
func Fence(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, s *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		ctx, nonce := fence.WithNonce(ctx)
		if progress := req.Progress; progress != nil {
			req.Progress = func(done, total float64, message string) { progress(done, total, fence.Line(message)) }
		}
		seal := toolkit.Rewriter{
			Text: func(text string) string { return fence.Seal(text, nonce) },
			JSON: func(schema []byte) []byte { return fence.SealJSON(schema, nonce) },
		}
		req.Interaction = seal.Interaction(req.Interaction)
		if ask := req.Elicit; ask != nil {
			req.Elicit = func(ctx context.Context, q toolkit.Question) (toolkit.Reply, error) {
				return ask(ctx, seal.Question(q))
			}
		}
		res, err := next(ctx, s, req)
		for i := range res.Content {
			res.Content[i].Text = fence.Seal(res.Content[i].Text, nonce)
		}
		if res.Structured != nil {
			res.Structured = fence.SealJSON(res.Structured, nonce)
		}
		for i, l := range res.Links {
			res.Links[i].Name, res.Links[i].Description = fence.Line(l.Name), fence.Line(l.Description)
		}
		res.Ask = seal.Ask(res.Ask)
		return res, err
	}
}
