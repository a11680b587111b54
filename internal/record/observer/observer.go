// Package observer reads for a recorder what a call does to a session's browser: the elements that
// its arguments name, the tabs that it opens, its requests and console messages, and a screenshot
// of the page afterwards.
//
// It changes nothing that the client can see, and leaves out what it cannot read in time. It must
// not know tools, nor how the recorder uses what it reads.
package observer

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/engine/browser/webstorage"
	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/session"
)

// The timeouts of reading. A page that does not respond is left out.
const (
	baselineTimeout   = 2 * time.Second
	effectsTimeout    = 2 * time.Second
	screenshotTimeout = 3 * time.Second
)

// What is kept of a step.
const (
	maxQueryMatches   = 20 // elements that are looked at for what a query means
	maxRequests       = 20
	maxMessages       = 20
	screenshotMaxSide = 1000 // pixels
	screenshotQuality = 55   // JPEG quality
)

// Observer observes the sessions of a server.
type Observer struct {
	sessions func(id string) *session.Set
	storage  power.Storage
}

// New returns an observer; sessions returns the connections of a session. The power lets it learn the
// values of cookies, which no recording shows.
func New(sessions func(id string) *session.Set, storage power.Storage) *Observer {
	return &Observer{sessions: sessions, storage: storage}
}

var _ recorder.Observer = (*Observer)(nil)

// Observe starts to observe the tabs of a session.
func (o *Observer) Observe(session string) recorder.SessionObserver {
	l := &sessionObserver{set: o.sessions(session), storage: o.storage, requestLogs: make(map[*browser.Tab]*requestLog)}
	l.stopWatching = l.set.Watch(l.updateTabs)
	l.updateTabs()
	return l
}

type sessionObserver struct {
	set          *session.Set
	storage      power.Storage
	stopWatching func()

	mu          sync.Mutex
	requestLogs map[*browser.Tab]*requestLog
	isClosed    bool
}

// updateTabs listens to the requests of new tabs and forgets closed ones.
func (s *sessionObserver) updateTabs() {
	tabs := s.set.Tabs()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return
	}
	for _, t := range tabs {
		if s.requestLogs[t] == nil {
			log := &requestLog{}
			log.stop = t.Listen(log.handleEvent)
			s.requestLogs[t] = log
		}
	}
	for t := range s.requestLogs {
		if t.Closed() && !slices.Contains(tabs, t) {
			delete(s.requestLogs, t)
		}
	}
}

// Close stops observing.
func (s *sessionObserver) Close() {
	s.stopWatching()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isClosed = true
	for _, log := range s.requestLogs {
		log.stop()
	}
	clear(s.requestLogs)
}

func (s *sessionObserver) requestLogOf(t *browser.Tab) *requestLog {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requestLogs[t]
}

// baselineState is the state at Baseline that Effects compares with.
type baselineState struct {
	tab           *browser.Tab
	requestCounts map[*browser.Tab]int // requests of each tab so far
}

// Baseline reads what a call is about to touch.
func (s *sessionObserver) Baseline(ctx context.Context, q recorder.BaselineOptions) recorder.Baseline {
	out := recorder.Baseline{Matches: make(map[string]recorder.ElementMatch), Time: time.Now()}
	m := baselineState{tab: s.set.Peek(q.Connection, q.Tab), requestCounts: make(map[*browser.Tab]int)}
	for _, t := range s.set.Tabs() {
		out.Tabs = append(out.Tabs, t.ID())
		if log := s.requestLogOf(t); log != nil {
			m.requestCounts[t] = log.count()
		}
	}
	out.State = m
	if m.tab == nil {
		return out
	}
	out.Tab = m.tab.ID()
	if len(q.Refs)+len(q.Queries)+len(q.Selectors) == 0 && !q.TypesAtFocus {
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, baselineTimeout)
	defer cancel()
	_ = m.tab.Do(ctx, func(ctx context.Context, p *page.Page) error { // an error leaves the observations until then
		matchElements(ctx, p, q, out.Matches)
		if q.TypesAtFocus {
			if private, err := p.Secrets.Find(ctx); err == nil {
				out.SecretFocused = private.Focused
			}
		}
		return nil
	})
	return out
}

// fieldRoles are the roles of elements that take a value. Queries of typed texts match only these.
var fieldRoles = []string{
	"textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "checkbox", "radio", "switch", "date", "time", "color", "menuitemcheckbox",
	"menuitemradio", "textarea",
}

// matchElements finds the elements that a call names.
func matchElements(ctx context.Context, p *page.Page, q recorder.BaselineOptions, found map[string]recorder.ElementMatch) {
	for _, ref := range q.Refs {
		if f, err := matchRef(ctx, p, ref); err == nil {
			found[ref] = f
		}
	}
	for _, query := range q.Queries {
		if m, err := p.Locate.Name(ctx, query, locate.FindOptions{Want: locate.WantField}); err == nil {
			if f, err := matchRef(ctx, p, m.Ref); err == nil {
				found[query] = f
			}
		}
	}
	for _, selector := range q.Selectors {
		if all, _, err := p.Locate.Query(ctx, locate.QueryOptions{CSS: selector, Limit: 1}); err == nil && len(all) > 0 {
			found[selector] = recorder.ElementMatch{IsField: true, IsSecret: all[0].Secret}
		}
	}
}

func matchRef(ctx context.Context, p *page.Page, ref string) (f recorder.ElementMatch, err error) {
	plain, err := p.Document.Peek(ctx, ref)
	if err != nil {
		return f, err
	}
	f.IsSecret = plain.Secret
	f.Identity, err = p.Locate.Identify(ctx, ref)
	f.IsField = slices.Contains(fieldRoles, f.Role)
	return f, err
}

// Effects reads what a call did.
func (s *sessionObserver) Effects(ctx context.Context, b recorder.Baseline, w recorder.EffectOptions) (out recorder.Effects) {
	m, _ := b.State.(baselineState)
	tabs := s.set.Tabs()
	for _, t := range tabs {
		if !slices.Contains(b.Tabs, t.ID()) {
			out.OpenedTabs = append(out.OpenedTabs, t.ID())
		}
	}
	tab := m.tab
	if w.FollowCurrent {
		if now := s.set.Peek("", ""); now != nil {
			tab = now
		}
	}
	if tab == nil {
		w.HiddenTexts(out)
		return out
	}
	out.Tab = tab.ID()
	if log := s.requestLogOf(tab); log != nil {
		out.Requests, out.OmittedRequests = log.since(m.requestCounts[tab])
	}
	out.Console, out.OmittedMessages = messagesSince(tab, b.Time)
	if tab.Closed() {
		w.HiddenTexts(out)
		return out
	}
	out.URL = tab.URL()
	s.collectSecrets(ctx, tab, &out)
	if hide := w.HiddenTexts(out); w.Screenshot {
		out.Screenshot = screenshot(ctx, tab, hide)
	}
	return out
}

// collectSecrets reads the values of secret fields, web storage and cookies.
func (s *sessionObserver) collectSecrets(ctx context.Context, tab *browser.Tab, out *recorder.Effects) {
	ctx, cancel := context.WithTimeout(ctx, effectsTimeout)
	defer cancel()
	_ = tab.Do(ctx, func(ctx context.Context, p *page.Page) error { // an error leaves the observations until then
		private, err := p.Secrets.Find(ctx)
		out.FieldValues, out.StorageValues = private.FieldValues, private.StorageValues
		return err
	})
	if cookies, err := webstorage.Cookies(ctx, tab, s.storage); err == nil {
		for _, c := range cookies {
			out.CookieValues = append(out.CookieValues, c.Value)
		}
	}
}

// messagesSince returns the latest console messages since a time, and how many earlier ones it left
// out.
func messagesSince(tab *browser.Tab, since time.Time) (out []recorder.Message, left int) {
	for _, m := range tab.Console().Read(console.Query{AllDocuments: true, Unfolded: true}).Messages {
		if m.Time.Before(since) {
			continue
		}
		out = append(out, recorder.Message{Level: string(m.Level), Text: m.Text})
	}
	if left = len(out) - maxMessages; left <= 0 {
		return out, 0
	}
	return out[left:], left
}

// screenshot takes a small JPEG of the page; nil when that fails.
func screenshot(ctx context.Context, tab *browser.Tab, hide []string) []byte {
	ctx, cancel := context.WithTimeout(ctx, screenshotTimeout)
	defer cancel()
	shot, err := capture.Screenshot(ctx, tab, capture.Options{Format: capture.JPEG, Quality: screenshotQuality, MaxSide: screenshotMaxSide, Hide: hide})
	if err != nil {
		return nil
	}
	return shot.Data
}
