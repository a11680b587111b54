package page

import (
	"context"
	"encoding/json"
)

// Conceal hides password fields, and whatever shows one of the values, from pictures of the page, in every frame; reveal
// undoes that, however the picture turned out. The page's document does not change: a style sheet lies beside its own.
func (p *Page) Conceal(ctx context.Context, values []string) (reveal func(), err error) {
	nothing := func(*world, json.RawMessage) error { return nil }
	reveal = func() {
		// A document that has gone has taken its style sheets along.
		_ = p.everywhere(context.WithoutCancel(ctx), "unveil", nil, nothing)
	}
	if err := p.everywhere(ctx, "conceal", map[string]any{"values": values}, nothing); err != nil {
		reveal()
		return nil, err
	}
	return reveal, nil
}
