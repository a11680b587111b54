package crawl_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
	"github.com/callsheet/callsheet/internal/work/jobs"
	"github.com/callsheet/callsheet/internal/work/jobs/jobstest"
)

// workerAt names the variable that makes the test binary a worker on a state directory.
const (
	workerAt = "CRAWLTEST_WORKER"
	soak     = "CALLSHEET_SOAK"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(workerAt); dir != "" {
		work(dir)
	}
	os.Exit(jobstest.Main(m))
}

// work works on jobs until the process is killed.
func work(dir string) {
	place, err := statedir.New(dir)
	if err == nil {
		all := jobs.New(jobs.Config{
			Dir: place, URL: os.Getenv(jobstest.URL), Kinds: []jobs.Kind{crawl.New(nil, nil)}, Heartbeat: heartbeat, Lease: leaseTime,
			Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)), Slots: slots(),
		})
		if err = all.Work(context.Background(), true); err == nil {
			select {}
		}
	}
	fmt.Fprintln(os.Stderr, "worker:", err)
	os.Exit(1)
}

// slots returns the slots of a worker process; 0 is the default.
func slots() int {
	n, _ := strconv.Atoi(os.Getenv("CRAWLTEST_SLOTS"))
	return n
}

// heartbeat and leaseTime are shorter than usual, so that tests that kill processes take seconds. The process of the tests
// is not killed, and its lease outlasts any pause of a busy machine: ownLease.
const heartbeat, leaseTime, ownLease = 300 * time.Millisecond, 2 * time.Second, 5 * time.Minute

func open(t testing.TB, dir string) *jobs.Jobs {
	t.Helper()
	return openWith(t, dir, func(*jobs.Config) {})
}

// openWith is open with a change to the configuration.
func openWith(t testing.TB, dir string, change func(*jobs.Config)) *jobs.Jobs {
	t.Helper()
	place, err := statedir.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	cfg := jobs.Config{Dir: place, URL: os.Getenv(jobstest.URL), Kinds: []jobs.Kind{crawl.New(nil, nil)}, Heartbeat: heartbeat, Lease: ownLease}
	change(&cfg)
	all := jobs.New(cfg)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := all.Close(ctx); err != nil {
			t.Errorf("close the jobs: %v", err)
		}
	})
	return all
}

func serve(t testing.TB, opt crawltest.Options) (*crawltest.Site, string) {
	t.Helper()
	site := crawltest.New(opt)
	srv := httptest.NewServer(site)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return site, srv.URL
}

func start(t testing.TB, all *jobs.Jobs, spec crawl.Spec) jobs.Job {
	t.Helper()
	spec.Robots = true
	if spec.BackoffMS == 0 {
		spec.BackoffMS = 50
	}
	if spec.Format == "" {
		spec.Format = crawl.Markdown
	}
	if err := spec.Complete(); err != nil {
		t.Fatal(err)
	}
	job, err := crawl.Start(t.Context(), powertest.Network, all, spec)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// waitForEnd polls until the crawl has ended.
func waitForEnd(t testing.TB, all *jobs.Jobs, id string, limit time.Duration) crawl.Report {
	t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		r, err := crawl.Inspect(t.Context(), all, id)
		if err != nil {
			t.Fatal(err)
		}
		if r.State != jobs.StateRunning {
			return r
		}
		if time.Now().After(end) {
			t.Fatalf("after %v the crawl is still at %d of %d: %v", limit, r.Done, r.Total, r.Outcomes)
		}
	}
}

// results reads all results, which must be in order and without gaps.
func results(t *testing.T, all *jobs.Jobs, id string) []crawl.Page {
	t.Helper()
	var out []crawl.Page
	err := crawl.EachResult(t.Context(), all, id, 0, func(seq int64, line []byte) bool {
		var p crawl.Page
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatalf("line %d: %v", seq, err)
		}
		if p.Seq != seq || seq != int64(len(out)+1) {
			t.Fatalf("result %d says %d after %d others", seq, p.Seq, len(out))
		}
		out = append(out, p)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// checkComplete checks that every page of the site was acknowledged once with its own content, and
// no address twice.
func checkComplete(t *testing.T, site *crawltest.Site, home string, pages []crawl.Page) map[string]crawl.Page {
	t.Helper()
	byPath := make(map[string]crawl.Page)
	for _, p := range pages {
		path := strings.TrimPrefix(p.URL, home)
		if _, twice := byPath[path]; twice {
			t.Errorf("%s was acknowledged twice", path)
		}
		byPath[path] = p
	}
	missing := 0
	for i, path := range site.Paths() {
		p := byPath[path]
		if p.Outcome != crawl.OutcomeOK || p.Title != fmt.Sprintf("Page %d", i) || !strings.Contains(p.Content, fmt.Sprintf("# Page %d\n", i)) {
			if missing++; missing < 5 {
				t.Errorf("%s: %+v", path, p)
			}
		}
	}
	if missing > 0 {
		t.Errorf("%d of %d pages are missing", missing, len(site.Paths()))
	}
	return byPath
}

func TestEveryTrap(t *testing.T) {
	site, home := serve(t, crawltest.Options{Pages: 200, Traps: true})
	all := open(t, t.TempDir())
	job := start(t, all, crawl.Spec{URL: home, MaxDepth: 100, MaxPages: 5000, Concurrency: 4, PerPattern: 20, Render: crawl.RenderNever})
	r := waitForEnd(t, all, job.ID, 2*time.Minute)
	pages := results(t, all, job.ID)
	if r.State != jobs.StateDone || r.Done != r.Total || int(r.Done) != len(pages) {
		t.Fatalf("%s: %d of %d, %d results", r.State, r.Done, r.Total, len(pages))
	}
	got := checkComplete(t, site, home, pages)
	for path, want := range map[string]string{
		"/shop?color=red&size=m&sort=up": crawl.OutcomeOK, "/private/secret": "", "/copy/1": crawl.OutcomeDuplicate, "/loop/a": crawl.OutcomeRedirect, "/loop/b": crawl.OutcomeRedirect,
		"/self": crawl.OutcomeFailed, "/away": crawl.OutcomeRedirect, "/hop/1": crawl.OutcomeRedirect, "/hop/21": crawl.OutcomeFailed, "/hop/22": "", "/broken": crawl.OutcomeFailed,
		"/busy": crawl.OutcomeOK, "/missing": crawl.OutcomeFailed, "/huge": crawl.OutcomeOK, "/film.mp4": crawl.OutcomeFile, "/paper.pdf": crawl.OutcomeFile, "/slow": crawl.OutcomeOK,
		"/malformed": crawl.OutcomeOK, "/behind-malformed": crawl.OutcomeOK, "/latin": crawl.OutcomeOK, "/short": crawl.OutcomeOK,
	} {
		if got[path].Outcome != want {
			t.Errorf("%s: %q, want %q (%+v)", path, got[path].Outcome, want, got[path])
		}
	}
	if p := got["/film.mp4"]; p.Size != 200<<20 || site.Written("/film.mp4") > 16<<20 {
		t.Errorf("a film of %d bytes was recorded, %d bytes of it were sent", p.Size, site.Written("/film.mp4"))
	}
	if p := got["/huge"]; !p.Truncated || len(p.Content) > 200_000 || site.Written("/huge") > 24<<20 {
		t.Errorf("of the huge page %d bytes were kept, %d were sent", len(p.Content), site.Written("/huge"))
	}
	if p := got["/latin"]; p.Title != "Café" || !strings.Contains(p.Content, "München") {
		t.Errorf("%q %q", p.Title, p.Content)
	}
	hits := site.Hits()
	if n := len(hits["/private/secret"]); n != 0 {
		t.Errorf("an address that robots.txt forbids was requested %d times", n)
	}
	if n := len(hits["/broken"]); n != 4 {
		t.Errorf("a broken page was requested %d times", n)
	}
	if h := hits["/busy"]; len(h) != 2 || h[1].Sub(h[0]) < 900*time.Millisecond {
		t.Errorf("Retry-After was not obeyed: %v", h)
	}
	if n := r.Outcomes["trap"]; n == 0 || len(r.Traps) == 0 {
		t.Errorf("no trap is reported: %v", r.Outcomes)
	}
	months := 0
	for path := range got {
		if strings.HasPrefix(path, "/calendar/") {
			months++
		}
	}
	if months > 60 {
		t.Errorf("%d months of the calendar were read", months)
	}
}

func TestBudgetsAndScope(t *testing.T) {
	_, home := serve(t, crawltest.Options{Pages: 200})
	all := open(t, t.TempDir())
	few := start(t, all, crawl.Spec{URL: home, MaxDepth: 50, MaxPages: 17, Concurrency: 4})
	shallow := start(t, all, crawl.Spec{URL: home, MaxDepth: 1, MaxPages: 1000, Concurrency: 4, Format: crawl.PlainText})
	narrow := start(t, all, crawl.Spec{URL: home, MaxDepth: 50, MaxPages: 1000, Concurrency: 4, Include: []string{"/p/1*"}, Exclude: []string{"/p/13*"}, Format: crawl.Structured})
	if r := waitForEnd(t, all, few.ID, time.Minute); r.Done != 17 || r.Outcomes["beyond max_pages"] == 0 {
		t.Errorf("%d pages, %v", r.Done, r.Outcomes)
	}
	if r := waitForEnd(t, all, shallow.ID, time.Minute); r.Depth != 1 || r.Done < 4 || r.Done > 9 {
		t.Errorf("%d pages, depth %d", r.Done, r.Depth)
	}
	waitForEnd(t, all, narrow.ID, time.Minute)
	for _, p := range results(t, all, narrow.ID)[1:] {
		path := strings.TrimPrefix(p.URL, home)
		if !strings.HasPrefix(path, "/p/1") || strings.HasPrefix(path, "/p/13") {
			t.Errorf("%s is out of scope", path)
		}
		if p.Data == nil || p.Data.Description == "" || len(p.Data.Headings) != 1 || p.Content != "" {
			t.Errorf("%+v", p)
		}
	}
}

// TestHostDelay: all workers together keep the delay of a host.
func TestHostDelay(t *testing.T) {
	site, home := serve(t, crawltest.Options{Pages: 6, CrawlDelay: 1})
	slow, slowHome := serve(t, crawltest.Options{Pages: 8})
	all := open(t, t.TempDir())
	a := start(t, all, crawl.Spec{URL: home, MaxDepth: 5, MaxPages: 100, Concurrency: 4})
	b := start(t, all, crawl.Spec{URL: slowHome, MaxDepth: 5, MaxPages: 100, Concurrency: 4, DelayMS: 300})
	waitForEnd(t, all, a.ID, time.Minute)
	waitForEnd(t, all, b.ID, time.Minute)
	for site, gap := range map[*crawltest.Site]time.Duration{site: time.Second, slow: 300 * time.Millisecond} {
		var times []time.Time
		for path, h := range site.Hits() {
			if path != "/robots.txt" {
				times = append(times, h...)
			}
		}
		slices.SortFunc(times, time.Time.Compare)
		times = times[1:] // the first goes out before robots.txt is known
		// A request may arrive late on a busy machine, and the next one then comes sooner after it.
		if took, want := times[len(times)-1].Sub(times[0]), time.Duration(len(times)-1)*gap; took < want*9/10 {
			t.Errorf("%d requests within %v, want %v between two", len(times), took, gap)
		}
	}
}

func TestCancel(t *testing.T) {
	_, home := serve(t, crawltest.Options{Pages: 500, Latency: 100 * time.Millisecond})
	dir := t.TempDir()
	all := open(t, dir)
	job := start(t, all, crawl.Spec{URL: home, MaxDepth: 50, MaxPages: 1000, Concurrency: 2})
	for r := job; r.Done < 3; {
		time.Sleep(20 * time.Millisecond)
		r, _ = all.Get(t.Context(), job.ID)
	}
	got, err := all.Cancel(t.Context(), job.ID)
	if err != nil || got.State != jobs.StateCancelled {
		t.Fatalf("%v, %v", got, err)
	}
	if _, err := all.Cancel(t.Context(), "no-such-job"); err == nil {
		t.Error("an unknown job was cancelled")
	}
	before := results(t, all, job.ID)
	if err := all.Close(t.Context()); err != nil { // waits for the requests in progress
		t.Fatal(err)
	}
	if after := results(t, open(t, dir), job.ID); len(after) != len(before) {
		t.Errorf("%d results, %d after the end", len(before), len(after))
	}
}

func TestSitemaps(t *testing.T) {
	site, home := serve(t, crawltest.Options{Pages: 60})
	all := open(t, t.TempDir())
	maps, err := crawl.New(nil, nil).FindSitemaps(t.Context(), powertest.Network, home)
	if err != nil || len(maps) != 1 {
		t.Fatalf("%v, %v", maps, err)
	}
	job := start(t, all, crawl.Spec{URL: home, Sitemaps: maps, MaxPages: 1000, Concurrency: 4})
	r := waitForEnd(t, all, job.ID, time.Minute)
	checkComplete(t, site, home, results(t, all, job.ID))
	if r.Outcomes[crawl.OutcomeSitemap] != 2 || r.Outcomes[crawl.OutcomeFailed] != 1 || r.Done != 63 {
		t.Errorf("%d: %v", r.Done, r.Outcomes)
	}
	recent := start(t, all, crawl.Spec{URL: home, Sitemaps: maps, MaxPages: 10, Concurrency: 4, Since: "2023-06-01"})
	waitForEnd(t, all, recent.ID, time.Minute)
	n := 0
	for _, p := range results(t, all, recent.ID) {
		if p.Outcome == crawl.OutcomeOK {
			if n++; p.LastMod != "2024-01-02" {
				t.Errorf("%s of %s", p.URL, p.LastMod)
			}
		}
	}
	if n != 10 {
		t.Errorf("%d pages, want the ten that max_pages allows", n)
	}
}
