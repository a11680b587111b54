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
	entryLimit = 2000
	bodyTotal  = 64 << 20 // bytes of bodies, sent and received
	postLimit  = 1 << 20  // bytes of what one request sends
	fetchers   = 4        // bodies that are read from the browser at a time
	bodyWait   = 10 * time.Second
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
	sent    float64 // monotonic seconds
	session cdp.Session
}

// CaptureOptions say what to keep.
type CaptureOptions struct {
	Bodies  bool
	MaxBody int // bytes of one body; larger ones are left out
}

// Capture is the record of one tab's requests. Its methods are safe for concurrent use.
type Capture struct {
	tab  *browser.Tab
	slot chan struct{} // of fetchers

	change sync.Mutex // held while it starts and stops
	stop   []func()

	mu      sync.Mutex
	on      bool
	since   time.Time
	options CaptureOptions
	entries []*Entry // oldest first
	running map[cdpnetwork.RequestID]*Entry
	early   map[cdpnetwork.RequestID]*cdpnetwork.EventRequestWillBeSentExtraInfo // that came before their request
	next    int
	lost    int
	bodies  int           // bytes
	pending int           // bodies that are being read
	drained chan struct{} // closed when pending is 0 again; nil while nobody waits
}

type captureKey struct{}

// CaptureOf returns the tab's capture, which runs only after Start.
func CaptureOf(tab *browser.Tab) *Capture {
	return tab.Instrument(captureKey{}, func() any {
		return &Capture{
			tab: tab, slot: make(chan struct{}, fetchers), running: make(map[cdpnetwork.RequestID]*Entry),
			early: make(map[cdpnetwork.RequestID]*cdpnetwork.EventRequestWillBeSentExtraInfo),
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
	c.change.Lock()
	defer c.change.Unlock()
	c.mu.Lock()
	ran = c.on
	if ran {
		if o.Bodies {
			c.options = o
		}
		c.mu.Unlock()
		return true, nil
	}
	c.on, c.options, c.since = true, o, time.Now()
	c.mu.Unlock()
	c.stop = []func(){c.tab.Listen(func(ev any) { c.observe(session, ev) })}
	stop, err := c.tab.Accompany(ctx, &browser.Companion{
		Attach: func(ctx context.Context, child *browser.Child) {
			_ = call(ctx, child, cdpnetwork.Enable, cdpnetwork.EnableParams{}) // one that is gone has no requests
		},
		Event: func(child *browser.Child, ev any) { c.observe(child, ev) },
	})
	if err != nil {
		c.end()
		return false, fmt.Errorf("capture requests: %w", err)
	}
	c.stop = append(c.stop, stop)
	return false, nil
}

// Stop ends recording; what was recorded stays. It reports whether the capture ran.
func (c *Capture) Stop() bool {
	c.change.Lock()
	defer c.change.Unlock()
	c.mu.Lock()
	ran := c.on
	c.mu.Unlock()
	c.end()
	return ran
}

func (c *Capture) end() {
	for _, stop := range c.stop {
		stop()
	}
	c.stop = nil
	c.mu.Lock()
	c.on = false
	clear(c.running)
	clear(c.early)
	c.mu.Unlock()
}

// Clear forgets what was recorded and says how much that was. Numbers go on.
func (c *Capture) Clear() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.entries)
	c.entries, c.lost, c.bodies = nil, 0, 0
	clear(c.running)
	return n
}

// Record is what a capture holds.
type Record struct {
	On      bool // it is running
	Bodies  bool
	Since   time.Time // when it was started; zero if never
	Entries []Entry   // oldest first
	Lost    int       // requests that made room for newer ones
}

// Read returns what was recorded so far.
func (c *Capture) Read() Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := Record{On: c.on, Bodies: c.options.Bodies, Since: c.since, Lost: c.lost, Entries: make([]Entry, 0, len(c.entries))}
	for _, e := range c.entries {
		r.Entries = append(r.Entries, *e)
	}
	return r
}

// Settle waits until the bodies of the requests that have ended are read.
func (c *Capture) Settle(ctx context.Context) {
	c.mu.Lock()
	if c.pending == 0 {
		c.mu.Unlock()
		return
	}
	if c.drained == nil {
		c.drained = make(chan struct{})
	}
	drained := c.drained
	c.mu.Unlock()
	select {
	case <-drained:
	case <-ctx.Done():
	}
}

// add is called with mu held.
func (c *Capture) add(e *Entry) {
	c.next++
	e.Number = c.next
	if len(c.entries) == entryLimit {
		old := c.entries[0]
		c.bodies -= len(old.Body) + len(old.PostData)
		if c.running[old.id] == old {
			delete(c.running, old.id)
		}
		c.entries = slices.Delete(c.entries, 0, 1)
		c.lost++
	}
	c.entries = append(c.entries, e)
	if len(c.running) > entryLimit {
		clear(c.running)
	}
	c.running[e.id] = e
}

// posted is as much of what a request sends as there is room for. It is called with mu held.
func (c *Capture) posted(parts []*cdpnetwork.PostDataEntry) string {
	room, cut := min(postLimit, max(0, bodyTotal-c.bodies)), false
	var data strings.Builder
	for _, part := range parts {
		n := min(len(part.Bytes), room-data.Len())
		data.Write(part.Bytes[:n])
		cut = cut || n < len(part.Bytes)
	}
	if cut {
		data.WriteString("…")
	}
	c.bodies += data.Len()
	return data.String()
}

// holds reports whether a request is still in the record. It is called with mu held.
func (c *Capture) holds(e *Entry) bool {
	return len(c.entries) > 0 && e.Number >= c.entries[0].Number
}

// wantBody asks the browser for the body of a request that has ended, before the next navigation takes it away. It is
// called with mu held.
func (c *Capture) wantBody(e *Entry) {
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
	c.pending++
	go func() {
		c.slot <- struct{}{}
		ctx, cancel := context.WithTimeout(context.Background(), bodyWait)
		res, err := cdp.Call(ctx, e.session, cdpnetwork.GetResponseBody, cdpnetwork.GetResponseBodyParams{RequestID: e.id})
		cancel()
		<-c.slot
		c.mu.Lock()
		defer c.mu.Unlock()
		switch {
		case !c.holds(e):
		case err != nil:
			e.BodyOmitted = "the browser no longer has it"
		case len(res.Body) > most:
			e.BodyOmitted = fmt.Sprintf("%d bytes, larger than %d", len(res.Body), most)
		case c.bodies+len(res.Body) > bodyTotal:
			e.BodyOmitted = fmt.Sprintf("the capture holds %d MB of bodies, and keeps no more; clear it", bodyTotal>>20)
		default:
			e.Body, e.BodyOmitted = res.Body, ""
			c.bodies += len(res.Body)
		}
		if c.pending--; c.pending == 0 && c.drained != nil {
			close(c.drained)
			c.drained = nil
		}
	}()
}
