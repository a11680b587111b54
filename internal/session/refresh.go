package session

import (
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Refresh observes every browser and reports changed facts to the followers. Everything that can
// change a fact calls it. It is fast, asks no browser, and does nothing without a change.
func (s *Set) Refresh() {
	s.refreshMu.Lock()
	defer s.refreshMu.Unlock()
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	endEmptyContexts(s)
	list := slices.Clone(s.list)
	s.mu.Unlock()
	pages := s.observe(list)
	s.mu.Lock()
	var entries []toolkit.ListEntry
	if at := slices.Index(list, s.active); at >= 0 {
		entries = pages[at].entries
	}
	facts, followers, remarks, replaced := s.active.state.Facts()|s.siteFacts, slices.Clone(s.followers), s.remarks, s.activeReplaced
	if len(followers) > 0 {
		s.remarks, s.activeReplaced = nil, false
	}
	s.mu.Unlock()
	s.notifyWatchers()
	if len(followers) == 0 {
		return
	}
	for _, text := range remarks {
		followers[len(followers)-1].AddNotice(text)
	}
	for _, f := range followers {
		if replaced {
			f.SwitchSubject()
		}
		f.Replace(facts)
		if s.registry.cfg.PageTools.Tool != "" {
			f.SetEntries(entries)
		}
	}
}

// onBrowserExit records that a connection's browser exited. If the connection was active, the first
// one with a running browser becomes active.
func (s *Set) onBrowserExit(dead *Connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remarks = append(s.remarks, s.onOwnExit(dead))
	if s.active != dead {
		return
	}
	if next := s.list.firstConnected(nil); next != nil {
		s.active, s.activeChanged = next, &ActiveChangedError{From: dead.id, To: next.id}
		s.activeReplaced = true
	}
}

// observe reads the state of each connection, and returns the tools that the pages of their current tabs offer.
func (s *Set) observe(list []*Connection) []pageOffer {
	now, pages := make([]observedState, len(list)), make([]pageOffer, len(list))
	connected, waiting := 0, false
	for i, c := range list {
		now[i], pages[i] = c.observe(), s.pages.current(c)
		now[i].pageTools = now[i].connected && len(pages[i].tools) > 0
		waiting = waiting || now[i].dialogOpen
		if now[i].connected && c.kind != Isolated { // which is of another connection's browser
			connected++
		}
	}
	for i, c := range list {
		now[i].multiple = now[i].connected && connected > 1
		now[i].dialogOpen = now[i].connected && waiting // every connection can handle a dialog of another
		before := stateFromFacts(c.state.Facts())
		c.state.Observe(now[i].facts())
		if before.connected && !now[i].connected && c.Session().BrowserGone() {
			s.onBrowserExit(c)
		}
	}
	return pages
}
