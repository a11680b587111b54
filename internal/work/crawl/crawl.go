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
	HTML string
	URL  string // where the browser ended up
	Cut  bool   // HTML is longer
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

	heavy sync.Mutex // held while a large page is read

	mu     sync.Mutex
	robots map[string]*robotsCache // by job
	owed   map[string][]*claim     // by job: leases that this process must end, as it lives on
	news   chan struct{}           // closed when an address was acknowledged in this process
}

var _ jobs.Kind = (*Crawler)(nil)

// New makes the kind. renderer may be nil, where there is no browser; log too.
func New(renderer Renderer, log *slog.Logger) *Crawler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Crawler{
		client: newClient(), renderer: renderer, log: log,
		robots: make(map[string]*robotsCache), owed: make(map[string][]*claim), news: make(chan struct{}),
	}
}

// Name is the kind's.
func (*Crawler) Name() string { return KindName }

// Schema is the frontier.
func (*Crawler) Schema() []string { return schema() }

// Forget deletes a crawl with its results.
func (*Crawler) Forget(ctx context.Context, tx jobs.Tx, job string) error {
	for _, table := range []string{"crawl_result", "crawl_page", "crawl_host", "crawl_pattern", "crawl_count"} {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE crawl = ?", job); err != nil {
			return err
		}
	}
	return nil
}

// cache is what is known of robots.txt files for a job.
func (c *Crawler) cache(job string) *robotsCache {
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

// listen is closed at the next acknowledgement, which may have brought something to do.
func (c *Crawler) listen() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.news
}

func (c *Crawler) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.news)
	c.news = make(chan struct{})
}

const (
	// shortest and longestPause bound the wait of a hand that finds nothing to do now.
	shortestPause, longestPause = 20 * time.Millisecond, 250 * time.Millisecond
	// releaseTime bounds giving back a lease when the process ends.
	releaseTime = 2 * time.Second
)

// Run drains the frontier until the job has ended.
func (c *Crawler) Run(ctx context.Context, db *jobs.DB, job jobs.Job, worker string) error {
	h := hand{Crawler: c, db: db, job: job.ID, robots: c.cache(job.ID)}
	pause := shortestPause
	for {
		news := c.listen()
		c.repay(ctx, db, job.ID)
		t, err := claimNext(ctx, db, job.ID, worker)
		if err != nil {
			if t.claim != nil { // the database may have it, and not have been able to say so
				c.giveBack(ctx, db, job.ID, t.claim)
			}
			return err
		}
		if t.over {
			return nil
		}
		if t.claim == nil {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pause):
			case <-news:
			}
			pause = min(2*pause, longestPause)
			continue
		}
		pause = shortestPause
		if err := h.know(t.spec); err != nil {
			return err
		}
		err = h.do(ctx, t.claim)
		if err != nil && !errors.Is(err, errLost) {
			c.giveBack(ctx, db, job.ID, t.claim)
			return err
		}
	}
}

// giveBack ends a lease whose work was not done. It tries until it has, or until ctx ends: then the lease is owed.
func (c *Crawler) giveBack(ctx context.Context, db *jobs.DB, job string, x *claim) {
	for {
		giving, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		err := release(giving, db, x)
		cancel()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			c.mu.Lock()
			c.owed[job] = append(c.owed[job], x)
			c.mu.Unlock()
			return
		case <-time.After(longestPause):
		}
	}
}

// repay ends the leases that are owed. Those of a worker that is alive end in no other way.
func (c *Crawler) repay(ctx context.Context, db *jobs.DB, job string) {
	c.mu.Lock()
	owed := c.owed[job]
	delete(c.owed, job)
	c.mu.Unlock()
	for _, x := range owed {
		c.giveBack(ctx, db, job, x)
	}
}

// hand is one of those who work on a crawl.
type hand struct {
	*Crawler
	db     *jobs.DB
	job    string
	robots *robotsCache

	text  string // of spec
	spec  Spec
	canon Canon
	in    bounds
}

// know reads the crawl's description, if it has changed.
func (h *hand) know(text string) error {
	if text == h.text {
		return nil
	}
	var s Spec
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return fmt.Errorf("read the description of crawl %s: %w", h.job, err)
	}
	h.text, h.spec, h.canon, h.in = text, s, NewCanon(s.Strip), newBounds(s)
	return nil
}

// do asks for an address and acknowledges what came of it, or has it asked for again later. Its errors are those of the
// database and of ctx.
func (h *hand) do(ctx context.Context, c *claim) error {
	began := time.Now()
	v, again := h.read(ctx, c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if again.early {
		return release(ctx, h.db, c)
	}
	if again.err != nil && !again.never {
		if c.tries+1 < maxTries && again.after <= longestWait {
			pause := max(again.after, time.Duration(h.spec.BackoffMS)*time.Millisecond<<c.tries)
			return postpone(ctx, h.db, h.job, c, pause, again.after > 0)
		}
	}
	if again.err != nil {
		v.page.Outcome, v.page.Error = Broken, why(again.err)
	}
	v.page.URL, v.page.Depth, v.page.LastMod, v.page.Millis = c.url, c.depth, c.lastmod, time.Since(began).Milliseconds()
	defer h.tell()
	return acknowledge(ctx, h.db, h.job, h.spec, c, v)
}

// trouble is why an address gave nothing.
type trouble struct {
	err   error
	never bool          // it will not be better another time
	early bool          // it was not to be asked for yet, and was not
	after time.Duration // how long the server wants to be left alone
}

// read asks for an address. One that breaks what reads it has failed, by itself: a hand that died of it would leave it in a
// living process, and the crawl would never end.
func (h *hand) read(ctx context.Context, c *claim) (v verdict, again trouble) {
	defer func() {
		if broke := recover(); broke != nil {
			h.log.Error("a page broke what reads it", "url", c.url, "error", broke, "stack", string(debug.Stack()))
			v, again = verdict{}, trouble{err: fmt.Errorf("it cannot be read: %v", broke), never: true}
		}
	}()
	if c.crashes >= maxCrashes {
		return v, trouble{err: fmt.Errorf("%d workers died while they had it", c.crashes), never: true}
	}
	at, err := h.canon.Resolve("", c.url)
	if err != nil {
		return v, trouble{err: err, never: true}
	}
	if h.spec.Robots {
		find := func() (*rules, bool, error) { return findRules(ctx, h.db, h.client, h.job, c.host, at.Origin) }
		r, asked, err := h.robots.of(ctx, find, c.host)
		if err != nil {
			return v, trouble{err: err}
		}
		if !asked && c.gap < r.delay.Milliseconds() { // taken up before anybody knew how long the host is to be left alone
			return v, trouble{early: true}
		}
		if !r.allow(c.url) {
			v.page.Outcome = Barred
			return v, trouble{}
		}
	}
	if c.sitemap {
		return h.readSitemap(ctx, c)
	}
	a, err := fetch(ctx, h.client, c.url, pageBytes, isPage)
	v.page.Status, v.page.Type, v.page.Size = a.status, a.kind, max(0, a.size)
	switch {
	case err != nil:
		return v, trouble{err: err}
	case passing(a.status):
		return v, trouble{err: fmt.Errorf("status %d", a.status), after: a.retryAfter}
	case a.location != "" && a.status != 304:
		return h.redirected(c, v, a.location)
	case a.status >= 300:
		return v, trouble{err: fmt.Errorf("status %d", a.status), never: true}
	case !isPage(a.kind):
		v.page.Outcome = File
		return v, trouble{}
	}
	v.page.Truncated = a.cut
	if !isHTML(a.kind) {
		v.page.Outcome, v.hash = OK, hashOf(string(a.body))
		v.page.Content = clip(string(a.body), contentBytes)
		v.page.Truncated = a.cut || len(a.body) > contentBytes
		return v, trouble{}
	}
	return h.readPage(ctx, c, v, a)
}

// redirected makes where a redirect leads an address of its own. Loops end there: an address joins the frontier once.
func (h *hand) redirected(c *claim, v verdict, location string) (verdict, trouble) {
	to, err := h.canon.Resolve(c.url, location)
	if err != nil {
		return v, trouble{err: fmt.Errorf("a redirect leads nowhere: %w", err), never: true}
	}
	v.page.Outcome, v.page.To = Redirect, to.URL
	first := c.depth == 0 && h.spec.Rooted
	switch {
	case to.URL == c.url:
		return v, trouble{err: errors.New("it redirects to itself"), never: true}
	case c.hops+1 > maxHops:
		return v, trouble{err: fmt.Errorf("more than %d redirects", maxHops), never: true}
	case first && !h.in.has(to.URL):
		v.root = to.Origin
	case !h.in.has(to.URL):
		return v, trouble{}
	}
	v.links = []entry{{Address: to, depth: c.depth, run: c.run, hops: c.hops + 1, lastmod: c.lastmod}}
	return v, trouble{}
}
