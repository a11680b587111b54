package crawl_test

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
)

// TestConcurrency: a crawl has as many requests in progress as its concurrency says.
func TestConcurrency(t *testing.T) {
	for _, concurrency := range []int{1, 4} {
		site, home := serve(t, crawltest.Options{Pages: 60, Latency: 100 * time.Millisecond})
		all := open(t, t.TempDir())
		job := start(t, all, crawl.Spec{URL: home, MaxDepth: 50, MaxPages: 60, Concurrency: concurrency})
		r := waitForEnd(t, all, job.ID, 5*time.Minute)
		if r.Done != 60 || site.Peak() != concurrency {
			t.Errorf("%d pages, at most %d requests at once, want %d", r.Done, site.Peak(), concurrency)
		}
	}
}

// BenchmarkConcurrency reports how much faster four workers read pages of 200 ms than one.
func BenchmarkConcurrency(b *testing.B) {
	_, home := serve(b, crawltest.Options{Pages: 100, Latency: 200 * time.Millisecond})
	duration := func(concurrency int) time.Duration {
		all := open(b, b.TempDir())
		job := start(b, all, crawl.Spec{URL: home, MaxDepth: 50, MaxPages: 100, Concurrency: concurrency})
		r := waitForEnd(b, all, job.ID, 5*time.Minute)
		return r.Finished.Sub(r.Created)
	}
	for b.Loop() {
		b.ReportMetric(float64(duration(1))/float64(duration(4)), "times-as-fast")
	}
}

// TestWorkerProcessesScale measures one, two and four worker processes of four slots each on pages
// of 200 ms. The figures are in docs/how-to/crawl.md.
func TestWorkerProcessesScale(t *testing.T) {
	if os.Getenv(soak) == "" {
		t.Skip("long: make soak-crawl")
	}
	t.Setenv("CRAWLTEST_SLOTS", "4")
	site, home := serve(t, crawltest.Options{Pages: 1000, Latency: 200 * time.Millisecond})
	var rates []float64
	for _, n := range []int{1, 2, 4} {
		dir := t.TempDir()
		all, maker := open(t, dir), open(t, dir)
		procs := make([]*exec.Cmd, n)
		for i := range procs {
			procs[i] = launch(t, dir)
		}
		for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			if w, err := all.Workers(t.Context()); err == nil && len(w) == n {
				break
			} else if time.Now().After(end) {
				t.Fatalf("%d workers, %v", len(w), err)
			}
		}
		job := start(t, maker, crawl.Spec{URL: home, MaxDepth: 100, MaxPages: 5000, Concurrency: 4 * n})
		if err := maker.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := waitForEnd(t, all, job.ID, 10*time.Minute)
		checkComplete(t, site, home, results(t, all, job.ID))
		took := r.Finished.Sub(r.Created)
		rates = append(rates, float64(r.Done)/took.Seconds())
		t.Logf("%d workers of 4 slots: %d pages in %v, %.1f a second", n, r.Done, took.Round(time.Millisecond), rates[len(rates)-1])
		for _, p := range procs {
			kill(p)
		}
	}
	if rates[1] < 1.4*rates[0] {
		t.Errorf("two workers do %.1f pages a second, one does %.1f", rates[1], rates[0])
	}
}
