package page

import (
	"context"
	"encoding/json"
	"time"
)

// unmaskTimeout bounds the end of a picture.
const unmaskTimeout = 2 * time.Second

// MaskSecrets hides password fields, and whatever shows one of the values, from pictures of the page, in every frame; reveal
// undoes that, however the picture turned out. The page's document does not change: a style sheet lies beside its own.
func (p *Page) MaskSecrets(ctx context.Context, values []string) (reveal func(), err error) {
	nothing := func(*world, json.RawMessage) error { return nil }
	reveal = func() {
		// Also when the call is over, but for no longer than a page that answers needs: one that is stopped keeps the tab.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unmaskTimeout)
		defer cancel()
		_ = p.evaluateAll(ctx, "unmaskSecrets", nil, nothing) // a document that has gone has taken its style sheets along
	}
	if err := p.evaluateAll(ctx, "maskSecrets", map[string]any{"values": values}, nothing); err != nil {
		reveal()
		return nil, err
	}
	return reveal, nil
}
