package page

import "context"

// Content returns the current markup of the page or of one element; inner omits the element's own
// tag. Values of secret fields are masked. Options that format a reading are ignored.
func (p *Page) Content(ctx context.Context, o ReadOptions, inner bool) (Reading, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultReadBytes
	}
	if o.Continue != "" {
		return p.continueReading(ctx, o)
	}
	argument := map[string]any{"head": o.MaxBytes + 1, "inner": inner}
	var got readResult
	var err error
	if o.Ref != "" {
		got.world, err = p.evaluateRef(ctx, o.Ref, "content", argument, &got)
	} else {
		if o.Selector != "" {
			argument["selector"] = o.Selector
		}
		err = p.evaluateWithRetry(ctx, "content", argument, &got)
	}
	if err != nil {
		return Reading{}, nameSelector(p.translate(ctx, o.Ref, err), o.Selector)
	}
	o.Mode = -1
	return p.storeReading(o, got), nil
}
