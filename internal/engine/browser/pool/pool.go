// Package pool spreads work over several browsers, which may be on other machines: each turn goes to the one that has least
// to do, and one that failed is left alone for a while that grows.
//
// It must not know what the work is, and starts no browser by itself: whoever gets one opens a tab in it.
package pool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
)

const (
	// minBackoff and longest are the first and the longest time for which a browser that failed is left alone. It doubles.
	minBackoff, maxBackoff = time.Second, time.Minute
	// healthTTL is how long a sign of health counts, healthTimeout how long one may take.
	healthTTL, healthTimeout = 10 * time.Second, 3 * time.Second
)

// Pool is a set of browsers.
type Pool struct {
	client *http.Client

	mu      sync.Mutex
	members []*member
}

type member struct {
	browser   *browser.Browser
	endpoint  string // "" is one that is launched here
	busy      int
	failures  int
	retryAt   time.Time // not before this, after a failure
	healthyAt time.Time // healthy
}

// UnavailableError says that no browser of the pool can be used now.
type UnavailableError struct {
	RetryAt time.Time // one is tried again then
	Reason  error     // of the last that was tried; nil if none was
}

func (e *UnavailableError) Error() string {
	text := fmt.Sprintf("no browser answers; one is tried again in %v", max(0, time.Until(e.RetryAt)).Round(100*time.Millisecond))
	if e.Reason != nil {
		text += ": " + e.Reason.Error()
	}
	return text
}

func (e *UnavailableError) Unwrap() error { return e.Reason }

// New makes a pool of browsers. Nothing is started or asked.
func New(all ...*browser.Browser) *Pool {
	p := &Pool{client: &http.Client{Timeout: healthTimeout}}
	for _, b := range all {
		p.members = append(p.members, &member{browser: b, endpoint: b.Status().Endpoint})
	}
	return p
}

// Lease is the use of a browser. Done must be called once.
type Lease struct {
	Browser *browser.Browser
	pool    *Pool
	member  *member
}

// Acquire picks a browser. The error is an UnavailableError when every one has failed lately.
func (p *Pool) Acquire(ctx context.Context) (*Lease, error) {
	var last error
	for range p.members {
		m, until := p.reserve()
		if m == nil {
			return nil, &UnavailableError{RetryAt: until, Reason: last}
		}
		err := p.checkHealth(ctx, m)
		if err == nil {
			return &Lease{Browser: m.browser, pool: p, member: m}, nil
		}
		if ctx.Err() != nil { // which says nothing about the browser
			p.cancel(m)
			return nil, context.Cause(ctx)
		}
		last = err
		p.release(m, err)
	}
	return nil, &UnavailableError{RetryAt: p.nextRetry(), Reason: last}
}

// reserve reserves the least busy browser that is not left alone, or says until when all are.
func (p *Pool) reserve() (*member, time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	var best *member
	for _, m := range p.members {
		if m.retryAt.After(now) {
			continue
		}
		// One that has just come back gets one turn until it has proved itself.
		if m.failures > 0 && m.busy > 0 {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(m.busy, best.busy), cmp.Compare(m.failures, best.failures)) < 0 {
			best = m
		}
	}
	if best == nil {
		until := p.nextRetryLocked()
		if soon := now.Add(minBackoff); until.Before(soon) {
			until = soon
		}
		return nil, until
	}
	best.busy++
	return best, time.Time{}
}

// nextRetry is when the first browser is tried again.
func (p *Pool) nextRetry() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nextRetryLocked()
}

// nextRetryLocked is soonest for who has the lock.
func (p *Pool) nextRetryLocked() time.Time {
	return slices.MinFunc(p.members, func(a, b *member) int { return a.retryAt.Compare(b.retryAt) }).retryAt
}

// checkHealth asks a remote browser for its version, unless it has worked a moment ago.
func (p *Pool) checkHealth(ctx context.Context, m *member) error {
	p.mu.Lock()
	healthy := m.endpoint == "" || time.Since(m.healthyAt) < healthTTL && m.failures == 0
	p.mu.Unlock()
	if healthy || !strings.HasPrefix(m.endpoint, "http") { // a ws:// address is its own only question
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(m.endpoint, "/")+"/json/version", nil)
	if err != nil {
		return fmt.Errorf("ask the browser at %s: %w", m.endpoint, err)
	}
	res, err := p.client.Do(req)
	if err != nil {
		return fmt.Errorf("ask the browser at %s: %w", m.endpoint, err)
	}
	defer func() { _ = res.Body.Close() }() // only the status is read
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the browser at %s answers with status %d", m.endpoint, res.StatusCode)
	}
	return nil
}

// cancel ends a turn of which nothing came.
func (p *Pool) cancel(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.busy--
}

// release ends a turn. One that failed for the browser's fault has it left alone.
func (p *Pool) release(m *member, fault error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.busy--
	if fault == nil {
		m.failures, m.healthyAt = 0, time.Now()
		return
	}
	m.retryAt = time.Now().Add(min(maxBackoff, minBackoff<<min(m.failures, 10)))
	m.failures++
}

// Release ends the turn; fault is what was wrong with the browser, not with the page.
func (t *Lease) Release(fault error) { t.pool.release(t.member, fault) }

// Member is the state of one browser of a pool.
type Member struct {
	Endpoint string
	Busy     int
	Failures int // in a row
}

// Members tells how each browser is, in the order in which they were given.
func (p *Pool) Members() []Member {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Member
	for _, m := range p.members {
		all = append(all, Member{m.endpoint, m.busy, m.failures})
	}
	return all
}

// Close ends what the browsers have open here. It is safe for browsers that never ran, and for ones that are closed.
func (p *Pool) Close(ctx context.Context) error {
	errs := make([]error, len(p.members))
	var all sync.WaitGroup
	for i, m := range p.members {
		all.Go(func() { errs[i] = m.browser.Close(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}
