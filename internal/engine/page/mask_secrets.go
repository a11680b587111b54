package page

import (
	"context"
	"encoding/json"
	"time"
)

// unmaskTimeout bounds the removal of the masks.
const unmaskTimeout = 2 * time.Second

// MaskSecrets hides password fields, and elements that show one of the values, from screenshots, in
// every frame. The caller calls unmask on every path. The document does not change: the mask is an
// adopted style sheet.
func (p *Page) MaskSecrets(ctx context.Context, values []string) (reveal func(), err error) {
	nothing := func(*world, json.RawMessage) error { return nil }
	reveal = func() {
		// Also when the call is over, but for no longer than a page that answers needs: one that is
		// stopped keeps the tab.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unmaskTimeout)
		defer cancel()
		_ = p.evaluateAll(ctx, "unmaskSecrets", nil, nothing)
	}
	if err := p.evaluateAll(ctx, "maskSecrets", map[string]any{"values": values}, nothing); err != nil {
		reveal()
		return nil, err
	}
	return reveal, nil
}
