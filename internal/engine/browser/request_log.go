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
	// maxRequests is how many requests of a tab are remembered.
	maxRequests = 1000
	// maxURLBytes is how much of an address, in bytes: data URLs can be long.
	maxURLBytes = 2000
)

// Request is a request of a page, as far as it is remembered without anybody having asked for it.
type Request struct {
	Method, URL string
	Status      int    // 0 without a response so far
	Failure     string // why there is none, or ""
	Time        time.Time

	id network.RequestID
}

// Mark is a moment in a tab's life that requests and downloads are counted from.
type Mark struct {
	Time      time.Time
	request   int
	Downloads DownloadMark
}

// requestLog is what a tab's page has sent: its own requests and those of frames that share its process.
type requestLog struct {
	mu       sync.Mutex
	requests []*Request // oldest first
	dropped  int        // that made room
	load     Mark       // when the document was asked for
	action   Mark
}

// observe takes a protocol event. It runs where events are read.
func (h *requestLog) observe(t *Tab, event any) {
	switch ev := event.(type) {
	case *network.EventRequestWillBeSent:
		h.mu.Lock()
		defer h.mu.Unlock()
		if ev.RedirectResponse != nil {
			h.update(ev.RequestID, func(s *Request) { s.Status = int(ev.RedirectResponse.Status) })
		}
		if len(h.requests) == maxRequests {
			h.requests = slices.Delete(h.requests, 0, maxRequests/4)
			h.dropped += maxRequests / 4
		}
		url := ev.Request.URL
		if len(url) > maxURLBytes {
			url = strings.Clone(url[:maxURLBytes]) // a part alone would keep the whole
		}
		h.requests = append(h.requests, &Request{Method: ev.Request.Method, URL: url, Time: time.Now(), id: ev.RequestID})
	case *network.EventResponseReceived:
		h.mu.Lock()
		defer h.mu.Unlock()
		h.update(ev.RequestID, func(s *Request) { s.Status = int(ev.Response.Status) })
	case *network.EventLoadingFailed:
		h.mu.Lock()
		defer h.mu.Unlock()
		h.update(ev.RequestID, func(s *Request) { s.Failure = ev.ErrorText })
	case *page.EventFrameNavigated:
		if ev.Frame.ParentID == "" {
			now := t.Mark()
			h.mu.Lock()
			defer h.mu.Unlock()
			h.load = now
			// The document's own request came before it, and is the first of those with its loader's id.
			if i := slices.IndexFunc(h.requests, func(s *Request) bool { return string(s.id) == string(ev.Frame.LoaderID) }); i >= 0 {
				h.load.request = h.dropped + i
			}
		}
	}
}

// update changes the newest request of an id. It is called with mu held.
func (h *requestLog) update(id network.RequestID, change func(*Request)) {
	for _, s := range slices.Backward(h.requests) {
		if s.id == id {
			change(s)
			return
		}
	}
}

// Mark is the present moment.
func (t *Tab) Mark() Mark {
	m := Mark{Time: time.Now(), Downloads: t.DownloadMark()}
	t.requests.mu.Lock()
	defer t.requests.mu.Unlock()
	m.request = t.requests.dropped + len(t.requests.requests)
	return m
}

// LoadMark is the moment at which the present document was asked for; zero if that was not seen.
func (t *Tab) LoadMark() Mark {
	t.requests.mu.Lock()
	defer t.requests.mu.Unlock()
	return t.requests.load
}

// ActionMark is the moment at which the last call began that acted on the page; zero if there was none.
func (t *Tab) ActionMark() Mark {
	t.requests.mu.Lock()
	defer t.requests.mu.Unlock()
	return t.requests.action
}

// MarkAction notes that a call begins to act on the page.
func (t *Tab) MarkAction() {
	now := t.Mark()
	t.requests.mu.Lock()
	defer t.requests.mu.Unlock()
	t.requests.action = now
}

// RequestsSince lists the requests since a moment, oldest first; whole says that none of them was forgotten.
func (t *Tab) RequestsSince(m Mark) (list []Request, whole bool) {
	h := &t.requests
	h.mu.Lock()
	defer h.mu.Unlock()
	from := m.request - h.dropped
	for _, s := range h.requests[min(max(0, from), len(h.requests)):] {
		list = append(list, *s)
	}
	return list, from >= 0 && !m.Time.IsZero()
}
