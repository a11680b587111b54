package session

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
)

// Tab is an open tab of a client.
type Tab struct {
	browser.TabInfo
	Isolated string // name of its browser context, or "" in that of its connection
}

// NewTab says which tab to open.
type NewTab struct {
	URL      string
	Isolated string // name of its browser context, or "" for that of its connection
	Options  browser.NavigateOptions
}

// OpenTab opens a tab as browser.Session.Open does and makes it current. With a name the tab is in
// the browser context of this name in the browser of the active connection: the first tab creates
// the context, and its end is that of the last one. Without a name the tab is in the context of
// the connection itself. The errors are those of Get, of browser.Session.Open, InvalidIDError and
// LimitError.
func (s *Set) OpenTab(ctx context.Context, w power.Window, p power.Navigation, t NewTab) (*browser.Tab, browser.Navigation, error) {
	_, err := s.Get("")
	if err == nil && t.Isolated != "" {
		err = joinBase(ctx, s)
	}
	if err != nil {
		return nil, browser.Navigation{}, err
	}
	c, err := openIn(s, t.Isolated)
	if err != nil {
		return nil, browser.Navigation{}, err
	}
	tab, nav, err := c.Session().Open(ctx, w, p, t.URL, t.Options)
	s.mu.Lock()
	c.openings--
	if tab != nil && slices.Contains(s.list, c) {
		s.active, s.activeChanged = c, nil
	}
	s.mu.Unlock()
	s.Refresh()
	return tab, nav, err
}

// joinBase connects the connection that has the browser of the active one: it becomes active again when the
// isolated tabs have closed.
func joinBase(ctx context.Context, s *Set) error {
	s.mu.Lock()
	base := s.list.owner(s.active)
	s.mu.Unlock()
	return base.Session().Join(ctx)
}

// openIn returns the connection in which a tab opens, and counts an opening in it.
func openIn(s *Set, isolated string) (*Connection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.list.owner(s.active)
	if isolated != "" {
		if !validID(isolated) {
			return nil, invalidID(isolated)
		}
		base := c
		if c = s.list.find(contextID(base, isolated)); c == nil {
			if err := s.list.checkLimit(true); err != nil {
				return nil, err
			}
			c = newIsolated(s, base, isolated)
			s.list = append(s.list, c)
		}
	}
	c.openings++
	return c, nil
}

// contextID is the id of the connection for the tabs of a name; no client can choose it.
func contextID(base *Connection, name string) string { return base.id + "/" + name }

// newIsolated returns a connection to the browser context of a name. The caller holds mu.
func newIsolated(s *Set, base *Connection, name string) *Connection {
	s.contexts++ // a context that ends and the next one of the same name are two
	id := contextID(base, name)
	key := id + "/" + strconv.Itoa(s.contexts)
	session := base.browser.WorkerSession(s.id, key)
	c := newConnection(id, Isolated, base.browser, func() *browser.Session { return session }, s.Refresh)
	c.owner, c.name = base.id, name
	c.release = func(ctx context.Context) error {
		base.browser.EndWorker(ctx, s.id, key)
		return nil
	}
	return c
}

// owner returns the connection that has the browser of c.
func (l connectionList) owner(c *Connection) *Connection {
	if c.kind != Isolated {
		return c
	}
	return cmp.Or(l.find(c.owner), l[0])
}

// endEmptyContexts ends the browser contexts whose last tab has closed. A pinned session stays in its own
// one until another tab is chosen. The caller holds mu.
func endEmptyContexts(s *Set) {
	for _, c := range slices.Clone(s.list) {
		active := s.active == c
		if c.kind != Isolated || c.openings > 0 || len(c.Session().TabIDs()) > 0 || active && s.registry.cfg.Browser.PinTab {
			continue
		}
		if active {
			s.active, s.activeReplaced = s.list.owner(c), true
		}
		s.list = slices.DeleteFunc(s.list, func(o *Connection) bool { return o == c })
		go func() { _ = s.discard(context.Background(), c) }()
	}
}

// Family returns the active connection and those of the same browser in order: the one that has it, and the
// contexts of named tabs.
func (s *Set) Family() (family []*Connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	base := s.list.owner(s.active)
	for _, c := range s.list {
		if c == base || c.kind == Isolated && c.owner == base.id {
			family = append(family, c)
		}
	}
	return family
}

// FamilyTabs lists the open tabs of Family in opening order. The current one is that of the active connection.
func (s *Set) FamilyTabs(ctx context.Context) (tabs []Tab) {
	s.mu.Lock()
	active := s.active
	s.mu.Unlock()
	for _, c := range s.Family() {
		for _, info := range c.Session().Tabs(ctx) {
			info.Current = info.Current && c == active
			tabs = append(tabs, Tab{TabInfo: info, Isolated: c.name})
		}
	}
	slices.SortStableFunc(tabs, func(a, b Tab) int {
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), strings.Compare(a.ID, b.ID))
	})
	return tabs
}
