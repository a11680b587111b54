// Package requestlog remembers the latest requests of a page.
//
// It reads events of the protocol, and must not know tabs or tools.
package requestlog

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"
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

// Log records the requests of a page and of frames in the same process. The zero value is ready for use.
type Log struct {
	mu       sync.Mutex
	requests []*Request // oldest first
	dropped  int        // number of evicted requests
}

// Observe records a protocol event. It runs where events are read.
func (l *Log) Observe(event any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch ev := event.(type) {
	case *network.EventRequestWillBeSent:
		if ev.RedirectResponse != nil {
			l.update(ev.RequestID, func(r *Request) { r.Status = int(ev.RedirectResponse.Status) })
		}
		if len(l.requests) == maxRequests {
			l.requests = slices.Delete(l.requests, 0, maxRequests/4)
			l.dropped += maxRequests / 4
		}
		url := ev.Request.URL
		if len(url) > maxURLBytes {
			url = strings.Clone(url[:maxURLBytes]) // a substring would keep the whole string
		}
		l.requests = append(l.requests, &Request{
			Method: ev.Request.Method, URL: url, Type: ev.Type, Time: time.Now(), id: ev.RequestID,
		})
	case *network.EventResponseReceived:
		l.update(ev.RequestID, func(r *Request) { r.Status = int(ev.Response.Status) })
	case *network.EventLoadingFailed:
		l.update(ev.RequestID, func(r *Request) { r.Failure = ev.ErrorText })
	}
}

// update changes the newest request with this id. The caller holds mu.
func (l *Log) update(id network.RequestID, change func(*Request)) {
	for _, r := range slices.Backward(l.requests) {
		if r.id == id {
			change(r)
			return
		}
	}
}

// Position returns the number of requests so far.
func (l *Log) Position() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped + len(l.requests)
}

// PositionOf returns the position before the first request with an id that is known.
func (l *Log) PositionOf(id network.RequestID) (position int, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.requests, func(r *Request) bool { return r.id == id })
	return l.dropped + i, i >= 0
}

// Since lists the requests since a position, oldest first. whole reports that none of them was evicted.
func (l *Log) Since(position int) (list []Request, whole bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := position - l.dropped
	for _, r := range l.requests[min(max(0, from), len(l.requests)):] {
		list = append(list, *r)
	}
	return list, from >= 0
}
