package network

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpnetwork "github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/children"
)

// The limits of one tab's capture. The oldest entries are dropped and counted.
const (
	entryLimit   = 2000
	bodiesLimit  = 64 << 20 // bytes of request and response bodies together
	postLimit    = 1 << 20  // bytes of one request body
	bodyFetchers = 4        // response bodies that are read at a time
	bodyTimeout  = 10 * time.Second
)

// Header is one header line. A name can occur several times.
type Header struct{ Name, Value string }

// Entry is one request and its response. It contains secrets; Redact removes them.
type Entry struct {
	Number   int // from 1 in the order of sending; the tab never reuses one
	Method   string
	URL      string
	Type     string // of ResourceTypes
	Started  time.Time
	Duration time.Duration // 0 while the request is in flight

	Status                         int // 0 without a response
	StatusText, Protocol, MIME     string
	Remote                         string // host:port of the server, or ""
	RequestHeaders, ResponseHeader []Header
	PostData                       string // ends in … if it is longer than postLimit
	Timing                         *cdpnetwork.ResourceTiming
	FromCache                      bool
	Transferred                    int64 // bytes on the wire, headers included
	RedirectURL                    string

	Done     bool
	Failure  string // such as net::ERR_FAILED; "" if it has not failed
	Canceled bool   // canceled by the page, for instance by a navigation

	Body        []byte
	BodyOmitted string // why Body is empty

	Priority string // of the request, such as High; "" if unknown

	initiator *cdpnetwork.Initiator

	id      cdpnetwork.RequestID
	sentAt  float64 // monotonic seconds
	session cdp.Session
}

// CaptureOptions configure a capture.
type CaptureOptions struct {
	Bodies  bool
	MaxBody int // bytes; larger response bodies are omitted
}

// Capture records the requests of one tab. Its methods are safe for concurrent use.
type Capture struct {
	tab        *browser.Tab
	fetchSlots chan struct{} // one slot per body that is being read

	startMu     sync.Mutex // held by Start and Stop
	unsubscribe []func()

	mu             sync.Mutex
	active         bool
	startedAt      time.Time
	options        CaptureOptions
	entries        []*Entry // oldest first
	inFlight       map[cdpnetwork.RequestID]*Entry
	earlyExtraInfo map[cdpnetwork.RequestID]*cdpnetwork.EventRequestWillBeSentExtraInfo // arrived before their requests
	connections    map[int]*connection                                                  // messages by the number of the entry
	lastNumber     int
	dropped        int
	bodyBytes      int           // bytes
	pendingBodies  int           // response bodies that are being read
	bodiesRead     chan struct{} // closed when pendingBodies reaches 0; nil without a waiter
}

type captureKey struct{}

// CaptureOf returns the tab's capture. It records after Start.
func CaptureOf(tab *browser.Tab) *Capture {
	return tab.Instruments.Get(captureKey{}, func() any {
		return &Capture{
			tab: tab, fetchSlots: make(chan struct{}, bodyFetchers), inFlight: make(map[cdpnetwork.RequestID]*Entry),
			earlyExtraInfo: make(map[cdpnetwork.RequestID]*cdpnetwork.EventRequestWillBeSentExtraInfo),
			connections:    make(map[int]*connection),
		}
	}).(*Capture)
}

// Start begins to record, or adds bodies to a capture that is active. ran reports whether it was
// active before.
func (c *Capture) Start(ctx context.Context, o CaptureOptions) (ran bool, err error) {
	session, err := c.tab.Protocol(ctx)
	if err != nil {
		return false, err
	}
	c.startMu.Lock()
	defer c.startMu.Unlock()
	c.mu.Lock()
	ran = c.active
	if ran {
		if o.Bodies {
			c.options = o
		}
		c.mu.Unlock()
		return true, nil
	}
	c.active, c.options, c.startedAt = true, o, time.Now()
	c.mu.Unlock()
	c.unsubscribe = []func(){c.tab.Listen(func(ev any) { c.observe(session, ev) })}
	stop, err := c.tab.Children.Handle(ctx, &children.Handler{
		Attach: func(ctx context.Context, child *children.Session) {
			_ = call(ctx, child, cdpnetwork.Enable, cdpnetwork.EnableParams{}) // fails only for a session that has ended
		},
		Event: func(child *children.Session, ev any) { c.observe(child, ev) },
	})
	if err != nil {
		c.stopLocked()
		return false, fmt.Errorf("capture requests: %w", err)
	}
	c.unsubscribe = append(c.unsubscribe, stop)
	return false, nil
}

// Stop ends the recording and keeps the entries. It reports whether the capture was active.
func (c *Capture) Stop() bool {
	c.startMu.Lock()
	defer c.startMu.Unlock()
	c.mu.Lock()
	ran := c.active
	c.mu.Unlock()
	c.stopLocked()
	return ran
}

func (c *Capture) stopLocked() {
	for _, stop := range c.unsubscribe {
		stop()
	}
	c.unsubscribe = nil
	c.mu.Lock()
	c.active = false
	clear(c.inFlight)
	clear(c.earlyExtraInfo)
	c.mu.Unlock()
}

// Clear drops all entries and returns their number. Entry numbers continue.
func (c *Capture) Clear() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.entries)
	c.entries, c.dropped, c.bodyBytes = nil, 0, 0
	clear(c.inFlight)
	clear(c.connections)
	return n
}

// Record is a copy of the content of a capture.
type Record struct {
	Active  bool // the capture is recording
	Bodies  bool
	Since   time.Time // when it was started; zero if never
	Entries []Entry   // oldest first
	Dropped int       // entries that were dropped for newer ones
}

// Read returns the content of the capture.
func (c *Capture) Read() Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := Record{
		Active: c.active, Bodies: c.options.Bodies, Since: c.startedAt, Dropped: c.dropped,
		Entries: make([]Entry, 0, len(c.entries)),
	}
	for _, e := range c.entries {
		r.Entries = append(r.Entries, *e)
	}
	return r
}

// Remembered returns the requests of the tab's document that are known without a capture: those
// since the document was requested, at most 1,000.
func Remembered(tab *browser.Tab) Record {
	requests, _ := tab.Activity.Requests(tab.Activity.Load())
	r := Record{Entries: make([]Entry, 0, len(requests))}
	for i, q := range requests {
		e := Entry{
			Number: i + 1, Method: q.Method, URL: q.URL, Type: resourceTypeName(q.Type), Started: q.Time,
			Status: q.Status, Failure: q.Failure, Done: q.Failure != "", BodyOmitted: "the request was not captured",
		}
		if !slices.Contains(ResourceTypes(), e.Type) {
			e.Type = "other"
		}
		r.Entries = append(r.Entries, e)
	}
	return r
}

// WaitForBodies waits until the bodies of all finished requests are read, or ctx ends.
func (c *Capture) WaitForBodies(ctx context.Context) {
	c.mu.Lock()
	if c.pendingBodies == 0 {
		c.mu.Unlock()
		return
	}
	if c.bodiesRead == nil {
		c.bodiesRead = make(chan struct{})
	}
	drained := c.bodiesRead
	c.mu.Unlock()
	select {
	case <-drained:
	case <-ctx.Done():
	}
}

// add appends an entry and drops the oldest one if the capture is full. The caller holds mu.
func (c *Capture) add(e *Entry) {
	c.lastNumber++
	e.Number = c.lastNumber
	if len(c.entries) == entryLimit {
		old := c.entries[0]
		c.bodyBytes -= len(old.Body) + len(old.PostData)
		if c.inFlight[old.id] == old {
			delete(c.inFlight, old.id)
		}
		delete(c.connections, old.Number)
		c.entries = slices.Delete(c.entries, 0, 1)
		c.dropped++
	}
	c.entries = append(c.entries, e)
	if len(c.inFlight) > entryLimit {
		clear(c.inFlight)
	}
	c.inFlight[e.id] = e
}

// takePostData joins the parts of a request body up to the limits and counts their bytes. The
// caller holds mu.
func (c *Capture) takePostData(parts []*cdpnetwork.PostDataEntry) string {
	room, cut := min(postLimit, max(0, bodiesLimit-c.bodyBytes)), false
	var data strings.Builder
	for _, part := range parts {
		n := min(len(part.Bytes), room-data.Len())
		data.Write(part.Bytes[:n])
		cut = cut || n < len(part.Bytes)
	}
	if cut {
		data.WriteString("…")
	}
	c.bodyBytes += data.Len()
	return data.String()
}

// contains reports whether an entry has not been dropped. The caller holds mu.
func (c *Capture) contains(e *Entry) bool {
	return len(c.entries) > 0 && e.Number >= c.entries[0].Number
}

// fetchBody reads the response body of a finished request, before the next navigation discards it.
// The caller holds mu.
func (c *Capture) fetchBody(e *Entry) {
	switch {
	case !c.options.Bodies:
		e.BodyOmitted = "bodies were not captured"
		return
	case e.Failure != "" || e.Status == 0:
		e.BodyOmitted = "no response"
		return
	case e.Transferred > 2*int64(c.options.MaxBody)+4096: // decompression only makes it larger
		e.BodyOmitted = fmt.Sprintf("larger than %d bytes", c.options.MaxBody)
		return
	}
	e.BodyOmitted = "not read yet"
	limit := c.options.MaxBody
	c.pendingBodies++
	go func() {
		c.fetchSlots <- struct{}{}
		ctx, cancel := context.WithTimeout(context.Background(), bodyTimeout)
		res, err := cdp.Call(ctx, e.session, cdpnetwork.GetResponseBody, cdpnetwork.GetResponseBodyParams{RequestID: e.id})
		cancel()
		<-c.fetchSlots
		c.mu.Lock()
		defer c.mu.Unlock()
		switch {
		case !c.contains(e):
		case err != nil:
			e.BodyOmitted = "the browser no longer has it"
		case len(res.Body) > limit:
			e.BodyOmitted = fmt.Sprintf("%d bytes, larger than %d", len(res.Body), limit)
		case c.bodyBytes+len(res.Body) > bodiesLimit:
			e.BodyOmitted = fmt.Sprintf("the capture holds %d MB of bodies, and keeps no more; clear it", bodiesLimit>>20)
		default:
			e.Body, e.BodyOmitted = res.Body, ""
			c.bodyBytes += len(res.Body)
		}
		if c.pendingBodies--; c.pendingBodies == 0 && c.bodiesRead != nil {
			close(c.bodiesRead)
			c.bodiesRead = nil
		}
	}()
}
