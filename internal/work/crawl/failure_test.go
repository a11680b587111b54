package crawl_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
	"github.com/callsheet/callsheet/internal/work/jobs"
	"github.com/callsheet/callsheet/internal/work/jobs/jobstest"
)

// pages is a site of a few pages of markup, by path.
func pages(t *testing.T, markup map[string]string) (home string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := markup[r.URL.RequestURI()]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, text)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// outcomes are those of a finished crawl, by path.
func outcomes(t *testing.T, all *jobs.Jobs, id, home string) map[string]crawl.Page {
	t.Helper()
	got := make(map[string]crawl.Page)
	for _, p := range results(t, all, id) {
		got[strings.TrimPrefix(p.URL, home)] = p
	}
	return got
}

// TestBlankLink: an address of white space is that of the page itself, and no error.
func TestBlankLink(t *testing.T) {
	home := pages(t, map[string]string{
		"/":     `<title>Home</title><p>A page with a link that leads nowhere, and with one that does. <a href=" ">blank</a> <a href="/next">next</a>`,
		"/next": `<title>Next</title><p>The page after the one with the blank link, which must be found all the same.`,
	})
	all := open(t, t.TempDir())
	job := start(t, all, crawl.Spec{URL: home, MaxDepth: 3, MaxPages: 10, Concurrency: 2})
	waitForEnd(t, all, job.ID, 15*time.Second)
	if got := outcomes(t, all, job.ID, home); len(got) != 2 || got["/"].Outcome != crawl.OutcomeOK || got["/next"].Outcome != crawl.OutcomeOK {
		t.Errorf("%+v", got)
	}
}

// panickingRenderer panics.
type panickingRenderer struct{}

func (panickingRenderer) Render(context.Context, string, int) (crawl.Rendered, error) {
	panic("a mistake")
}

// TestPanicFailsOnePage: a panic while reading a page fails that page, and the crawl ends.
func TestPanicFailsOnePage(t *testing.T) {
	home := pages(t, map[string]string{"/": "<title>Home</title><p>text"})
	place, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	all := jobs.New(jobs.Config{Dir: place, Kinds: []jobs.Kind{crawl.New(panickingRenderer{}, nil)}, Heartbeat: heartbeat, Lease: leaseTime})
	t.Cleanup(func() { _ = all.Close(context.WithoutCancel(t.Context())) })
	job := start(t, all, crawl.Spec{URL: home, MaxPages: 10, Render: crawl.RenderAlways})
	waitForEnd(t, all, job.ID, 15*time.Second)
	if p := outcomes(t, all, job.ID, home)["/"]; p.Outcome != crawl.OutcomeFailed || !strings.Contains(p.Error, "a mistake") {
		t.Errorf("%+v", p)
	}
}

// TestLeaseIsReleasedAfterDatabaseFailure: a worker that can neither acknowledge nor release a
// page, because the database fails, releases it when the database works again.
func TestLeaseIsReleasedAfterDatabaseFailure(t *testing.T) {
	if os.Getenv(jobstest.URL) != "" {
		t.Skip("the failure is made with SQLite's triggers")
	}
	site, home := serve(t, crawltest.Options{Pages: 20, Latency: 50 * time.Millisecond})
	all := open(t, t.TempDir())
	db, err := all.DB(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write := func(statement string) {
		t.Helper()
		if _, err := db.Autocommit().Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	job := start(t, all, crawl.Spec{URL: home, MaxDepth: 50, MaxPages: 100, Concurrency: 2})
	for r := job; r.Done < 3; time.Sleep(5 * time.Millisecond) {
		if r, err = all.Get(t.Context(), job.ID); err != nil {
			t.Fatal(err)
		}
	}
	write("CREATE TRIGGER full BEFORE UPDATE OF state ON crawl_page WHEN OLD.state = 1 BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
	for leased := 0; leased < 2 || site.InProgress() > 0; time.Sleep(5 * time.Millisecond) { // until both workers have failed
		if err := db.Autocommit().Row(t.Context(), "SELECT count(*) FROM crawl_page WHERE state = 1").Scan(&leased); err != nil {
			t.Fatal(err)
		}
	}
	write("DROP TRIGGER full")
	if r := waitForEnd(t, all, job.ID, 20*time.Second); r.Done != r.Total || r.Done < 20 {
		t.Errorf("%d of %d", r.Done, r.Total)
	}
}

// TestUnreleasedLeaseIsReleasedByNextRun: a run that ends while the database fails leaves its lease
// to the next run.
func TestUnreleasedLeaseIsReleasedByNextRun(t *testing.T) {
	if os.Getenv(jobstest.URL) != "" {
		t.Skip("the failure is made with SQLite's triggers")
	}
	_, home := serve(t, crawltest.Options{Pages: 5, Latency: 200 * time.Millisecond})
	dir := t.TempDir()
	maker, all := open(t, dir), open(t, dir) // the second only reads
	db, err := all.DB(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write := func(statement string) {
		t.Helper()
		if _, err := db.Autocommit().Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	job := start(t, maker, crawl.Spec{URL: home, MaxDepth: 50, MaxPages: 100})
	if err := maker.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	write("CREATE TRIGGER full BEFORE UPDATE OF state ON crawl_page WHEN OLD.state = 1 BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
	jobstest.AddWorker(t, db, "me")
	kind := crawl.New(nil, nil)
	run := func(limit time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		return kind.Run(ctx, db, job, "me")
	}
	if err := run(time.Second); err == nil {
		t.Fatal("Run succeeded although the disk was full")
	}
	write("DROP TRIGGER full")
	if err := run(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	if r := waitForEnd(t, all, job.ID, time.Second); r.Done != r.Total || r.Done < 5 {
		t.Errorf("%d of %d", r.Done, r.Total)
	}
}

// TestDelayOfNewHost: workers that lease pages of a host before its robots.txt is known keep its
// delay.
func TestDelayOfNewHost(t *testing.T) {
	site, other := serve(t, crawltest.Options{Pages: 4, CrawlDelay: 1, Latency: 100 * time.Millisecond})
	home := pages(t, map[string]string{"/": fmt.Sprintf("<title>Home</title><p>Pages of another host: <a href='%[1]s/'>a</a> "+
		"<a href='%[1]s/p/1'>b</a> <a href='%[1]s/p/2'>c</a> <a href='%[1]s/p/3'>d</a>", other)})
	all := open(t, t.TempDir())
	job := start(t, all, crawl.Spec{URL: home, Scope: []string{"**"}, MaxDepth: 1, MaxPages: 10, Concurrency: 8})
	if r := waitForEnd(t, all, job.ID, time.Minute); r.Outcomes[crawl.OutcomeOK] != 5 {
		t.Errorf("%v", r.Outcomes)
	}
	checkDelay(t, site, 800*time.Millisecond)
}

// checkDelay checks that the requests of a site's pages are a delay apart.
func checkDelay(t *testing.T, site *crawltest.Site, delay time.Duration) {
	t.Helper()
	var times []time.Time
	for path, h := range site.Hits() {
		if path != "/robots.txt" {
			times = append(times, h...)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	for i := 1; i < len(times); i++ {
		if d := times[i].Sub(times[i-1]); d < delay {
			t.Errorf("%v between two requests, want %v", d, delay)
		}
	}
}

// TestClockThatIsSetBack moves every time in the database a day ahead, as they are after the clock
// was set back by a day: a host's delay, the pause of an address, and the lease of a worker that has
// died with an address. The crawl ends all the same.
func TestClockThatIsSetBack(t *testing.T) {
	_, home := serve(t, crawltest.Options{Pages: 5, CrawlDelay: 1})
	dir := t.TempDir()
	maker, all := open(t, dir), open(t, dir) // the second only reads
	db, err := all.DB(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	job := start(t, maker, crawl.Spec{URL: home, MaxDepth: 50, MaxPages: 100})
	if err := maker.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	jobstest.AddWorker(t, db, "dead")
	for _, statement := range []string{
		"UPDATE crawl_page SET state = 1, worker = 'dead' WHERE id = (SELECT min(id) FROM crawl_page WHERE state = 0)",
		"UPDATE crawl_page SET ready_at = {now} + 86400000",
		"UPDATE crawl_host SET free_at = {now} + 86400000",
		"UPDATE callsheet_worker SET until = {now} + 86400000",
	} {
		if _, err := db.Autocommit().Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	jobstest.AddWorker(t, db, "me")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := crawl.New(nil, nil).Run(ctx, db, job, "me"); err != nil {
		t.Fatal(err)
	}
	if r := waitForEnd(t, all, job.ID, time.Second); r.Done != r.Total || r.Done < 5 {
		t.Errorf("%d of %d", r.Done, r.Total)
	}
}

// TestClockIsSetBackDuringACrawl sets the clock back by five minutes while a crawl keeps the delay
// of its host: less than what counts as impossible, so every time in the database holds. Two
// processes notice it, and the crawl goes on with the delay.
func TestClockIsSetBackDuringACrawl(t *testing.T) {
	var offset atomic.Int64
	site, home := serve(t, crawltest.Options{Pages: 5, CrawlDelay: 1})
	dir := t.TempDir()
	var all []*jobs.Jobs
	for range 2 {
		all = append(all, openWith(t, dir, func(c *jobs.Config) {
			c.ClockOffset = func() time.Duration { return time.Duration(offset.Load()) }
		}))
	}
	job := start(t, all[0], crawl.Spec{URL: home, MaxDepth: 50, MaxPages: 100})
	if err := all[1].Work(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // no event announces a page of another process
		if r, err := crawl.Inspect(t.Context(), all[0], job.ID); err != nil || time.Now().After(end) {
			t.Fatalf("no page was read: %+v, %v", r, err)
		} else if r.Done > 1 {
			break
		}
	}
	offset.Store(int64(-5 * time.Minute))
	if r := waitForEnd(t, all[0], job.ID, time.Minute); r.Done != r.Total || r.Done < 5 {
		t.Errorf("%d of %d", r.Done, r.Total)
	}
	checkDelay(t, site, 800*time.Millisecond)
}

// TestSmallestDepthCounts: an address that is found twice has the smaller depth.
func TestSmallestDepthCounts(t *testing.T) {
	home := pages(t, map[string]string{
		"/":    `<title>Home</title><link rel=canonical href=/own><p>A page that names its own address, and links to it. <a href=/own>own</a>`,
		"/own": `<title>Own</title><p>The address that the first page says is its own, from where another can be reached. <a href=/one>one</a>`,
		"/one": `<title>One</title><p>One step from the first page, and so within the depth that was asked for here.`,
	})
	all := open(t, t.TempDir())
	job := start(t, all, crawl.Spec{URL: home, MaxDepth: 1, MaxPages: 10})
	waitForEnd(t, all, job.ID, 20*time.Second)
	if got := outcomes(t, all, job.ID, home); got["/one"].Outcome != crawl.OutcomeOK {
		t.Errorf("%+v", got)
	}
}
