package browser

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
)

const (
	// mostSent is how many requests of a tab are remembered.
	mostSent = 1000
	// addressKept is how much of an address, in bytes: data URLs can be long.
	addressKept = 2000
)

// Sent is a request of a page, as far as it is remembered without anybody having asked for it.
type Sent struct {
	Method, URL string
	Status      int    // 0 without a response so far
	Failure     string // why there is none, or ""
	At          time.Time

	id network.RequestID
}

// Mark is a moment in a tab's life that requests and downloads are counted from.
type Mark struct {
	At     time.Time
	sent   int
	Moment Moment
}

// history is what a tab's page has sent: its own requests and those of frames that share its process.
type history struct {
	mu    sync.Mutex
	sent  []*Sent // oldest first
	lost  int     // that made room
	load  Mark    // when the document was asked for
	acted Mark
}

// observe takes a protocol event. It runs where events are read.
func (h *history) observe(t *Tab, event any) {
	switch ev := event.(type) {
	case *network.EventRequestWillBeSent:
		h.mu.Lock()
		defer h.mu.Unlock()
		if ev.RedirectResponse != nil {
			h.update(ev.RequestID, func(s *Sent) { s.Status = int(ev.RedirectResponse.Status) })
		}
		if len(h.sent) == mostSent {
			h.sent = slices.Delete(h.sent, 0, mostSent/4)
			h.lost += mostSent / 4
		}
		url := ev.Request.URL
		if len(url) > addressKept {
			url = strings.Clone(url[:addressKept]) // a part alone would keep the whole
		}
		h.sent = append(h.sent, &Sent{Method: ev.Request.Method, URL: url, At: time.Now(), id: ev.RequestID})
	case *network.EventResponseReceived:
		h.mu.Lock()
		defer h.mu.Unlock()
		h.update(ev.RequestID, func(s *Sent) { s.Status = int(ev.Response.Status) })
	case *network.EventLoadingFailed:
		h.mu.Lock()
		defer h.mu.Unlock()
		h.update(ev.RequestID, func(s *Sent) { s.Failure = ev.ErrorText })
	case *page.EventFrameNavigated:
		if ev.Frame.ParentID == "" {
			now := t.Mark()
			h.mu.Lock()
			defer h.mu.Unlock()
			h.load = now
			// The document's own request came before it, and is the first of those with its loader's id.
			if i := slices.IndexFunc(h.sent, func(s *Sent) bool { return string(s.id) == string(ev.Frame.LoaderID) }); i >= 0 {
				h.load.sent = h.lost + i
			}
		}
	}
}

// update changes the newest request of an id. It is called with mu held.
func (h *history) update(id network.RequestID, change func(*Sent)) {
	for _, s := range slices.Backward(h.sent) {
		if s.id == id {
			change(s)
			return
		}
	}
}

// Mark is the present moment.
func (t *Tab) Mark() Mark {
	m := Mark{At: time.Now(), Moment: t.Moment()}
	t.history.mu.Lock()
	defer t.history.mu.Unlock()
	m.sent = t.history.lost + len(t.history.sent)
	return m
}

// Loaded is the moment at which the present document was asked for; zero if that was not seen.
func (t *Tab) Loaded() Mark {
	t.history.mu.Lock()
	defer t.history.mu.Unlock()
	return t.history.load
}

// Acted is the moment at which the last call began that acted on the page; zero if there was none.
func (t *Tab) Acted() Mark {
	t.history.mu.Lock()
	defer t.history.mu.Unlock()
	return t.history.acted
}

// Act notes that a call begins to act on the page.
func (t *Tab) Act() {
	now := t.Mark()
	t.history.mu.Lock()
	defer t.history.mu.Unlock()
	t.history.acted = now
}

// SentSince lists the requests since a moment, oldest first; whole says that none of them was forgotten.
func (t *Tab) SentSince(m Mark) (list []Sent, whole bool) {
	h := &t.history
	h.mu.Lock()
	defer h.mu.Unlock()
	from := m.sent - h.lost
	for _, s := range h.sent[min(max(0, from), len(h.sent)):] {
		list = append(list, *s)
	}
	return list, from >= 0 && !m.At.IsZero()
}
