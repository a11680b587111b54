package performance_test

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/engine/performance"
	"github.com/callsheet/callsheet/internal/powertest"
)

// TestConcurrentRecordingsOfOneTab checks that concurrent recordings run one after another.
func TestConcurrentRecordingsOfOneTab(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	b := browser.New(browser.Config{Headless: true})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	tab, _, err := b.Session("x").Open(ctx, powertest.Window, powertest.Navigation, "data:text/html,<title>x</title>", browser.NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			err := performance.Record(ctx, powertest.Navigation, tab, performance.RecordOptions{After: 200 * time.Millisecond}, func(_ context.Context, r io.Reader) error {
				return performance.Clean(io.Discard, r, network.RedactURL, network.RedactHeader, bytes.Clone)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
