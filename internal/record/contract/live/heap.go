package live

import (
	"context"

	"github.com/callsheet/callsheet/internal/engine/heap"
	"github.com/callsheet/callsheet/internal/record/contract"
)

// Heap collects garbage and measures the page's memory. The baseline is one from before the
// judgement. A document that has none gets the present measure as its baseline.
func (e *Evidence) Heap(ctx context.Context) (contract.HeapUsage, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	u, err := heap.Measure(ctx, e.tab)
	if err != nil {
		return contract.HeapUsage{}, err
	}
	base, ok := heap.BaselineOf(e.tab)
	if !ok {
		heap.SetBaseline(e.tab, u)
	}
	if !ok || base.Time.After(e.start.Time) {
		return contract.HeapUsage{Now: u.Total()}, nil
	}
	return contract.HeapUsage{Now: u.Total(), Before: base.Usage.Total(), HasBaseline: true}, nil
}
