package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// row is the outcome of one number of sessions.
type row struct {
	server           string
	sessions         int
	opened           time.Duration // the longest navigation while all sessions open at once
	calls            int
	elapsed          time.Duration
	median, p95      time.Duration
	fewest, most     int // calls of a session
	errors, refusals int
	cpu              time.Duration // of server and browser, per call
	scrape           time.Duration // of a processor, to read the metrics once; 0 without --metrics
	serverMemory     int64         // bytes per session beyond the first; -1 with one session
	browserMemory    int64
}

// shownErrors bounds how many different failures of a row are printed.
const shownErrors = 5

// workload is the workload of the sessions of one server.
type workload struct {
	command string // starts the server
	adapter adapter
	site    string
	options options
}

// measure starts a server and runs n sessions. The memory that a session adds is that of all
// sessions after the loop, less that of the first one after a loop of its own.
func (w workload) measure(ctx context.Context, n int) (row, error) {
	o := w.options
	s, err := startServer(ctx, w.command)
	if err != nil {
		return row{}, err
	}
	defer s.stop()
	first, err := w.openAll(ctx, s, 0, 1)
	defer closeAll(first)
	if err != nil {
		return row{}, err
	}
	first[0].loop(ctx, time.Now().Add(o.duration/10), o) // the heap and the caches take their size
	first[0].took = nil
	before := readUsage(s.command.Process.Pid)
	others, err := w.openAll(ctx, s, 1, n)
	defer closeAll(others)
	if err != nil {
		return row{}, err
	}
	all := slices.Concat(first, others)
	r := row{server: w.adapter.name, sessions: n, serverMemory: -1, browserMemory: -1}
	begun := readUsage(s.command.Process.Pid)
	began := time.Now()
	var running sync.WaitGroup
	for _, c := range all {
		running.Go(func() { c.loop(ctx, began.Add(o.duration), o) })
	}
	running.Wait()
	r.elapsed = time.Since(began)
	after := readUsage(s.command.Process.Pid)
	r.add(all)
	if r.calls > 0 {
		r.cpu = (after.cpu - begun.cpu) / time.Duration(r.calls)
	}
	if n > 1 {
		r.serverMemory = (after.server - before.server) / int64(n-1)
		r.browserMemory = (after.browser - before.browser) / int64(n-1)
	}
	if strings.Contains(w.command, "--metrics") {
		if r.scrape, err = measureScrapes(s); err != nil {
			return r, err
		}
	}
	return r, ctx.Err()
}

// Scrapes are made in a row to measure them, and by operators one in scrapeInterval.
const (
	scrapes        = 50
	scrapeInterval = 15 * time.Second
)

// measureScrapes reads the metrics of a server, and returns the time of processors that once takes.
func measureScrapes(s *server) (time.Duration, error) {
	before := readUsage(s.command.Process.Pid)
	for range scrapes {
		response, err := http.Get(strings.TrimSuffix(s.endpoint, "/mcp") + "/metrics")
		if err != nil {
			return 0, err
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.Body.Close() != nil || response.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("read the metrics: %s %w", response.Status, err)
		}
	}
	return (readUsage(s.command.Process.Pid).cpu - before.cpu) / scrapes, nil
}

// openAll connects sessions at once and loads the page of each. It returns the sessions that
// connected with an error too. A page that does not load is an error of its session.
func (w workload) openAll(ctx context.Context, s *server, from, to int) ([]*client, error) {
	all, errs := make([]*client, to-from), make([]error, to-from)
	var opening sync.WaitGroup
	for i := range all {
		opening.Go(func() {
			if all[i], errs[i] = connect(ctx, s.endpoint, w.adapter, from+i); errs[i] == nil {
				all[i].open(ctx, w.site)
			}
		})
	}
	opening.Wait()
	all = slices.DeleteFunc(all, func(c *client) bool { return c == nil })
	return all, errors.Join(errs...)
}

func closeAll(all []*client) {
	var closing sync.WaitGroup
	for _, c := range all {
		closing.Go(func() { _ = c.session.Close() }) // the server ends next
	}
	closing.Wait()
}

// add sums up the calls of all sessions and prints some of their failures.
func (r *row) add(all []*client) {
	var took []time.Duration
	r.fewest = len(all[0].took)
	shown := 0
	for _, c := range all {
		r.opened = max(r.opened, c.opened)
		r.fewest, r.most = min(r.fewest, len(c.took)), max(r.most, len(c.took))
		took = append(took, c.took...)
		for _, err := range c.errs {
			if errors.Is(err, errRefused) {
				r.refusals++
			} else {
				r.errors++
			}
			if shown++; shown <= shownErrors {
				fmt.Fprintln(os.Stderr, "scale:", err)
			}
		}
	}
	slices.Sort(took)
	r.calls = len(took)
	if r.calls > 0 {
		r.median, r.p95 = took[r.calls/2], took[r.calls*95/100]
	}
}
