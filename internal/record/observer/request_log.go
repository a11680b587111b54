package observer

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/internal/record/recorder"
)

// maxLogged bounds the requests that the log of a tab holds. The oldest are dropped.
const maxLogged = 500

// requestLog holds the latest requests of one tab, without headers and bodies. It listens to events
// that the tab receives in any case. It is independent of a network capture, which a client starts,
// reads and clears.
type requestLog struct {
	stop func()

	mu      sync.Mutex
	entries []*requestEntry // oldest first
	dropped int
}

type requestEntry struct {
	recorder.Request
	id     network.RequestID
	sentAt float64 // monotonic seconds
	isDone bool
}

// handleEvent updates the log by a protocol event. The reader of events calls it.
func (r *requestLog) handleEvent(event any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch ev := event.(type) {
	case *network.EventRequestWillBeSent:
		if ev.RedirectResponse != nil {
			r.setStatus(ev.RequestID, int(ev.RedirectResponse.Status))
			r.finish(ev.RequestID, float64(ev.Timestamp), "")
		}
		r.add(&requestEntry{id: ev.RequestID, sentAt: float64(ev.Timestamp), Request: recorder.Request{
			Method: ev.Request.Method, URL: clipDataURL(ev.Request.URL), Kind: strings.ToLower(string(ev.Type)),
			StartedAt: time.UnixMicro(int64(float64(ev.WallTime) * 1e6)).UTC(),
		}})
	case *network.EventResponseReceived:
		r.setStatus(ev.RequestID, int(ev.Response.Status))
		if e := r.pending(ev.RequestID); e != nil {
			e.Milliseconds = max(0, float64(ev.Timestamp)-e.sentAt) * 1000 // until its body has come
		}
	case *network.EventLoadingFinished:
		r.finish(ev.RequestID, float64(ev.Timestamp), "")
	case *network.EventLoadingFailed:
		r.finish(ev.RequestID, float64(ev.Timestamp), ev.ErrorText)
	}
}

// maxDataURLBytes bounds the part of a data URL that the log holds, in bytes. No output shows more
// of it.
const maxDataURLBytes = 200

// clipDataURL returns an address, shortened when it is a data URL. The result does not keep the
// rest of it in memory.
func clipDataURL(address string) string {
	if strings.HasPrefix(address, "data:") && len(address) > maxDataURLBytes {
		return strings.Clone(address[:maxDataURLBytes])
	}
	return address
}

func (r *requestLog) add(e *requestEntry) {
	if len(r.entries) == maxLogged {
		r.entries = slices.Delete(r.entries, 0, 1)
		r.dropped++
	}
	r.entries = append(r.entries, e)
}

// pending returns the latest unfinished request with an id, or nil.
func (r *requestLog) pending(id network.RequestID) *requestEntry {
	for _, e := range slices.Backward(r.entries) {
		if e.id == id && !e.isDone {
			return e
		}
	}
	return nil
}

func (r *requestLog) setStatus(id network.RequestID, status int) {
	if e := r.pending(id); e != nil {
		e.Status = status
	}
}

func (r *requestLog) finish(id network.RequestID, at float64, failure string) {
	if e := r.pending(id); e != nil {
		e.isDone, e.Error = true, failure
		e.Milliseconds = max(0, at-e.sentAt) * 1000
	}
}

// count returns the number of requests so far, dropped ones included.
func (r *requestLog) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dropped + len(r.entries)
}

// since returns at most maxRequests requests after the first n, and how many it left out. Documents
// and data have priority over images and other resources.
func (r *requestLog) since(n int) (out []recorder.Request, left int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.entries[min(max(0, n-r.dropped), len(r.entries)):]
	left = max(0, len(all)-maxRequests)
	room := maxRequests
	for _, e := range all {
		if hasPriority(e.Kind) {
			room--
		}
	}
	plain := max(0, room) // of those that tell little
	for _, e := range all {
		if len(out) == maxRequests {
			break
		}
		if !hasPriority(e.Kind) {
			if plain == 0 {
				continue
			}
			plain--
		}
		out = append(out, e.Request)
	}
	return out, left
}

func hasPriority(kind string) bool {
	return slices.Contains([]string{"document", "xhr", "fetch", "websocket", "eventsource"}, kind)
}
