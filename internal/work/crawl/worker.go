package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/work/jobs"
)

// worker reads the addresses of one crawl, one at a time. Several work on a crawl, in one process
// or in many.
type worker struct {
	*Crawler
	db     *jobs.DB
	job    string
	robots *robotsCache

	specText      string // that spec was decoded from
	spec          Spec
	canonicalizer Canonicalizer
	scope         scope
}

// run reads a leased address. It releases the lease if that fails.
func (w *worker) run(ctx context.Context, next action) error {
	if err := w.loadSpec(next.spec); err != nil {
		return err
	}
	err := w.process(ctx, next.lease)
	if err == nil || errors.Is(err, errLeaseLost) {
		return nil
	}
	w.releaseUntilDone(ctx, w.db, w.job, next.lease)
	return err
}

// loadSpec decodes the spec of the crawl if it has changed.
func (w *worker) loadSpec(text string) error {
	if text == w.specText {
		return nil
	}
	var s Spec
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return fmt.Errorf("read the description of crawl %s: %w", w.job, err)
	}
	w.specText, w.spec, w.canonicalizer, w.scope = text, s, NewCanonicalizer(s.Strip), newScope(s)
	return nil
}

// process reads an address and acknowledges it, or postpones it after a transient failure. Its
// errors are those of the database and of ctx.
func (w *worker) process(ctx context.Context, l *lease) error {
	began := time.Now()
	v, failure := w.readAddress(ctx, l)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failure.tooEarly {
		return release(ctx, w.db, l)
	}
	if failure.err != nil && !failure.permanent && l.tries+1 < maxTries && failure.retryAfter <= maxRetryAfter {
		pause := max(failure.retryAfter, time.Duration(w.spec.BackoffMS)*time.Millisecond<<l.tries)
		return w.postpone(ctx, l, pause, failure.retryAfter > 0)
	}
	if failure.err != nil {
		v.page.Outcome, v.page.Error = OutcomeFailed, describeError(failure.err)
	}
	v.page.URL, v.page.Depth, v.page.LastMod, v.page.Millis = l.url, l.depth, l.lastmod, time.Since(began).Milliseconds()
	defer w.notifyAcknowledged()
	return w.acknowledge(ctx, l, v)
}

// fetchError says why an address has no reading. The zero value is no error.
type fetchError struct {
	err        error
	permanent  bool          // a retry cannot help
	tooEarly   bool          // the delay of the host has not passed, so nothing was requested
	retryAfter time.Duration // that the server asks for
}

// readAddress requests an address. A panic fails the address alone: a worker that ended with it
// would leave its lease to a live process, and the crawl would never end.
func (w *worker) readAddress(ctx context.Context, l *lease) (v reading, failure fetchError) {
	defer func() {
		if cause := recover(); cause != nil {
			w.log.Error("panic while reading a page", "url", l.url, "error", cause, "stack", string(debug.Stack()))
			v, failure = reading{}, fetchError{err: fault.New(codes.Failed, fmt.Sprintf("it cannot be read: %v", cause)), permanent: true}
		}
	}()
	if l.crashes >= maxCrashes {
		return v, fetchError{err: fault.New(codes.Failed, fmt.Sprintf("%d workers died while they had it", l.crashes)), permanent: true}
	}
	at, err := w.canonicalizer.Resolve("", l.url)
	if err != nil {
		return v, fetchError{err: err, permanent: true}
	}
	if w.spec.Robots {
		allowed, failure := w.checkRobots(ctx, l, at.Origin)
		if failure.err != nil || failure.tooEarly {
			return v, failure
		}
		if !allowed {
			v.page.Outcome = OutcomeRobots
			return v, fetchError{}
		}
	}
	if l.sitemap {
		return w.readSitemap(ctx, l)
	}
	return w.readResponse(ctx, l)
}

// checkRobots reports whether the robots.txt of the host allows the address. failure says why that
// is not known yet.
func (w *worker) checkRobots(ctx context.Context, l *lease, origin string) (allowed bool, failure fetchError) {
	find := func() (*rules, bool, error) { return w.findRules(ctx, l.host, origin) }
	r, requested, err := w.robots.find(ctx, find, l.host)
	if err != nil {
		return false, fetchError{err: err}
	}
	if !requested && l.hostDelay < r.delay.Milliseconds() { // leased before the delay of the host was known
		return false, fetchError{tooEarly: true}
	}
	return r.allow(l.url), fetchError{}
}

// readResponse requests the page of an address and reads it.
func (w *worker) readResponse(ctx context.Context, l *lease) (reading, fetchError) {
	a, v, failure := w.request(ctx, l, maxPageBytes, isPage)
	switch {
	case failure.err != nil:
		return v, failure
	case a.location != "" && a.status != http.StatusNotModified:
		return w.followRedirect(l, v, a.location)
	case a.status >= http.StatusMultipleChoices:
		return v, fetchError{err: fault.New(codes.Failed, fmt.Sprintf("status %d", a.status)), permanent: true}
	case !isPage(a.mediaType):
		v.page.Outcome = OutcomeFile
		return v, fetchError{}
	}
	v.page.Truncated = a.truncated
	if isHTML(a.mediaType) {
		return w.readPage(ctx, l, v, a)
	}
	v.hash = hashOf(string(a.body))
	if v.page.takeText(a); isMarkdown(a.mediaType) {
		d := readMarkdown(a.body)
		v.page.Title = d.title
		w.collectLinks(l, &v, d)
	}
	return v, fetchError{}
}

// takeText makes the text of a response the content of the page.
func (p *Page) takeText(a response) {
	p.Outcome, p.Content = OutcomeOK, validPrefix(string(a.body), maxContentBytes)
	p.Truncated = a.truncated || len(a.body) > maxContentBytes
}

// maxMarkdownDelay is the longest delay between two requests of a host for which the Markdown of a page is taken.
const maxMarkdownDelay = 10 * time.Second

// takeMarkdown takes the Markdown that the site has of an HTML page, which the page links to; without it, or where
// robots.txt forbids it, the page stays as it is.
func (w *worker) takeMarkdown(ctx context.Context, l *lease, p *Page, link string) {
	to, err := w.canonicalizer.Resolve(l.url, link)
	if err != nil || !w.scope.contains(to.URL) || to.Host != l.host {
		return
	}
	if r := w.robots.cached(to.Host); w.spec.Robots && r != nil && !r.allow(to.URL) {
		return
	}
	delay := time.Duration(max(l.hostDelay, w.spec.DelayMS)) * time.Millisecond
	if delay > maxMarkdownDelay {
		return
	}
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		return
	}
	a, err := fetch(ctx, w.client, question{to.URL, acceptMarkdown, maxPageBytes, isText})
	if err == nil && a.status == http.StatusOK && len(a.body) > 0 && (isMarkdown(a.mediaType) || a.mediaType == "text/plain") {
		p.Source = to.URL
		p.takeText(a)
	}
}

// request requests the address of a lease. The reading has what the headers of the response say.
func (w *worker) request(ctx context.Context, l *lease, limit int64, readable func(kind string) bool) (a response, v reading, failure fetchError) {
	accept := acceptPages
	if w.spec.Format == Markdown && !l.sitemap {
		accept = acceptMarkdown
	}
	a, err := fetch(ctx, w.client, question{l.url, accept, limit, readable})
	v.page.Status, v.page.Type, v.page.Size = a.status, a.mediaType, max(0, a.size)
	switch {
	case err != nil:
		failure = fetchError{err: err}
	case isTransient(a.status):
		failure = fetchError{err: fault.New(codes.Failed, fmt.Sprintf("status %d", a.status)), retryAfter: a.retryAfter}
	}
	return a, v, failure
}

// followRedirect makes the target of a redirect a candidate. Redirect loops end, since the frontier
// has each address once.
func (w *worker) followRedirect(l *lease, v reading, location string) (reading, fetchError) {
	to, err := w.canonicalizer.Resolve(l.url, location)
	if err != nil {
		return v, fetchError{err: fmt.Errorf("a redirect leads nowhere: %w", err), permanent: true}
	}
	v.page.Outcome, v.page.To = OutcomeRedirect, to.URL
	first := l.depth == 0 && w.spec.Rooted
	switch {
	case to.URL == l.url:
		return v, fetchError{err: fault.New(codes.Failed, "it redirects to itself"), permanent: true}
	case l.hops+1 > maxHops:
		return v, fetchError{err: fault.New(codes.Failed, fmt.Sprintf("more than %d redirects", maxHops)), permanent: true}
	case first && !w.scope.contains(to.URL):
		v.newOrigin = to.Origin
	case !w.scope.contains(to.URL):
		return v, fetchError{}
	}
	v.links = []candidate{{Address: to, depth: l.depth, patternRun: l.patternRun, hops: l.hops + 1, lastmod: l.lastmod}}
	return v, fetchError{}
}
