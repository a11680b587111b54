// Package pool spreads sessions and jobs over several browsers, which may run on other machines. It
// leases the least busy browser, and backs off from a failed one for a time that doubles. A browser
// whose health check fails, also by intent of its operator, gets no new lease.
//
// It must not know the work, and starts no browser: the caller of Acquire opens a tab in the one it
// gets.
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

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/fault"
)

const (
	// minBackoff and maxBackoff are the first and the longest time without leases of a failed
	// browser.
	minBackoff, maxBackoff = time.Second, time.Minute
	// healthTTL is how long a successful health check or lease counts; healthTimeout bounds one
	// check.
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
	endpoint  string // "" for a browser that is launched here
	busy      int
	failures  int
	retryAt   time.Time // no lease before this time, after a failure
	healthyAt time.Time // time of the last success
}

// UnavailableError reports that every browser of the pool has failed recently.
type UnavailableError struct {
	RetryAt time.Time // when the pool tries a browser again
	Reason  error     // error of the last browser tried; nil if none was tried
}

func (e *UnavailableError) Error() string {
	wait := max(0, time.Until(e.RetryAt)).Round(100 * time.Millisecond)
	text := fmt.Sprintf("no browser answers; one is tried again in %v", wait)
	if e.Reason != nil {
		text += ": " + e.Reason.Error()
	}
	return text
}

func (e *UnavailableError) Unwrap() error { return e.Reason }

// New returns a pool of browsers. It starts and asks none of them.
func New(all ...*browser.Browser) *Pool {
	p := &Pool{client: &http.Client{Timeout: healthTimeout}}
	for _, b := range all {
		p.members = append(p.members, &member{browser: b, endpoint: b.Status().Endpoint})
	}
	return p
}

// Lease is the right to use a browser until Release, which must be called once.
type Lease struct {
	Browser *browser.Browser
	pool    *Pool
	member  *member
}

// Acquire leases a browser. The error is an UnavailableError when every browser has failed
// recently.
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
		if ctx.Err() != nil { // the caller gave up, so the browser is not at fault
			p.cancel(m)
			return nil, context.Cause(ctx)
		}
		last = err
		p.release(m, err)
	}
	return nil, &UnavailableError{RetryAt: p.nextRetry(), Reason: last}
}

// reserve counts a lease of the least busy browser, or returns the time at which one is available.
func (p *Pool) reserve() (*member, time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	var best *member
	for _, m := range p.members {
		if m.retryAt.After(now) {
			continue
		}
		// A browser that failed gets one lease at a time until it succeeds.
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

// nextRetry returns the time at which the pool tries the first failed browser again.
func (p *Pool) nextRetry() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nextRetryLocked()
}

// nextRetryLocked is nextRetry for callers that hold mu.
func (p *Pool) nextRetryLocked() time.Time {
	return slices.MinFunc(p.members, func(a, b *member) int { return a.retryAt.Compare(b.retryAt) }).retryAt
}

// checkHealth asks a remote browser for its version, unless it succeeded within healthTTL.
func (p *Pool) checkHealth(ctx context.Context, m *member) error {
	p.mu.Lock()
	healthy := m.endpoint == "" || time.Since(m.healthyAt) < healthTTL && m.failures == 0
	p.mu.Unlock()
	if healthy {
		return nil
	}
	return p.askHealth(ctx, m)
}

// askHealth asks a remote browser for its version. A ws:// endpoint has no HTTP endpoint to ask and
// is taken for healthy.
func (p *Pool) askHealth(ctx context.Context, m *member) error {
	if !strings.HasPrefix(m.endpoint, "http") {
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
		return fault.New(codes.Failed, fmt.Sprintf("the browser at %s answers with status %d", m.endpoint, res.StatusCode))
	}
	return nil
}

// cancel ends a lease without a verdict on the browser.
func (p *Pool) cancel(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.busy--
}

// release ends a lease. A non-nil fault starts or extends the backoff.
func (p *Pool) release(m *member, fault error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.busy--
	if fault == nil {
		m.failures, m.healthyAt = 0, time.Now()
		return
	}
	if m.retryAt.After(time.Now()) {
		return // leases of one time fail together
	}
	m.retryAt = time.Now().Add(min(maxBackoff, minBackoff<<min(m.failures, 10)))
	m.failures++
}

// Release ends the lease. fault is an error of the browser, not of the page; nil means success.
func (t *Lease) Release(fault error) { t.pool.release(t.member, fault) }

// Member is the state of one browser of a pool.
type Member struct {
	Endpoint string
	Busy     int
	Failures int // consecutive
}

// Check asks the browser whether it is healthy, and ends the backoff of an earlier failure if it is.
// The holder of a long lease calls it before further work.
func (t *Lease) Check(ctx context.Context) error {
	if err := t.pool.askHealth(ctx, t.member); err != nil {
		return err
	}
	t.pool.mu.Lock()
	defer t.pool.mu.Unlock()
	t.member.failures, t.member.healthyAt = 0, time.Now()
	return nil
}

// Members returns the state of each browser, in the order given to New.
func (p *Pool) Members() []Member {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slicesx.Map(p.members, func(m *member) Member { return Member{m.endpoint, m.busy, m.failures} })
}

// Close closes every browser. It is safe for browsers that never ran or are closed.
func (p *Pool) Close(ctx context.Context) error {
	errs := make([]error, len(p.members))
	var all sync.WaitGroup
	for i, m := range p.members {
		all.Go(func() { errs[i] = m.browser.Close(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}
