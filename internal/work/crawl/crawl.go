package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/work/jobs"
)

// KindName is the kind of the jobs of this package.
const KindName = "crawl"

// Rendered is a page as a browser shows it.
type Rendered struct {
	HTML      string
	URL       string // where the browser ended up
	Truncated bool   // HTML is longer
}

// Renderer loads pages in a browser. An error of it that may pass is repeated like an answer of that kind.
type Renderer interface {
	Render(ctx context.Context, address string, limit int) (Rendered, error)
}

// Crawler is the kind of job that crawls.
type Crawler struct {
	client   *http.Client
	renderer Renderer // nil renders nothing
	log      *slog.Logger

	largePage sync.Mutex // held while a large page is read

	mu           sync.Mutex
	robots       map[string]*robotsCache // by job
	unreleased   map[string][]*lease     // by job: leases that this process must end, as it lives on
	acknowledged chan struct{}           // closed when an address was acknowledged in this process
}

var _ jobs.Kind = (*Crawler)(nil)

// New makes the kind. renderer may be nil, where there is no browser; log too.
func New(renderer Renderer, log *slog.Logger) *Crawler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Crawler{
		client: newClient(), renderer: renderer, log: log,
		robots: make(map[string]*robotsCache), unreleased: make(map[string][]*lease), acknowledged: make(chan struct{}),
	}
}

// Name is the kind's.
func (*Crawler) Name() string { return KindName }

// Schema is the frontier.
func (*Crawler) Schema() []string { return crawlSchema() }

// Delete deletes a crawl with its results.
func (*Crawler) Delete(ctx context.Context, tx jobs.Tx, job string) error {
	for _, table := range []string{"crawl_result", "crawl_page", "crawl_host", "crawl_pattern", "crawl_count"} {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE crawl = ?", job); err != nil {
			return err
		}
	}
	return nil
}

// robotsOf is what is known of robots.txt files for a job.
func (c *Crawler) robotsOf(job string) *robotsCache {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.robots) > 50 { // of jobs that ended, mostly
		clear(c.robots)
	}
	if c.robots[job] == nil {
		c.robots[job] = newRobotsCache()
	}
	return c.robots[job]
}

// nextAcknowledgement is closed at the next acknowledgement, which may have brought something to do.
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
	// shortest and maxPause bound the wait of a hand that finds nothing to do now.
	minPause, maxPause = 20 * time.Millisecond, 250 * time.Millisecond
	// releaseTimeout bounds giving back a lease when the process ends.
	releaseTimeout = 2 * time.Second
)

// Run drains the frontier until the job has ended.
func (c *Crawler) Run(ctx context.Context, db *jobs.DB, job jobs.Job, workerID string) error {
	h := worker{Crawler: c, db: db, job: job.ID, robots: c.robotsOf(job.ID)}
	pause := minPause
	for {
		news := c.nextAcknowledgement()
		c.releaseUnreleased(ctx, db, job.ID)
		t, err := nextAction(ctx, db, job.ID, workerID)
		if err != nil {
			if t.lease != nil { // the database may have it, and not have been able to say so
				c.releaseUntilDone(ctx, db, job.ID, t.lease)
			}
			return err
		}
		if t.done {
			return nil
		}
		if t.lease == nil {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pause):
			case <-news:
			}
			pause = min(2*pause, maxPause)
			continue
		}
		pause = minPause
		if err := h.loadSpec(t.spec); err != nil {
			return err
		}
		err = h.process(ctx, t.lease)
		if err != nil && !errors.Is(err, errLeaseLost) {
			c.releaseUntilDone(ctx, db, job.ID, t.lease)
			return err
		}
	}
}

// releaseUntilDone ends a lease whose work was not done. It tries until it has, or until ctx ends: then the lease is owed.
func (c *Crawler) releaseUntilDone(ctx context.Context, db *jobs.DB, job string, x *lease) {
	for {
		giving, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
		err := release(giving, db, x)
		cancel()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			c.mu.Lock()
			c.unreleased[job] = append(c.unreleased[job], x)
			c.mu.Unlock()
			return
		case <-time.After(maxPause):
		}
	}
}

// releaseUnreleased ends the leases that are owed. Those of a worker that is alive end in no other way.
func (c *Crawler) releaseUnreleased(ctx context.Context, db *jobs.DB, job string) {
	c.mu.Lock()
	owed := c.unreleased[job]
	delete(c.unreleased, job)
	c.mu.Unlock()
	for _, x := range owed {
		c.releaseUntilDone(ctx, db, job, x)
	}
}

// worker is one of those who work on a crawl.
type worker struct {
	*Crawler
	db     *jobs.DB
	job    string
	robots *robotsCache

	specText      string // of spec
	spec          Spec
	canonicalizer Canonicalizer
	scope         scope
}

// loadSpec reads the crawl's description, if it has changed.
func (h *worker) loadSpec(text string) error {
	if text == h.specText {
		return nil
	}
	var s Spec
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return fmt.Errorf("read the description of crawl %s: %w", h.job, err)
	}
	h.specText, h.spec, h.canonicalizer, h.scope = text, s, NewCanonicalizer(s.Strip), newScope(s)
	return nil
}

// do asks for an address and acknowledges what came of it, or has it asked for again later. Its errors are those of the
// database and of ctx.
func (h *worker) process(ctx context.Context, c *lease) error {
	began := time.Now()
	v, again := h.readAddress(ctx, c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if again.tooEarly {
		return release(ctx, h.db, c)
	}
	if again.err != nil && !again.permanent {
		if c.tries+1 < maxTries && again.retryAfter <= maxRetryAfter {
			pause := max(again.retryAfter, time.Duration(h.spec.BackoffMS)*time.Millisecond<<c.tries)
			return postpone(ctx, h.db, h.job, c, pause, again.retryAfter > 0)
		}
	}
	if again.err != nil {
		v.page.Outcome, v.page.Error = OutcomeFailed, describeError(again.err)
	}
	v.page.URL, v.page.Depth, v.page.LastMod, v.page.Millis = c.url, c.depth, c.lastmod, time.Since(began).Milliseconds()
	defer h.notifyAcknowledged()
	return acknowledge(ctx, h.db, h.job, h.spec, c, v)
}

// fetchError is why an address gave nothing.
type fetchError struct {
	err        error
	permanent  bool          // it will not be better another time
	tooEarly   bool          // it was not to be asked for yet, and was not
	retryAfter time.Duration // how long the server wants to be left alone
}

// readAddress asks for an address. One that breaks what reads it has failed, by itself: a hand that died of it would leave it in a
// living process, and the crawl would never end.
func (h *worker) readAddress(ctx context.Context, c *lease) (v reading, again fetchError) {
	defer func() {
		if broke := recover(); broke != nil {
			h.log.Error("a page broke what reads it", "url", c.url, "error", broke, "stack", string(debug.Stack()))
			v, again = reading{}, fetchError{err: fmt.Errorf("it cannot be read: %v", broke), permanent: true}
		}
	}()
	if c.crashes >= maxCrashes {
		return v, fetchError{err: fmt.Errorf("%d workers died while they had it", c.crashes), permanent: true}
	}
	at, err := h.canonicalizer.Resolve("", c.url)
	if err != nil {
		return v, fetchError{err: err, permanent: true}
	}
	if h.spec.Robots {
		find := func() (*rules, bool, error) { return findRules(ctx, h.db, h.client, h.job, c.host, at.Origin) }
		r, asked, err := h.robots.find(ctx, find, c.host)
		if err != nil {
			return v, fetchError{err: err}
		}
		if !asked && c.hostDelay < r.delay.Milliseconds() { // taken up before anybody knew how long the host is to be left alone
			return v, fetchError{tooEarly: true}
		}
		if !r.allow(c.url) {
			v.page.Outcome = OutcomeRobots
			return v, fetchError{}
		}
	}
	if c.sitemap {
		return h.readSitemap(ctx, c)
	}
	a, err := fetch(ctx, h.client, c.url, maxPageBytes, isPage)
	v.page.Status, v.page.Type, v.page.Size = a.status, a.mediaType, max(0, a.size)
	switch {
	case err != nil:
		return v, fetchError{err: err}
	case isTransient(a.status):
		return v, fetchError{err: fmt.Errorf("status %d", a.status), retryAfter: a.retryAfter}
	case a.location != "" && a.status != 304:
		return h.followRedirect(c, v, a.location)
	case a.status >= 300:
		return v, fetchError{err: fmt.Errorf("status %d", a.status), permanent: true}
	case !isPage(a.mediaType):
		v.page.Outcome = OutcomeFile
		return v, fetchError{}
	}
	v.page.Truncated = a.truncated
	if !isHTML(a.mediaType) {
		v.page.Outcome, v.hash = OutcomeOK, hashOf(string(a.body))
		v.page.Content = clip(string(a.body), maxContentBytes)
		v.page.Truncated = a.truncated || len(a.body) > maxContentBytes
		return v, fetchError{}
	}
	return h.readPage(ctx, c, v, a)
}

// followRedirect makes where a redirect leads an address of its own. Loops end there: an address joins the frontier once.
func (h *worker) followRedirect(c *lease, v reading, location string) (reading, fetchError) {
	to, err := h.canonicalizer.Resolve(c.url, location)
	if err != nil {
		return v, fetchError{err: fmt.Errorf("a redirect leads nowhere: %w", err), permanent: true}
	}
	v.page.Outcome, v.page.To = OutcomeRedirect, to.URL
	first := c.depth == 0 && h.spec.Rooted
	switch {
	case to.URL == c.url:
		return v, fetchError{err: errors.New("it redirects to itself"), permanent: true}
	case c.hops+1 > maxHops:
		return v, fetchError{err: fmt.Errorf("more than %d redirects", maxHops), permanent: true}
	case first && !h.scope.contains(to.URL):
		v.newOrigin = to.Origin
	case !h.scope.contains(to.URL):
		return v, fetchError{}
	}
	v.links = []candidate{{Address: to, depth: c.depth, patternRun: c.patternRun, hops: c.hops + 1, lastmod: c.lastmod}}
	return v, fetchError{}
}
