package enforce

import (
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/policy"
)

// maxNotes bounds the different decisions of a session that wait for the journal; those beyond are
// not written. maxRefused bounds the tabs whose refused documents are kept until a call reports them,
// and the refused connections.
const (
	maxNotes   = 256
	maxRefused = 64
)

// sessions holds the counters of each session.
type sessions struct {
	mu  sync.Mutex
	all map[string]*session
}

func newSessions() *sessions { return &sessions{all: make(map[string]*session)} }

// of returns a session, made at first use.
func (s *sessions) of(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.all[id]
	if !ok {
		v = &session{begun: time.Now()}
		s.all[id] = v
	}
	return v
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	v := s.all[id]
	delete(s.all, id)
	s.mu.Unlock()
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, q := range v.pending {
		q.review.withdraw()
	}
}

func (s *sessions) ids() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.all {
		out = append(out, id)
	}
	return out
}

// session is one client's part.
type session struct {
	mu          sync.Mutex
	begun       time.Time
	calls       []time.Time // of the last minute
	windows     int         // opened since the last call began
	downloads   int
	notes       []Entry
	refusals    int                       // of documents and connections so far
	documents   map[string]refusedRequest // the last of each tab that no call has reported
	connections []refusedRequest          // the last ones, of any kind of request
	approved    []approval
	pending     map[string]pendingQuestion // by state
}

// refusedRequest is a request for a document, or a connection, that a rule refused.
type refusedRequest struct {
	target   string // an origin or an endpoint
	decision policy.Decision
	number   int // within the session
}

func (s *session) note(e Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.notes {
		if n := &s.notes[i]; n.Kind == e.Kind && n.Target == e.Target && n.Verdict == e.Verdict && n.Rule == e.Rule {
			n.Count++
			return
		}
	}
	if e.Count = 1; len(s.notes) < maxNotes {
		s.notes = append(s.notes, e)
	}
}

func (s *session) takeNotes() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.notes
	s.notes = nil
	return out
}

func (s *session) refuseDocument(tab, origin string, d policy.Decision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.documents == nil || len(s.documents) >= maxRefused { // tabs that closed before their report
		s.documents = make(map[string]refusedRequest)
	}
	s.refusals++
	s.documents[tab] = refusedRequest{origin, d, s.refusals}
}

func (s *session) refuseConnection(endpoint string, d policy.Decision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.connections) >= maxRefused {
		s.connections = s.connections[1:]
	}
	s.refusals++
	s.connections = append(s.connections, refusedRequest{endpoint, d, s.refusals})
}

// beginCall returns how much was refused before a call. first says that no call called it.
func (s *session) beginCall(first bool) (refusals int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first {
		s.windows = 0
	}
	return s.refusals
}

func (s *session) hasDocuments() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.documents) > 0
}

// takeDocument returns the last refused document of a tab, once.
func (s *session) takeDocument(tab string) (refusedRequest, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.documents[tab]
	delete(s.documents, tab)
	return r, ok
}

// connectionSince returns the last connection that was refused after the given number of refusals.
// One to a host that text names goes before.
func (s *session) connectionSince(refusals int, text string) (found refusedRequest, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range slices.Backward(s.connections) {
		if r.number <= refusals {
			break
		}
		if host, _, err := net.SplitHostPort(r.target); err == nil && strings.Contains(text, host) {
			return r, true
		}
		if !ok {
			found, ok = r, true
		}
	}
	return found, ok
}

// takeWindow counts a window, of which a call may open most.
func (s *session) takeWindow(most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.windows++
	return s.windows <= most
}

// takeCall counts a call, of which a minute may have most.
func (s *session) takeCall(now time.Time, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = slices.DeleteFunc(s.calls, func(t time.Time) bool { return now.Sub(t) >= time.Minute })
	if len(s.calls) >= most {
		return false
	}
	s.calls = append(s.calls, now)
	return true
}

// takeDownload counts a download, of which a session may have most.
func (s *session) takeDownload(most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.downloads++
	return s.downloads <= most
}

func (s *session) age(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Sub(s.begun)
}
