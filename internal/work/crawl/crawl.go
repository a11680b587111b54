package crawl

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/work/jobs"
)

// KindName is the kind of the jobs of this package.
const KindName = "crawl"

// Rendered is the HTML of a page after its scripts ran.
type Rendered struct {
	HTML      string
	URL       string // address of the document
	Truncated bool   // HTML was cut at the limit
}

// Renderer loads pages in a browser. The crawl retries after its errors.
type Renderer interface {
	Render(ctx context.Context, address string, limit int) (Rendered, error)
}

// Crawler is the kind of job that crawls.
type Crawler struct {
	client   *http.Client
	renderer Renderer // nil renders nothing
	log      *slog.Logger

	largePage sync.Mutex // held while a large page is parsed

	mu           sync.Mutex
	robots       map[string]*robotsCache // by job
	unreleased   map[string][]*lease     // by job: leases that this process still has to release
	acknowledged chan struct{}           // closed at the next acknowledgement of this process
}

var (
	_ jobs.Kind        = (*Crawler)(nil)
	_ jobs.TimeShifter = (*Crawler)(nil)
)

// New returns a Crawler. renderer and log may be nil.
func New(renderer Renderer, log *slog.Logger) *Crawler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Crawler{
		client: newClient(), renderer: renderer, log: log,
		robots: make(map[string]*robotsCache), unreleased: make(map[string][]*lease), acknowledged: make(chan struct{}),
	}
}

// Name returns KindName.
func (*Crawler) Name() string { return KindName }

// Schema returns the tables of the frontier.
func (*Crawler) Schema() []string { return crawlSchema() }

// Delete deletes the frontier and the results of a crawl.
func (*Crawler) Delete(ctx context.Context, tx jobs.Tx, job string) error {
	for _, table := range []string{"crawl_result", "crawl_page", "crawl_host", "crawl_pattern", "crawl_count"} {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE crawl = ?", job); err != nil {
			return err
		}
	}
	return nil
}

// ShiftTimes makes the ends of delays and pauses earlier. A host that waits no longer than its delay
// may have been requested since the clock was set back.
func (*Crawler) ShiftTimes(ctx context.Context, tx jobs.Tx, by time.Duration) error {
	_, err := tx.Exec(ctx, "UPDATE crawl_host SET free_at = free_at - ? WHERE free_at > {now} + gap", by.Milliseconds())
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE crawl_page SET ready_at = ready_at - ? WHERE state = "+stateQueued+" AND ready_at > {now}", by.Milliseconds())
	return err
}

// maxRobotsCaches bounds the caches of robots.txt files; most are of jobs that ended.
const maxRobotsCaches = 50

// robotsOf returns the cache of robots.txt files of a job.
func (c *Crawler) robotsOf(job string) *robotsCache {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.robots) > maxRobotsCaches {
		clear(c.robots)
	}
	if c.robots[job] == nil {
		c.robots[job] = newRobotsCache()
	}
	return c.robots[job]
}

// nextAcknowledgement returns a channel that is closed at the next acknowledgement, which may add
// addresses.
func (c *Crawler) nextAcknowledgement() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.acknowledged
}

func (c *Crawler) notifyAcknowledged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.acknowledged)
	c.acknowledged = make(chan struct{})
}

const (
	// minPause and maxPause bound the wait of a worker that has no address to request now. The wait
	// doubles.
	minPause, maxPause = 20 * time.Millisecond, 250 * time.Millisecond
	// releaseTimeout bounds the release of a lease when the process ends.
	releaseTimeout = 2 * time.Second
)

// Run drains the frontier until the job has ended.
func (c *Crawler) Run(ctx context.Context, db *jobs.DB, job jobs.Job, process string) error {
	w := worker{Crawler: c, db: db, job: job.ID, robots: c.robotsOf(job.ID)}
	pause := minPause
	for {
		acknowledged := c.nextAcknowledgement()
		c.releaseUnreleased(ctx, db, job.ID)
		next, err := nextAction(ctx, db, job.ID, process)
		if err != nil {
			if next.lease != nil { // the transaction may have committed before its reply was lost
				c.releaseUntilDone(ctx, db, job.ID, next.lease)
			}
			return err
		}
		switch {
		case next.done:
			return nil
		case next.lease != nil:
			pause = minPause
			if err := w.run(ctx, next); err != nil {
				return err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		case <-acknowledged:
		}
		pause = min(2*pause, maxPause)
	}
}

// releaseUntilDone releases a lease whose work was not done. It retries until ctx ends; then the
// lease is unreleased.
func (c *Crawler) releaseUntilDone(ctx context.Context, db *jobs.DB, job string, l *lease) {
	for {
		releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
		err := release(releasing, db, l)
		cancel()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			c.mu.Lock()
			c.unreleased[job] = append(c.unreleased[job], l)
			c.mu.Unlock()
			return
		case <-time.After(maxPause):
		}
	}
}

// releaseUnreleased releases the unreleased leases of a job. The leases of a live worker do not
// expire.
func (c *Crawler) releaseUnreleased(ctx context.Context, db *jobs.DB, job string) {
	c.mu.Lock()
	unreleased := c.unreleased[job]
	delete(c.unreleased, job)
	c.mu.Unlock()
	for _, l := range unreleased {
		c.releaseUntilDone(ctx, db, job, l)
	}
}
