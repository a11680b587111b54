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

// endpoint is a place that says it is a browser, or that it is not well.
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

func TestTurnsAreSpreadAndFailuresLeftAlone(t *testing.T) {
	var good, bad atomic.Int32
	good.Store(http.StatusOK)
	bad.Store(http.StatusBadGateway)
	a, _ := endpoint(t, &good)
	b, asked := endpoint(t, &bad)
	c, _ := endpoint(t, &good)
	p := pool.New(a, b, c)
	take := func() *pool.Lease {
		t.Helper()
		turn, err := p.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return turn
	}
	count := make(map[*browser.Browser]int)
	var turns []*pool.Lease
	for range 6 {
		turn := take()
		count[turn.Browser]++
		turns = append(turns, turn)
	}
	if count[a] != 3 || count[b] != 0 || count[c] != 3 {
		t.Errorf("turns: %d, %d, %d", count[a], count[b], count[c])
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the bad one was asked %d times in a moment", n)
	}
	for _, turn := range turns {
		turn.Release(nil)
	}
	for _, m := range p.Members() {
		if m.Busy != 0 {
			t.Errorf("%+v", m)
		}
	}
	// One that fails in use is left alone too; when all are, that is said at once.
	gone := &browser.BrowserGoneError{}
	for range 2 {
		take().Release(gone)
	}
	var none *pool.UnavailableError
	if _, err := p.Acquire(t.Context()); !errors.As(err, &none) || none.RetryAt.IsZero() {
		t.Fatalf("got %v", err)
	}
}

// TestAnImpatientCallerIsNoFault: who gives up while a browser is asked how it is says nothing about the browser.
func TestAnImpatientCallerIsNoFault(t *testing.T) {
	asked, goOn := make(chan struct{}, 10), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-goOn:
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
	close(goOn)
	turn, err := p.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	turn.Release(nil)
}
