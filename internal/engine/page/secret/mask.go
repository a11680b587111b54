package secret

import (
	"context"
	"encoding/json"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// unmaskTimeout bounds the removal of the masks.
const unmaskTimeout = 2 * time.Second

// Mask hides password fields, and elements that show one of the values, from screenshots, in
// every frame. The caller calls unmask on every path. The document does not change: the mask is an
// adopted style sheet.
func (g *Guard) Mask(ctx context.Context, values []string) (reveal func(), err error) {
	nothing := func(*document.World, json.RawMessage) error { return nil }
	reveal = func() {
		// Also when the call is over, but for no longer than a page that answers needs: one that is
		// stopped keeps the tab.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unmaskTimeout)
		defer cancel()
		_ = g.doc.EvaluateAll(ctx, "unmaskSecrets", nil, nothing)
	}
	if err := g.doc.EvaluateAll(ctx, "maskSecrets", map[string]any{"values": values}, nothing); err != nil {
		reveal()
		return nil, err
	}
	return reveal, nil
}
