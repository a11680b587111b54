package observer

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/internal/record/recorder"
)

// mostLogged bounds the requests that are remembered of a tab; the oldest go.
const mostLogged = 500

// traffic is the requests of one tab. It hears what the tab hears anyway, keeps no heads and bodies, and so costs nothing that
// would be worth switching off; a capture, which a client starts, reads and clears, is something else.
type traffic struct {
	stop func()

	mu      sync.Mutex
	entries []*entry // oldest first
	lost    int
}

type entry struct {
	recorder.Request
	id   network.RequestID
	sent float64 // monotonic seconds
	done bool
}

// observe takes a protocol event. It runs where events are read.
func (t *traffic) observe(event any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch ev := event.(type) {
	case *network.EventRequestWillBeSent:
		if ev.RedirectResponse != nil {
			t.answer(ev.RequestID, int(ev.RedirectResponse.Status))
			t.end(ev.RequestID, float64(ev.Timestamp), "")
		}
		t.add(&entry{id: ev.RequestID, sent: float64(ev.Timestamp), Request: recorder.Request{
			Method: ev.Request.Method, URL: kept(ev.Request.URL), Kind: strings.ToLower(string(ev.Type)),
			At: time.UnixMicro(int64(float64(ev.WallTime) * 1e6)).UTC(),
		}})
	case *network.EventResponseReceived:
		t.answer(ev.RequestID, int(ev.Response.Status))
		if e := t.running(ev.RequestID); e != nil {
			e.Took = max(0, float64(ev.Timestamp)-e.sent) * 1000 // until its body has come
		}
	case *network.EventLoadingFinished:
		t.end(ev.RequestID, float64(ev.Timestamp), "")
	case *network.EventLoadingFailed:
		t.end(ev.RequestID, float64(ev.Timestamp), ev.ErrorText)
	}
}

// contentKept is how much of an address that is content itself is remembered, in bytes: nobody is shown more of it.
const contentKept = 200

// kept is what is remembered of an address. The rest of one that is cut is not held on to.
func kept(address string) string {
	if strings.HasPrefix(address, "data:") && len(address) > contentKept {
		return strings.Clone(address[:contentKept])
	}
	return address
}

func (t *traffic) add(e *entry) {
	if len(t.entries) == mostLogged {
		t.entries = slices.Delete(t.entries, 0, 1)
		t.lost++
	}
	t.entries = append(t.entries, e)
}

// running finds the latest request with an id that has not ended.
func (t *traffic) running(id network.RequestID) *entry {
	for _, e := range slices.Backward(t.entries) {
		if e.id == id && !e.done {
			return e
		}
	}
	return nil
}

func (t *traffic) answer(id network.RequestID, status int) {
	if e := t.running(id); e != nil {
		e.Status = status
	}
}

func (t *traffic) end(id network.RequestID, at float64, failure string) {
	if e := t.running(id); e != nil {
		e.done, e.Error = true, failure
		e.Took = max(0, at-e.sent) * 1000
	}
}

// sent is how many requests there were so far.
func (t *traffic) sent() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost + len(t.entries)
}

// since lists the requests after the first n, those that tell most first to stay: documents and data before pictures and the like.
func (t *traffic) since(n int) (out []recorder.Request, left int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.entries[min(max(0, n-t.lost), len(t.entries)):]
	left = max(0, len(all)-mostRequests)
	room := mostRequests
	for _, e := range all {
		if telling(e.Kind) {
			room--
		}
	}
	plain := max(0, room) // of those that tell little
	for _, e := range all {
		if len(out) == mostRequests {
			break
		}
		if !telling(e.Kind) {
			if plain == 0 {
				continue
			}
			plain--
		}
		out = append(out, e.Request)
	}
	return out, left
}

func telling(kind string) bool {
	return slices.Contains([]string{"document", "xhr", "fetch", "websocket", "eventsource"}, kind)
}
