//go:build linux

package crawl_test

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
	"github.com/callsheet/callsheet/internal/work/jobs"
	"github.com/callsheet/callsheet/internal/work/jobs/jobstest"
)

// TestDisconnectedWorker runs the program in three network namespaces, which scripts/test-netns
// makes, and disconnects one of them for a while.
func TestDisconnectedWorker(t *testing.T) {
	gate, tag := os.Getenv("CALLSHEET_NETNS_GATE"), os.Getenv("CALLSHEET_NETNS_TAG")
	if gate == "" {
		t.Skip("needs root and network namespaces: make test-netns")
	}
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return otherwise
	}
	pages, cut := number("PAGES", 2000), time.Duration(number("CUT", 15))*time.Second
	site := crawltest.New(crawltest.Options{Pages: pages, Traps: true, Latency: 30 * time.Millisecond})
	ln, err := net.Listen("tcp", gate+":0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: site}
	go func() { _ = srv.Serve(ln) }()
	t.Cleanup(func() { _ = srv.Close() })
	home := "http://" + ln.Addr().String()

	program := filepath.Join(os.Getenv("CALLSHEET_NETNS_DIR"), "callsheet")
	for i := 1; i <= 3; i++ {
		cmd := exec.Command("ip", "netns", "exec", tag+"-"+strconv.Itoa(i), program, "jobs", "work", "--slots", "3",
			"--database-url", os.Getenv(jobstest.URL), "--state-dir", t.TempDir())
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { kill(cmd) })
	}
	all := open(t, t.TempDir())
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if w, err := all.Workers(t.Context()); err == nil && len(w) == 3 {
			break
		} else if time.Now().After(end) {
			t.Fatalf("%d workers, %v", len(w), err)
		}
	}
	maker := open(t, t.TempDir())
	job := start(t, maker, crawl.Spec{URL: home, MaxDepth: 100, MaxPages: 5 * int64(pages), Concurrency: 9, PerPattern: 20, Render: crawl.RenderNever})
	if err := maker.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	until := func(done int64) {
		for {
			r, err := all.Get(t.Context(), job.ID)
			if err != nil {
				t.Fatal(err)
			}
			if r.Done >= done || r.State != jobs.StateRunning {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	link := func(state string) {
		if out, err := exec.Command("ip", "link", "set", tag+"2", state).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	until(int64(pages / 3))
	before := acknowledgedBy(t, all, job.ID)
	link("down")
	at := time.Now()
	t.Logf("cut off the second worker at %d addresses; they came from %v", pages/3, before)
	time.Sleep(cut)
	link("up")
	r := waitForEnd(t, all, job.ID, 15*time.Minute)
	got := results(t, all, job.ID)
	checkComplete(t, site, home, got)
	if r.State != jobs.StateDone || int(r.Done) != len(got) || r.Done != r.Total {
		t.Errorf("%s: %d of %d, %d results", r.State, r.Done, r.Total, len(got))
	}
	checkNotRepeated(t, all, job.ID, site, home)
	share := acknowledgedBy(t, all, job.ID)
	if len(share) < 3 {
		t.Errorf("only %d workers took part: %v", len(share), share)
	}
	t.Logf("%d addresses in %v, %v of them after the cut; by worker %v: %v", r.Done, r.Finished.Sub(r.Created).Round(time.Millisecond),
		time.Since(at).Round(time.Millisecond), share, r.Outcomes)
}

// acknowledgedBy counts the addresses that each worker has acknowledged.
func acknowledgedBy(t *testing.T, all *jobs.Jobs, id string) map[string]int {
	t.Helper()
	db, err := all.DB(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.Autocommit().Query(t.Context(), "SELECT worker, count(*) FROM crawl_page WHERE crawl = ? AND state = 2 GROUP BY worker", id)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := make(map[string]int)
	for rows.Next() {
		var worker string
		var n int
		if err := rows.Scan(&worker, &n); err != nil {
			t.Fatal(err)
		}
		out[worker] = n
	}
	return out
}
