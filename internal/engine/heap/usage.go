package heap

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
)

// Usage is the memory that a page uses after a garbage collection, in bytes.
type Usage struct {
	Script  int64 // objects of JavaScript
	Browser int64 // objects of the browser, such as nodes of the DOM
	Buffers int64 // array buffers and texts outside of the heap
}

// Total is the sum.
func (u Usage) Total() int64 { return u.Script + u.Browser + u.Buffers }

// Measure collects garbage and measures the heap of a tab. The errors are those of browser.Tab.Do.
func Measure(ctx context.Context, tab *browser.Tab) (u Usage, err error) {
	err = tab.Do(ctx, func(ctx context.Context, _ *page.Page) error {
		session, err := tab.Protocol(ctx)
		if err != nil {
			return err
		}
		if err := collect(ctx, session); err != nil {
			return err
		}
		res, err := cdp.Call(ctx, session, runtime.GetHeapUsage, cdp.Empty{})
		if err != nil {
			return fmt.Errorf("measure the heap: %w", err)
		}
		u = Usage{Script: int64(res.UsedSize), Browser: int64(res.EmbedderHeapUsedSize), Buffers: int64(res.BackingStorageSize)}
		return nil
	})
	return u, err
}

// Baseline is the usage that a later one of the same document is compared with.
type Baseline struct {
	Usage Usage
	Time  time.Time
}

// baselines keeps the baseline of a tab.
type baselines struct {
	mu   sync.Mutex
	last *Baseline
}

type baselineKey struct{}

func baselinesOf(tab *browser.Tab) *baselines {
	return tab.Instruments.Get(baselineKey{}, func() any { return &baselines{} }).(*baselines)
}

// SetBaseline keeps the usage that the tab has now as its baseline.
func SetBaseline(tab *browser.Tab, u Usage) {
	b := baselinesOf(tab)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = &Baseline{Usage: u, Time: time.Now()}
}

// BaselineOf returns the baseline of the tab's document. ok is false if there is none, or the tab has
// loaded another document since.
func BaselineOf(tab *browser.Tab) (last Baseline, ok bool) {
	b := baselinesOf(tab)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last == nil || tab.Activity.Load().Time.After(b.last.Time) {
		return Baseline{}, false
	}
	return *b.last, true
}
