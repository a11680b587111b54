package browser

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
)

const (
	// maxRequests bounds the requests that a tab remembers.
	maxRequests = 1000
	// maxURLBytes bounds a recorded URL: data URLs can be long.
	maxURLBytes = 2000
)

// Request is a recorded request of a page. Every tab records them.
type Request struct {
	Method, URL string
	Type        network.ResourceType
	Status      int    // 0 until a response arrives
	Failure     string // the protocol's error text, or ""
	Time        time.Time

	id network.RequestID
}

// Mark is a point in a tab's life from which requests and downloads are counted.
type Mark struct {
	Time      time.Time
	request   int
	Downloads DownloadMark
}

// Activity is what happened in a tab since points in its life: its requests and downloads.
type Activity struct {
	tab *Tab
	log requestLog
}

// requestLog records the requests of a tab's page and of frames in the same process.
type requestLog struct {
	mu       sync.Mutex
	requests []*Request // oldest first
	dropped  int        // number of evicted requests
	load     Mark       // when the document was requested
	action   Mark
}

// observe records a protocol event. It runs where events are read.
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
			url = strings.Clone(url[:maxURLBytes]) // a substring would keep the whole string
		}
		h.requests = append(h.requests, &Request{
			Method: ev.Request.Method, URL: url, Type: ev.Type, Time: time.Now(), id: ev.RequestID,
		})
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
			now := t.Activity.Mark()
			h.mu.Lock()
			defer h.mu.Unlock()
			h.load = now
			// The document's own request precedes it, and is the first one with its loader's id.
			if i := slices.IndexFunc(h.requests,
				func(s *Request) bool { return string(s.id) == string(ev.Frame.LoaderID) }); i >= 0 {
				h.load.request = h.dropped + i
			}
		}
	}
}

// update changes the newest request with this id. The caller holds mu.
func (h *requestLog) update(id network.RequestID, change func(*Request)) {
	for _, s := range slices.Backward(h.requests) {
		if s.id == id {
			change(s)
			return
		}
	}
}

// Mark returns the present point.
func (a *Activity) Mark() Mark {
	m := Mark{Time: time.Now(), Downloads: a.Downloads()}
	a.log.mu.Lock()
	defer a.log.mu.Unlock()
	m.request = a.log.dropped + len(a.log.requests)
	return m
}

// Load returns the point at which the present document was requested; zero if that was not
// observed.
func (a *Activity) Load() Mark {
	a.log.mu.Lock()
	defer a.log.mu.Unlock()
	return a.log.load
}

// Action returns the point at which the latest acting call began; zero if there was none.
func (a *Activity) Action() Mark {
	a.log.mu.Lock()
	defer a.log.mu.Unlock()
	return a.log.action
}

// MarkAction records that a call begins to act on the page.
func (t *Tab) MarkAction() {
	now := t.Activity.Mark()
	t.Activity.log.mu.Lock()
	defer t.Activity.log.mu.Unlock()
	t.Activity.log.action = now
}

// Requests lists the requests since a mark, oldest first. whole reports that none of them was
// evicted.
func (a *Activity) Requests(m Mark) (list []Request, whole bool) {
	h := &a.log
	h.mu.Lock()
	defer h.mu.Unlock()
	from := m.request - h.dropped
	for _, s := range h.requests[min(max(0, from), len(h.requests)):] {
		list = append(list, *s)
	}
	return list, from >= 0 && !m.Time.IsZero()
}

// DownloadMark is a point in a tab's life from which DownloadsSince counts.
type DownloadMark struct{ fileResponses, downloads int }

// Downloads returns the present point.
func (a *Activity) Downloads() DownloadMark {
	a.tab.mu.Lock()
	files := a.tab.Document.state.fileResponses
	a.tab.mu.Unlock()
	return DownloadMark{fileResponses: files, downloads: a.tab.session.Downloads.started()}
}

// DownloadsSince lists the downloads of the session since a mark. Chromium announces a download
// some time after the navigation to it has ended, so it waits for that if the page navigated to a
// file.
func (a *Activity) DownloadsSince(ctx context.Context, m DownloadMark) []Download {
	a.tab.mu.Lock()
	files := a.tab.Document.state.fileResponses - m.fileResponses
	a.tab.mu.Unlock()
	if files > 0 {
		a.tab.session.Downloads.waitForStart(ctx, a.tab.id, m.downloads)
	}
	list := a.tab.session.Downloads.All()
	return slices.DeleteFunc(list, func(d Download) bool { return d.sequence() <= m.downloads })
}

// downloadStartTimeout bounds the wait for a download that an action may have caused: the server
// decides late whether a response is a file.
const downloadStartTimeout = 5 * time.Second

// WaitForDownloadStart waits until the latest action in the tab has started a download, for up to
// 5 s. It reports whether one has started.
func (a *Activity) WaitForDownloadStart(ctx context.Context) bool {
	after := a.Action().Downloads.downloads
	ctx, cancel := context.WithTimeout(ctx, downloadStartTimeout)
	defer cancel()
	for {
		list, changed := a.tab.session.Downloads.allWithChange()
		if slices.ContainsFunc(list, func(d Download) bool { return d.sequence() > after || d.State == DownloadRunning }) {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}
