package read

import (
	"context"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// Content returns the current markup of the page or of one element; inner omits the element's own
// tag. Values of secret fields are masked. Options that format a reading are ignored.
func (rd *Reader) Content(ctx context.Context, o Options, inner bool) (Reading, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultBytes
	}
	if o.Continue != "" {
		return rd.continueReading(ctx, o)
	}
	argument := map[string]any{"head": o.MaxBytes + aheadBytes, "inner": inner}
	var got readResult
	var err error
	if o.Ref != "" {
		got.world, err = rd.doc.EvaluateRef(ctx, o.Ref, "content", argument, &got)
	} else {
		if o.Selector != "" {
			argument["selector"] = o.Selector
		}
		err = rd.doc.EvaluateWithRetry(ctx, "content", argument, &got)
	}
	if err != nil {
		return Reading{}, document.NameSelector(rd.doc.Translate(ctx, o.Ref, err), o.Selector)
	}
	o.Mode = -1
	return rd.storeReading(ctx, o, got), nil
}
