package crawl_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
	"github.com/callsheet/callsheet/internal/work/jobs"
)

// TestKilledWorkersLoseNothing kills workers at random points, as the kernel does when memory is
// short: no page is lost, none is acknowledged twice, and acknowledged ones are not requested
// again.
func TestKilledWorkersLoseNothing(t *testing.T) {
	pages, kills := 300, 4
	if os.Getenv(soak) != "" {
		pages, kills = 10_000, 20
	}
	site, home := serve(t, crawltest.Options{Pages: pages, Traps: true, Latency: 5 * time.Millisecond})
	dir := t.TempDir()
	all := open(t, dir) // it only reads
	first := launch(t, dir)
	// The process that submits the job ends too, before or after it has enqueued the runs.
	maker := open(t, dir)
	job := start(t, maker, crawl.Spec{URL: home, MaxDepth: 100, MaxPages: 5 * int64(pages), Concurrency: 4, PerPattern: 20, Render: crawl.RenderNever})
	if err := maker.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	procs := []*exec.Cmd{first, launch(t, dir)}
	seen := int64(0)
	for n := range kills {
		// There is progress between two kills, so that every kill interrupts work.
		step := 1 + rand.Int64N(max(2, int64(pages/(kills+1))))
		for {
			r, err := all.Get(t.Context(), job.ID)
			if err != nil {
				t.Fatal(err)
			}
			if r.Done >= seen+step || r.State != jobs.StateRunning {
				seen = r.Done
				break
			}
			if time.Since(began) > 10*time.Minute {
				t.Fatalf("nothing goes on after kill %d: %d of %d", n, r.Done, r.Total)
			}
			time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		}
		i := n % len(procs)
		kill(procs[i])
		t.Logf("killed worker %d at %d pages", i, seen)
		procs[i] = launch(t, dir)
	}
	r := waitForEnd(t, all, job.ID, 20*time.Minute)
	took := time.Since(began)
	got := results(t, all, job.ID)
	checkComplete(t, site, home, got)
	if r.State != jobs.StateDone || int(r.Done) != len(got) || r.Done != r.Total {
		t.Errorf("%s: %d of %d, %d results", r.State, r.Done, r.Total, len(got))
	}
	checkNotRepeated(t, all, job.ID, site, home)
	t.Logf("%d addresses in %v with %d kills: %v", r.Done, took.Round(time.Millisecond), kills, r.Outcomes)
}

// checkNotRepeated checks that no address was requested after it was acknowledged.
func checkNotRepeated(t *testing.T, all *jobs.Jobs, id string, site *crawltest.Site, home string) {
	t.Helper()
	db, err := all.DB(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.Autocommit().Query(t.Context(), "SELECT p.url, r.at FROM crawl_result r JOIN crawl_page p ON p.id = r.page WHERE r.crawl = ?", id)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	hits, more, n := site.Hits(), 0, 0
	for rows.Next() {
		var url string
		var at int64
		if err := rows.Scan(&url, &at); err != nil {
			t.Fatal(err)
		}
		n++
		for _, h := range hits[strings.TrimPrefix(url, home)] {
			if h.UnixMilli() > at+1 {
				t.Errorf("%s was requested %v after it was acknowledged", url, h.Sub(time.UnixMilli(at)))
			}
		}
		more += max(0, len(hits[strings.TrimPrefix(url, home)])-1)
	}
	if err := rows.Err(); err != nil || n == 0 {
		t.Fatalf("%d rows, %v", n, err)
	}
	t.Logf("%d requests were repeats of ones that were not acknowledged", more)
}

// launch starts a worker process.
func launch(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), workerAt+"="+dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	return cmd
}

func kill(cmd *exec.Cmd) {
	if cmd.ProcessState == nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
