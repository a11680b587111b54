package browser

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/powertest"
)

// benchTab opens a tab for a benchmark, without a deadline that could end it.
func benchTab(b *testing.B, path string) *Tab {
	b.Helper()
	tab := openTab(b, path)
	b.ReportAllocs()
	return tab
}

func BenchmarkDo(b *testing.B) {
	tab, ctx := benchTab(b, ""), context.Background()
	nothing := func(context.Context, *page.Page) error { return nil }
	for b.Loop() {
		if err := tab.Do(ctx, nothing); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEvaluate compares with the bare protocol command in the same run: "raw-ratio"
// is our time over its.
func BenchmarkEvaluate(b *testing.B) {
	tab, ctx := benchTab(b, "/a"), context.Background()
	raw := timed(b, func() error {
		_, err := cdp.Call(ctx, tab.cdp, runtime.Evaluate, runtime.EvaluateParams{Expression: "1+1"})
		return err
	})
	start := time.Now()
	for b.Loop() {
		if _, err := evaluate.Run(ctx, tab, powertest.Script, "1+1"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(time.Since(start))/float64(b.N)/float64(raw), "raw-ratio")
}

func BenchmarkEvaluateObject(b *testing.B) {
	tab, ctx := benchTab(b, "/a"), context.Background()
	for b.Loop() {
		if _, err := evaluate.Run(ctx, tab, powertest.Script, "({a: [1, 2, 3], b: document.body})"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNavigate compares with Page.navigate and the next load event.
func BenchmarkNavigate(b *testing.B) {
	tab, ctx := benchTab(b, "/a"), context.Background()
	raw := timed(b, func() error {
		loaded, stop := tab.cdp.Subscribe(cdppage.LoadEventFired.Method)
		defer stop()
		if _, err := cdp.Call(ctx, tab.cdp, cdppage.Navigate, cdppage.NavigateParams{URL: site.URL + "/b"}); err != nil {
			return err
		}
		<-loaded
		return nil
	})
	start := time.Now()
	for b.Loop() {
		if _, err := tab.Navigate(ctx, powertest.Navigation, site.URL+"/b", NavigateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(time.Since(start))/float64(b.N)/float64(raw), "raw-ratio")
}

func BenchmarkOpenTab(b *testing.B) {
	s, ctx := testSession(b, false), context.Background()
	for b.Loop() {
		if _, err := s.OpenBlank(ctx, powertest.Window); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := s.CloseTab(ctx, ""); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func BenchmarkColdLaunch(b *testing.B) {
	ctx := context.Background()
	for b.Loop() {
		br := New(Config{Headless: true})
		if _, err := br.ensureInstance(ctx); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := br.Close(ctx); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// timed returns the mean time of one call of fn.
func timed(b *testing.B, fn func() error) time.Duration {
	b.Helper()
	const warmUp, rounds = 10, 60
	var start time.Time
	for i := range warmUp + rounds {
		if i == warmUp {
			start = time.Now()
		}
		if err := fn(); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start) / rounds
}
