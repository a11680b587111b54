package page

import (
	"context"
	"errors"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// ClickSnapshot clicks an element of the latest snapshot. It fails with a [read.StaleSnapshotError] if
// another snapshot is the latest, and with a [document.StaleRefError] if the element left the page or
// changed its role or name.
func (p *Page) ClickSnapshot(ctx context.Context, snapshot, ref string, o input.ClickOptions) (settle.Effect, error) {
	if err := p.Read.CheckSnapshot(ctx, snapshot, ref); err != nil {
		return settle.Effect{}, err
	}
	effect, err := p.Widget.Click(ctx, input.Target{Ref: ref}, o)
	if _, stale := errors.AsType[*document.StaleRefError](err); stale {
		return settle.Effect{}, p.Read.SnapshotError(ref, err)
	}
	if effect.Element != nil {
		effect.Element.Ref = read.Sigil + effect.Element.Ref
	}
	return effect, err
}
