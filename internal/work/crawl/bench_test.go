//go:build linux

package crawl_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
	"github.com/callsheet/callsheet/internal/work/jobs"
	"github.com/callsheet/callsheet/internal/work/jobs/jobstest"
)

// BenchmarkCrawl tells what a page costs: processor time (with that of the site, which is here too)
// and disk.
func BenchmarkCrawl(b *testing.B) {
	const pages = 500
	srv := httptest.NewServer(crawltest.New(crawltest.Options{Pages: pages}))
	defer srv.Close()
	for b.Loop() {
		dir := b.TempDir()
		place, err := statedir.New(dir)
		if err != nil {
			b.Fatal(err)
		}
		all := jobs.New(jobs.Config{Dir: place, URL: os.Getenv(jobstest.URL), Kinds: []jobs.Kind{crawl.New(nil, nil)}})
		spec := crawl.Spec{URL: srv.URL, MaxDepth: 100, MaxPages: pages, Concurrency: 4, Robots: true, Format: crawl.Markdown}
		if err := spec.Complete(); err != nil {
			b.Fatal(err)
		}
		before := cpu()
		job, err := crawl.Start(b.Context(), powertest.Network, all, spec)
		for err == nil && job.State == jobs.StateRunning {
			time.Sleep(20 * time.Millisecond)
			job, err = all.Get(b.Context(), job.ID)
		}
		if err != nil || job.Done != pages {
			b.Fatalf("%+v, %v", job, err)
		}
		used := cpu() - before
		b.ReportMetric(float64(used.Microseconds())/pages/1000, "cpu-ms/page")
		b.ReportMetric(pages/job.Finished.Sub(job.Created).Seconds(), "pages/s")
		if err := all.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(dir, jobs.FileName)); err == nil {
			b.ReportMetric(float64(info.Size())/pages, "disk-B/page")
		}
	}
}

func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
