package pool_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/pool"
)

// endpoint serves the health check of a browser with a changeable status, and counts the checks.
func endpoint(t *testing.T, status *atomic.Int32) (*browser.Browser, *atomic.Int32) {
	t.Helper()
	asked := new(atomic.Int32)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/json/version" {
			t.Errorf("%s was asked for", r.URL.Path)
		}
		asked.Add(1)
		w.WriteHeader(int(status.Load()))
	}))
	t.Cleanup(srv.Close)
	return browser.New(browser.Config{CDPEndpoint: srv.URL}), asked
}

func TestAcquireSpreadsAndBacksOff(t *testing.T) {
	var good, bad atomic.Int32
	good.Store(http.StatusOK)
	bad.Store(http.StatusBadGateway)
	a, _ := endpoint(t, &good)
	b, asked := endpoint(t, &bad)
	c, _ := endpoint(t, &good)
	p := pool.New(a, b, c)
	acquire := func() *pool.Lease {
		t.Helper()
		lease, err := p.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return lease
	}
	count := make(map[*browser.Browser]int)
	var leases []*pool.Lease
	for range 6 {
		lease := acquire()
		count[lease.Browser]++
		leases = append(leases, lease)
	}
	if count[a] != 3 || count[b] != 0 || count[c] != 3 {
		t.Errorf("leases: %d, %d, %d", count[a], count[b], count[c])
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the failed browser was checked %d times", n)
	}
	for _, lease := range leases {
		lease.Release(nil)
	}
	for _, m := range p.Members() {
		if m.Busy != 0 {
			t.Errorf("%+v", m)
		}
	}
	// A failure in use starts the backoff too. With all browsers backing off, Acquire fails at
	// once.
	gone := &browser.BrowserGoneError{}
	for range 2 {
		acquire().Release(gone)
	}
	var none *pool.UnavailableError
	if _, err := p.Acquire(t.Context()); !errors.As(err, &none) || none.RetryAt.IsZero() {
		t.Fatalf("got %v", err)
	}
}

// TestCanceledAcquireIsNoFailure cancels the caller during a health check, which is no failure of
// the browser.
func TestCanceledAcquireIsNoFailure(t *testing.T) {
	asked, proceed := make(chan struct{}, 10), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-proceed:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(srv.Close)
	p := pool.New(browser.New(browser.Config{CDPEndpoint: srv.URL}))
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := p.Acquire(ctx)
		failed <- err
	}()
	<-asked
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if m := p.Members()[0]; m.Busy != 0 || m.Failures != 0 {
		t.Errorf("%+v", m)
	}
	close(proceed)
	lease, err := p.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lease.Release(nil)
}
