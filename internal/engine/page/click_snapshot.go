package page

import (
	"context"
	"errors"
)

// ClickSnapshot clicks an element of the latest snapshot. It fails with a [StaleSnapshotError] if
// another snapshot is the latest, and with a [StaleRefError] if the element left the page or
// changed its role or name.
func (p *Page) ClickSnapshot(ctx context.Context, snapshot, ref string, o ClickOptions) (Effect, error) {
	if err := p.checkSnapshot(ctx, snapshot, ref); err != nil {
		return Effect{}, err
	}
	effect, err := p.Click(ctx, Target{Ref: ref}, o)
	if _, stale := errors.AsType[*StaleRefError](err); stale {
		return Effect{}, p.snapshotError(ref, err)
	}
	if effect.Element != nil {
		effect.Element.Ref = sigil + effect.Element.Ref
	}
	return effect, err
}
