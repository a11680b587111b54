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
)

// How much one tab's capture keeps. Older requests make room for newer ones, and what went is counted.
const (
	entryLimit   = 2000
	bodiesLimit  = 64 << 20 // bytes of bodies, sent and received
	postLimit    = 1 << 20  // bytes of what one request sends
	bodyFetchers = 4        // bodies that are read from the browser at a time
	bodyTimeout  = 10 * time.Second
)

// Header is one line of a head. A name can occur several times.
type Header struct{ Name, Value string }

// Entry is one request with what became of it. Secrets are still in it: Redact takes them out.
type Entry struct {
	Number   int // from 1, in order of sending; never reused by the tab
	Method   string
	URL      string
	Type     string // of ResourceTypes
	Started  time.Time
	Duration time.Duration // until it ended; 0 while it runs

	Status                         int // 0 without a response
	StatusText, Protocol, MIME     string
	Remote                         string // address of the server, or ""
	RequestHeaders, ResponseHeader []Header
	PostData                       string // ends in … where it was cut
	Timing                         *cdpnetwork.ResourceTiming
	FromCache                      bool
	Transferred                    int64 // bytes on the wire, head and body
	RedirectURL                    string

	Done     bool
	Failure  string // such as net::ERR_FAILED; "" if it has not failed
	Canceled bool   // by the page itself, as when it navigates away

	Body        []byte
	BodyOmitted string // why there is none

	id      cdpnetwork.RequestID
	sentAt  float64 // monotonic seconds
	session cdp.Session
}

// CaptureOptions say what to keep.
type CaptureOptions struct {
	Bodies  bool
	MaxBody int // bytes of one body; larger ones are left out
}

// Capture is the record of one tab's requests. Its methods are safe for concurrent use.
type Capture struct {
	tab        *browser.Tab
	fetchSlots chan struct{} // of fetchers

	startMu     sync.Mutex // held while it starts and stops
	unsubscribe []func()

	mu             sync.Mutex
	active         bool
	startedAt      time.Time
	options        CaptureOptions
	entries        []*Entry // oldest first
	inFlight       map[cdpnetwork.RequestID]*Entry
	earlyExtraInfo map[cdpnetwork.RequestID]*cdpnetwork.EventRequestWillBeSentExtraInfo // that came before their request
	lastNumber     int
	dropped        int
	bodyBytes      int           // bytes
	pendingBodies  int           // bodies that are being read
	bodiesRead     chan struct{} // closed when pending is 0 again; nil while nobody waits
}

type captureKey struct{}

// CaptureOf returns the tab's capture, which runs only after Start.
func CaptureOf(tab *browser.Tab) *Capture {
	return tab.Instrument(captureKey{}, func() any {
		return &Capture{
			tab: tab, fetchSlots: make(chan struct{}, bodyFetchers), inFlight: make(map[cdpnetwork.RequestID]*Entry),
			earlyExtraInfo: make(map[cdpnetwork.RequestID]*cdpnetwork.EventRequestWillBeSentExtraInfo),
		}
	}).(*Capture)
}

// Start begins to record, or changes what a running capture keeps: bodies are only ever added to it. It reports whether
// the capture ran already.
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
	stop, err := c.tab.HandleChildren(ctx, &browser.ChildHandler{
		Attach: func(ctx context.Context, child *browser.ChildSession) {
			_ = call(ctx, child, cdpnetwork.Enable, cdpnetwork.EnableParams{}) // one that is gone has no requests
		},
		Event: func(child *browser.ChildSession, ev any) { c.observe(child, ev) },
	})
	if err != nil {
		c.stopLocked()
		return false, fmt.Errorf("capture requests: %w", err)
	}
	c.unsubscribe = append(c.unsubscribe, stop)
	return false, nil
}

// Stop ends recording; what was recorded stays. It reports whether the capture ran.
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

// Clear forgets what was recorded and says how much that was. Numbers go on.
func (c *Capture) Clear() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.entries)
	c.entries, c.dropped, c.bodyBytes = nil, 0, 0
	clear(c.inFlight)
	return n
}

// Record is what a capture holds.
type Record struct {
	Active  bool // it is running
	Bodies  bool
	Since   time.Time // when it was started; zero if never
	Entries []Entry   // oldest first
	Dropped int       // requests that made room for newer ones
}

// Read returns what was recorded so far.
func (c *Capture) Read() Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := Record{Active: c.active, Bodies: c.options.Bodies, Since: c.startedAt, Dropped: c.dropped, Entries: make([]Entry, 0, len(c.entries))}
	for _, e := range c.entries {
		r.Entries = append(r.Entries, *e)
	}
	return r
}

// WaitForBodies waits until the bodies of the requests that have ended are read.
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

// add is called with mu held.
func (c *Capture) add(e *Entry) {
	c.lastNumber++
	e.Number = c.lastNumber
	if len(c.entries) == entryLimit {
		old := c.entries[0]
		c.bodyBytes -= len(old.Body) + len(old.PostData)
		if c.inFlight[old.id] == old {
			delete(c.inFlight, old.id)
		}
		c.entries = slices.Delete(c.entries, 0, 1)
		c.dropped++
	}
	c.entries = append(c.entries, e)
	if len(c.inFlight) > entryLimit {
		clear(c.inFlight)
	}
	c.inFlight[e.id] = e
}

// takePostData is as much of what a request sends as there is room for. It is called with mu held.
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

// contains reports whether a request is still in the record. It is called with mu held.
func (c *Capture) contains(e *Entry) bool {
	return len(c.entries) > 0 && e.Number >= c.entries[0].Number
}

// fetchBody asks the browser for the body of a request that has ended, before the next navigation takes it away. It is
// called with mu held.
func (c *Capture) fetchBody(e *Entry) {
	switch {
	case !c.options.Bodies:
		e.BodyOmitted = "bodies were not captured"
		return
	case e.Failure != "" || e.Status == 0:
		e.BodyOmitted = "no response"
		return
	case e.Transferred > 2*int64(c.options.MaxBody)+4096: // compressed, it would only be larger still
		e.BodyOmitted = fmt.Sprintf("larger than %d bytes", c.options.MaxBody)
		return
	}
	e.BodyOmitted = "not read yet"
	most := c.options.MaxBody
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
		case len(res.Body) > most:
			e.BodyOmitted = fmt.Sprintf("%d bytes, larger than %d", len(res.Body), most)
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
