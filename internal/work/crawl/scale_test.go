package crawl_test

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
)

// TestConcurrencyIsReal compares four hands with one on pages that take a while.
func TestConcurrencyIsReal(t *testing.T) {
	_, home := serve(t, crawltest.Options{Pages: 100, Latency: 200 * time.Millisecond})
	took := func(hands int) time.Duration {
		all := open(t, t.TempDir())
		job := start(t, all, crawl.Spec{URL: home, MaxDepth: 50, MaxPages: 100, Concurrency: hands})
		r := finishIfDrained(t, all, job.ID, 5*time.Minute)
		if r.Done != 100 {
			t.Fatalf("%d pages", r.Done)
		}
		return r.Finished.Sub(r.Created)
	}
	one, four := took(1), took(4)
	ratio := float64(one) / float64(four)
	t.Logf("100 pages of 200 ms: one hand %v, four %v: %.2f times as fast", one.Round(time.Millisecond), four.Round(time.Millisecond), ratio)
	if ratio < 3 {
		t.Errorf("four hands are only %.2f times as fast", ratio)
	}
}

// TestWorkersAddUp measures one, two and four worker processes of four hands each on pages of 200 ms. The figures are in
// docs/scale.md.
func TestWorkersAddUp(t *testing.T) {
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
		r := finishIfDrained(t, all, job.ID, 10*time.Minute)
		whole(t, site, home, results(t, all, job.ID))
		took := r.Finished.Sub(r.Created)
		rates = append(rates, float64(r.Done)/took.Seconds())
		t.Logf("%d workers of 4 hands: %d pages in %v, %.1f a second", n, r.Done, took.Round(time.Millisecond), rates[len(rates)-1])
		for _, p := range procs {
			kill(p)
		}
	}
	if rates[1] < 1.4*rates[0] {
		t.Errorf("two workers do %.1f pages a second, one does %.1f", rates[1], rates[0])
	}
}
