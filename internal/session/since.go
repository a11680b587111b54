package session

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/engine/browser/download"
)

// EventKind is the kind of an event in a browser of a client.
type EventKind int

// The kinds, in the order in which an answer names them.
const (
	TabOpened EventKind = iota
	TabNavigated
	TabLost // its page crashed or was discarded
	TabClosed
	DownloadChanged
	DialogOpened
)

// Event is a difference between two moments.
type Event struct {
	Kind     EventKind
	Tab      string
	Opener   string // of an opened tab, or ""
	URL      string
	Document bool // a navigation brought another document
	Reason   string
	Dialog   *dialog.Dialog
	Download download.Download

	key string
}

// Moment is the state of all browsers of a client at one time.
type Moment struct {
	connections map[string]bool
	tabs        map[string]tabMoment
	downloads   map[string]download.Download // by connection and id
}

type tabMoment struct {
	connection, opener, url, lost string
	document                      time.Time
	dialog                        *dialog.Dialog
}

// Moment returns the present state. It asks no browser.
func (s *Set) Moment() Moment {
	m := Moment{connections: map[string]bool{}, tabs: map[string]tabMoment{}, downloads: map[string]download.Download{}}
	for _, c := range s.connections() {
		session := c.Session()
		m.connections[c.id] = true
		for _, d := range session.Downloads.All() {
			m.downloads[c.id+" "+d.ID] = d
		}
		for _, t := range tabsOf(session) {
			tab := tabMoment{
				connection: c.id, opener: t.Opener(), url: t.URL(), document: t.Activity.Load().Time, dialog: t.Dialogs.Open(),
			}
			if err := t.CrashError(); err != nil {
				tab.lost = err.Error()
			}
			m.tabs[t.ID()] = tab
		}
	}
	return m
}

// Since returns the events since another moment, by kind. Tabs of connections that came or went
// meanwhile bring none.
func (m Moment) Since(before Moment) (events []Event) {
	for id, tab := range m.tabs {
		was, known := before.tabs[id]
		event := Event{Tab: id, Opener: tab.opener, URL: tab.url, Reason: tab.lost, Dialog: tab.dialog, Document: !tab.document.Equal(was.document)}
		add := func(kind EventKind) {
			event.Kind = kind
			events = append(events, event)
		}
		switch {
		case !known && before.connections[tab.connection]:
			add(TabOpened)
		case known && tab.lost == "" && (event.Document || withoutFragment(tab.url) != withoutFragment(was.url)):
			add(TabNavigated)
		}
		if tab.lost != "" && was.lost == "" {
			add(TabLost)
		}
		if tab.dialog != nil && was.dialog == nil {
			add(DialogOpened)
		}
	}
	for id, tab := range before.tabs {
		if _, open := m.tabs[id]; !open && m.connections[tab.connection] {
			events = append(events, Event{Kind: TabClosed, Tab: id})
		}
	}
	for key, d := range m.downloads {
		if before.downloads[key].State != d.State {
			events = append(events, Event{Kind: DownloadChanged, Download: d, key: key})
		}
	}
	slices.SortFunc(events, func(a, b Event) int {
		if a.Kind != b.Kind {
			return int(a.Kind - b.Kind)
		}
		return strings.Compare(a.Tab+a.key, b.Tab+b.key)
	})
	return events
}

// Without returns the moment as if an event since another moment had not happened.
func (m Moment) Without(e Event, before Moment) Moment {
	m.tabs, m.downloads = maps.Clone(m.tabs), maps.Clone(m.downloads)
	tab, was := m.tabs[e.Tab], before.tabs[e.Tab]
	switch e.Kind {
	case TabOpened:
		delete(m.tabs, e.Tab)
		return m
	case TabClosed:
		tab = was
	case TabNavigated:
		tab.url, tab.document = was.url, was.document
	case TabLost:
		tab.lost = ""
	case DialogOpened:
		tab.dialog = nil
	case DownloadChanged:
		delete(m.downloads, e.key)
		if d, known := before.downloads[e.key]; known {
			m.downloads[e.key] = d
		}
		return m
	}
	if _, open := m.tabs[e.Tab]; open || e.Kind == TabClosed {
		m.tabs[e.Tab] = tab
	}
	return m
}

func withoutFragment(address string) string {
	address, _, _ = strings.Cut(address, "#")
	return address
}

// connections returns the client's connections.
func (s *Set) connections() []*Connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}
