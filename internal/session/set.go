package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/pool"
)

const (
	// maxConnections is the limit of connections per client, without workers. Each can be a browser
	// of half a gigabyte.
	maxConnections = 8
	// maxWorkers is the limit of workers per client. Each is a browser context and up to one
	// process per page.
	maxWorkers = 40
)

// Follower receives the facts of a client's connections; *toolkit.Session is one.
type Follower interface {
	Replace(facts toolkit.Facts)            // of the active connection, at every change
	SwitchSubject()                         // the next facts are those of another connection
	SetFactSource(facts toolkit.FactSource) // how to find the facts of a connection by its id
	AddNotice(text string)                  // about events that no call of the client caused
	SetEntries(entries []toolkit.ListEntry) // more entries of the list: the tools of the page
}

// Set holds the connections of one client. Its methods are safe for concurrent use.
type Set struct {
	registry *Registry
	id       string
	placing  sync.Mutex // held while a browser is chosen
	changes  changeLock // held while connections are opened, ended or switched

	pages *PageOffers

	refreshMu sync.Mutex // held while Refresh observes and reports, so that reports arrive in order

	mu            sync.Mutex
	lease         *pool.Lease // of the browser of Default; nil where no browser was chosen
	list          connectionList
	active        *Connection
	activeChanged *ActiveChangedError
	// activeReplaced reports that no call made the active connection so, until followers know.
	activeReplaced bool
	remarks        []string   // for the latest follower, once one exists
	followers      []Follower // the latest caller comes last
	watchers       []*watcher // replaced, never modified
	ended          bool
	contexts       int           // of isolated tabs, so far
	siteFacts      toolkit.Facts // beside those of connections
}

// maxFollowers bounds the followers of a client. The one whose last call is oldest is dropped.
const maxFollowers = 8

func newSet(registry *Registry, id string) *Set {
	s := &Set{registry: registry, id: id, changes: make(changeLock, 1)}
	s.pages = &PageOffers{cfg: registry.cfg.PageTools, onChange: s.Refresh}
	s.active = s.newOwnConnection()
	s.list = connectionList{s.active}
	return s
}

// PageOffers returns the tools that the pages of the client offer.
func (s *Set) PageOffers() *PageOffers { return s.pages }

// ID returns the client's session id.
func (s *Set) ID() string { return s.id }

// newOwnConnection returns a connection to the server's own browser, of several the chosen one. The
// caller holds mu.
func (s *Set) newOwnConnection() *Connection {
	own := s.ownBrowser()
	open := func() *browser.Session { return s.registry.session(own, s.id) }
	return newConnection(Default, Own, own, open, s.Refresh)
}

// Follow makes f receive the facts of the active connection. A client has several followers when
// its tools belong to several scopes, or when it works through several processes.
func (s *Set) Follow(f Follower) {
	s.mu.Lock()
	at := slices.Index(s.followers, f)
	known := at >= 0
	switch {
	case known:
		s.followers = append(slices.Delete(s.followers, at, at+1), f)
	case len(s.followers) == maxFollowers:
		s.followers = append(slices.Delete(s.followers, 0, 1), f)
	default:
		s.followers = append(s.followers, f)
	}
	s.mu.Unlock()
	if !known {
		f.SetFactSource(s.Facts)
		s.Refresh()
	}
}

// Facts returns the facts of a connection; "" is the active one. ok is false for an unknown id.
func (s *Set) Facts(id string) (toolkit.Facts, bool) {
	s.mu.Lock()
	c := s.active
	if id != "" {
		c = s.list.find(id)
	}
	site := s.siteFacts
	s.mu.Unlock()
	if c == nil {
		return 0, false
	}
	return c.state.Facts() | site, true
}

// Get returns a connection; "" is the active one. The errors are UnknownError and
// ActiveChangedError.
func (s *Set) Get(id string) (*Connection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" {
		if moved := s.activeChanged; moved != nil {
			s.activeChanged = nil
			return nil, moved
		}
		return s.active, nil
	}
	if c := s.list.find(id); c != nil {
		return c, nil
	}
	return nil, s.list.unknownError(id)
}

// Tab returns the tab with this id in any connection, and the session that owns it. "" is the
// current tab of the active connection. The errors are those of Get and of browser.Session.Tab.
func (s *Set) Tab(ctx context.Context, id string) (*browser.Session, *browser.Tab, error) {
	if id == "" {
		c, err := s.Get("")
		if err != nil {
			return nil, nil, err
		}
		session := c.Session()
		tab, err := session.Tab(ctx, "")
		return session, tab, err
	}
	s.mu.Lock()
	list := slices.Clone(s.list)
	s.mu.Unlock()
	missing := &browser.UnknownTabError{ID: id}
	for _, c := range list {
		session := c.Session()
		tab, err := session.Tab(ctx, id)
		var unknown *browser.UnknownTabError
		if !errors.As(err, &unknown) {
			return session, tab, err
		}
		missing.Closed = cmp.Or(missing.Closed, unknown.Closed)
		missing.Open = append(missing.Open, unknown.Open...)
	}
	return nil, nil, missing
}

// TabsWithDialog lists the tabs with an open dialog, in every connection.
func (s *Set) TabsWithDialog() []*browser.Tab {
	s.mu.Lock()
	list := slices.Clone(s.list)
	s.mu.Unlock()
	var tabs []*browser.Tab
	for _, c := range list {
		tabs = append(tabs, c.Session().TabsWithDialog()...)
	}
	return tabs
}

// List describes the connections in creation order.
func (s *Set) List(ctx context.Context) []Info {
	s.mu.Lock()
	list, active := slices.Clone(s.list), s.active
	s.mu.Unlock()
	out := make([]Info, 0, len(list))
	for _, c := range list {
		info := c.info(ctx)
		info.Active = c == active
		out = append(out, info)
	}
	return out
}

// Switch makes a connection the active one.
func (s *Set) Switch(ctx context.Context, id string) (*Connection, error) {
	if err := s.changes.lock(ctx); err != nil {
		return nil, err
	}
	defer s.changes.unlock()
	s.mu.Lock()
	c := s.list.find(id)
	if c == nil {
		defer s.mu.Unlock()
		return nil, s.list.unknownError(id)
	}
	s.active, s.activeChanged = c, nil
	s.mu.Unlock()
	s.Refresh()
	return c, nil
}

// Disconnect ends a connection and returns the active one. A launched browser exits. An attached
// browser keeps running without our tabs. The server's own exits unless other clients have tabs in
// it, and starts again on demand. If the connection was active, the first one with a running
// browser becomes active, or else Default.
func (s *Set) Disconnect(ctx context.Context, id string) (*Connection, error) {
	if err := s.changes.lock(ctx); err != nil {
		return nil, err
	}
	defer s.changes.unlock()
	s.mu.Lock()
	c := s.list.find(id)
	if c == nil {
		defer s.mu.Unlock()
		return nil, s.list.unknownError(id)
	}
	s.remove(c)
	active := s.active
	s.mu.Unlock()
	if c.kind != Own {
		// The client sees one change of facts, without the exit of the browser.
		s.Refresh()
	}
	err := c.end(ctx, s.id)
	if c.shared() {
		_, resting := c.browser.CloseIfUnused(ctx)
		err = errors.Join(err, resting)
		s.Refresh()
	}
	if err != nil {
		return active, fmt.Errorf("disconnect %q: %w", id, err)
	}
	return active, nil
}

// remove takes a connection out of the list. A connection to the server's own browser replaces
// Default, which always exists. The caller holds mu.
func (s *Set) remove(c *Connection) {
	if c.kind != Own {
		s.list = slices.DeleteFunc(s.list, func(o *Connection) bool { return o == c })
		if c.id == Default {
			s.list = slices.Insert(s.list, 0, s.newOwnConnection())
		}
	}
	if s.active == c {
		s.activeChanged = nil
		s.active = cmp.Or(s.list.firstConnected(c), s.list[0])
	}
}

// changeTimeout is the time for which the end of a client waits for a change of its connections.
const changeTimeout = time.Second

// end releases every browser when the client has ended. A change of connections that takes longer
// than changeTimeout finds the set ended and cleans up itself.
func (s *Set) end(ctx context.Context) error {
	s.mu.Lock()
	s.ended, s.followers = true, nil
	s.mu.Unlock()
	waiting, cancel := context.WithTimeout(ctx, changeTimeout)
	defer cancel()
	if s.changes.lock(waiting) == nil {
		defer s.changes.unlock()
	}
	s.mu.Lock()
	list := slices.Clone(s.list)
	s.mu.Unlock()
	errs := make([]error, len(list))
	var wg sync.WaitGroup
	for i, c := range list {
		wg.Go(func() { errs[i] = c.end(ctx, s.id) })
	}
	wg.Wait()
	s.releaseBrowser(nil)
	return errors.Join(errs...)
}

// changeLock is a mutex whose lock ends with a context. It has one slot.
type changeLock chan struct{}

func (c changeLock) lock(ctx context.Context) error {
	select {
	case c <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for another change of connections: %w", context.Cause(ctx))
	}
}

func (c changeLock) unlock() { <-c }
