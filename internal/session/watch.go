package session

import (
	"context"
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

// Client returns the name that the client gives itself; "" before its first call.
func (s *Set) Client() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range slices.Backward(s.followers) {
		if session, ok := f.(*toolkit.Session); ok {
			return session.Client.String()
		}
	}
	return ""
}

// Tabs lists the open tabs of all connections, each in opening order.
func (s *Set) Tabs() []*browser.Tab {
	var tabs []*browser.Tab
	for _, c := range s.connections() {
		tabs = append(tabs, tabsOf(c.Session())...)
	}
	return tabs
}

func tabsOf(session *browser.Session) (tabs []*browser.Tab) {
	for _, id := range session.TabIDs() {
		if t, err := session.Tab(context.Background(), id); err == nil {
			tabs = append(tabs, t)
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

// TakeWindows returns how many windows the client's pages tried to open since the last call of it, and what they asked for.
func (s *Set) TakeWindows() (out browser.WindowCount) {
	for _, c := range s.connections() {
		out.Add(c.Session().TakeWindows())
	}
	return out
}
