package session

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/pool"
)

const (
	// placeTimeout bounds the choice of a browser, which may ask several whether they are healthy.
	placeTimeout = 10 * time.Second
	// defaultPingInterval and defaultPingTimeout are the defaults of Config. A browser that opens
	// many tabs needs seconds for an answer.
	defaultPingInterval, defaultPingTimeout = 5 * time.Second, 15 * time.Second
)

// ownBrowser returns the browser that was chosen for the client, or the first one. The caller holds
// mu.
func (s *Set) ownBrowser() *browser.Browser {
	if s.lease != nil {
		return s.lease.Browser
	}
	return s.registry.own
}

// place chooses one of several browsers for a client that has no tab in one: the least busy one
// that is healthy. A client stays in its browser until that fails. Without a healthy browser the
// connection stays as it is, and the call that needs a tab fails.
func (s *Set) place() {
	if len(s.registry.browsers) == 1 || s.registry.isShared(s.id) {
		return
	}
	s.placing.Lock()
	defer s.placing.Unlock()
	s.mu.Lock()
	lease, current, ended := s.lease, s.list.find(Default), s.ended
	s.mu.Unlock()
	if ended || current.Session().Connected() {
		return
	}
	s.registry.pingBrowsers()
	ctx, cancel := context.WithTimeout(s.registry.pingCtx, placeTimeout)
	defer cancel()
	if lease != nil {
		fault := lease.Check(ctx)
		if fault == nil {
			return
		}
		s.releaseBrowser(fault)
	}
	for range s.registry.browsers {
		lease, err := s.registry.pool.Acquire(ctx)
		if err != nil {
			s.registry.log.Warn("choose a browser", "session", s.id, "error", err)
			return
		}
		if err := lease.Check(ctx); err != nil { // Acquire accepts an answer of some seconds ago
			lease.Release(err)
			continue
		}
		s.moveTo(ctx, lease, current)
		return
	}
}

// moveTo makes the leased browser that of the connection Default.
func (s *Set) moveTo(ctx context.Context, lease *pool.Lease, old *Connection) {
	s.mu.Lock()
	at := slices.Index(s.list, old)
	if s.ended || at < 0 {
		s.mu.Unlock()
		lease.Release(nil)
		return
	}
	s.lease = lease
	if old.browser == lease.Browser {
		s.mu.Unlock()
		return
	}
	next := s.newOwnConnection()
	next.Session().Follows(old.Session())
	s.list[at] = next
	if s.active == old {
		s.active = next
	}
	s.mu.Unlock()
	if err := old.end(ctx, s.id); err != nil {
		s.registry.log.Warn("leave a browser", "session", s.id, "error", err)
	}
}

// own returns the browser that was chosen for the client, or the first one.
func (s *Set) own() *browser.Browser {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ownBrowser()
}

// releaseBrowser ends the lease of the client's browser. fault says why the browser is left; nil is
// the end of the client.
func (s *Set) releaseBrowser(fault error) {
	s.mu.Lock()
	lease := s.lease
	s.lease = nil
	s.mu.Unlock()
	if lease != nil {
		lease.Release(fault)
	}
}

// onOwnExit ends the lease of the browser that exited, so that the next call chooses one, and
// returns what to say about it. The caller holds mu.
func (s *Set) onOwnExit(dead *Connection) (notice string) {
	if dead.kind != Own || s.lease == nil {
		return fmt.Sprintf("the browser of connection %q exited, and its tabs are gone", dead.id)
	}
	s.lease.Release(&browser.BrowserGoneError{})
	s.lease = nil
	text := "the connection to the browser"
	if u, err := url.Parse(dead.browser.Status().Endpoint); err == nil {
		text += " at " + u.Host
	}
	return fmt.Sprintf("%s is lost, and with it tabs (%s), cookies and storage; the next tab opens in a browser that answers",
		text, strings.Join(dead.Session().LostTabs(), ", "))
}

// pingBrowsers begins to ping the browsers, once. A browser on another machine that is cut off does
// not close its connection: without pings, calls would wait for their deadlines.
func (r *Registry) pingBrowsers() {
	r.pinging.Do(func() {
		for _, each := range r.browsers {
			go r.ping(each)
		}
	})
}

// ping asks one browser now and then, while it is connected, and disconnects it when it does not
// answer.
func (r *Registry) ping(each *browser.Browser) {
	interval, timeout := r.cfg.PingInterval, r.cfg.PingTimeout
	if interval == 0 {
		interval = defaultPingInterval
	}
	if timeout == 0 {
		timeout = defaultPingTimeout
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-r.pingCtx.Done():
			return
		}
		ctx, cancel := context.WithTimeout(r.pingCtx, timeout)
		_, _, err := each.Ping(ctx)
		late := errors.Is(ctx.Err(), context.DeadlineExceeded)
		cancel()
		if err != nil && late {
			r.log.Warn("a browser does not answer, and is disconnected", "endpoint", each.Status().Endpoint)
			each.Disconnect()
		}
	}
}
