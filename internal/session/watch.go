package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
)

// watcher is one function of Watch, with an identity.
type watcher struct{ fn func() }

// Watch calls fn after every change of the client's browsers until stop is called. A new tab is
// reported before its first request. fn runs where the change was made: it must return quickly and
// must change nothing.
func (s *Set) Watch(fn func()) (stop func()) {
	w := &watcher{fn}
	s.mu.Lock()
	s.watchers = append(slices.Clip(s.watchers), w)
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.watchers = slices.DeleteFunc(slices.Clone(s.watchers), func(o *watcher) bool { return o == w })
	}
}

// notifyWatchers calls the functions of Watch.
func (s *Set) notifyWatchers() {
	s.mu.Lock()
	all := s.watchers
	s.mu.Unlock()
	for _, w := range all {
		w.fn()
	}
}

// Tabs lists the open tabs of all connections, each in opening order.
func (s *Set) Tabs() []*browser.Tab {
	s.mu.Lock()
	list := slices.Clone(s.list)
	s.mu.Unlock()
	var tabs []*browser.Tab
	for _, c := range list {
		session := c.Session()
		for _, id := range session.TabIDs() {
			if t, err := session.Tab(context.Background(), id); err == nil {
				tabs = append(tabs, t)
			}
		}
	}
	return tabs
}

// Peek returns the tab that a call with these ids would address, or nil. "" means the active
// connection and the current tab. Unlike Tab it does not consume an ActiveChangedError.
func (s *Set) Peek(connection, tab string) *browser.Tab {
	if tab != "" {
		for _, t := range s.Tabs() {
			if t.ID() == tab {
				return t
			}
		}
		return nil
	}
	s.mu.Lock()
	c := s.active
	if connection != "" {
		c = s.list.find(connection)
	}
	s.mu.Unlock()
	if c == nil {
		return nil
	}
	t, err := c.Session().Tab(context.Background(), "")
	if err != nil {
		return nil
	}
	return t
}

// ReportRefusedWindows is the layer that adds to the result of a call how many windows pages tried to
// open and did not get since the result before.
func (r *Registry) ReportRefusedWindows(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, s *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		res, err := next(ctx, s, req)
		if err != nil || res.Ask != nil {
			return res, err
		}
		if n := r.takeWindows(s.ID); n.Refused > 0 {
			res.Content = append(slices.Clip(res.Content), toolkit.Content{Text: refusedWindows(n)})
		}
		return res, nil
	}
}

// takeWindows returns how many windows the pages of a client tried to open since the last call.
func (r *Registry) takeWindows(client string) (out browser.WindowCount) {
	r.mu.Lock()
	set := r.sets[client]
	r.mu.Unlock()
	if set == nil {
		return out
	}
	set.mu.Lock()
	list := slices.Clone(set.list)
	set.mu.Unlock()
	for _, c := range list {
		out.Add(c.Session().TakeWindows())
	}
	return out
}

func refusedWindows(n browser.WindowCount) string {
	switch {
	case n.Tried == 1:
		return "the page tried to open a window, which was refused"
	case n.Refused == 1:
		return fmt.Sprintf("the page tried to open %d windows; 1 was refused", n.Tried)
	}
	return fmt.Sprintf("the page tried to open %d windows; %d were refused", n.Tried, n.Refused)
}
