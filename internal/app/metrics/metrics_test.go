package metrics_test

import (
	"context"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/registry"
	"github.com/callsheet/callsheet/internal/app/metrics"
)

// BenchmarkMiddleware measures what the counts add to a call.
func BenchmarkMiddleware(b *testing.B) {
	surface, err := toolkit.NewSurface(registry.New(registry.Handlers{}), toolkit.Options{})
	if err != nil {
		b.Fatal(err)
	}
	session := surface.NewStaticSession("s")
	call := metrics.New("1", func() metrics.State { return metrics.State{} }).Middleware(
		func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.CallResult, error) {
			return toolkit.CallResult{}, nil
		})
	for b.Loop() {
		if _, err := call(b.Context(), session, toolkit.Request{Tool: "navigate"}); err != nil {
			b.Fatal(err)
		}
	}
}
