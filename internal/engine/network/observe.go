package network

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpnetwork "github.com/chromedp/cdproto/network"
)

// observe takes a protocol event. It runs where events are read.
func (c *Capture) observe(session cdp.Session, event any) {
	switch event.(type) {
	case *cdpnetwork.EventRequestWillBeSent, *cdpnetwork.EventResponseReceived, *cdpnetwork.EventLoadingFinished, *cdpnetwork.EventLoadingFailed,
		*cdpnetwork.EventRequestWillBeSentExtraInfo, *cdpnetwork.EventResponseReceivedExtraInfo, *cdpnetwork.EventRequestServedFromCache,
		*cdpnetwork.EventWebSocketCreated, *cdpnetwork.EventWebSocketHandshakeResponseReceived, *cdpnetwork.EventWebSocketClosed:
	default:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.on {
		return
	}
	switch ev := event.(type) {
	case *cdpnetwork.EventRequestWillBeSent:
		c.onRequest(session, ev)
	case *cdpnetwork.EventRequestWillBeSentExtraInfo:
		c.onRequestHead(ev)
	case *cdpnetwork.EventResponseReceivedExtraInfo:
		if e := c.running[ev.RequestID]; e != nil && e.Status == 0 || e != nil && e.Status == int(ev.StatusCode) {
			e.ResponseHeader = head(ev.Headers)
		}
	case *cdpnetwork.EventResponseReceived:
		if e := c.running[ev.RequestID]; e != nil {
			e.session = session
			e.response(ev.Response)
		}
	case *cdpnetwork.EventRequestServedFromCache:
		if e := c.running[ev.RequestID]; e != nil {
			e.FromCache = true
		}
	case *cdpnetwork.EventLoadingFinished:
		if e := c.running[ev.RequestID]; e != nil {
			e.session = session
			e.Transferred = int64(ev.EncodedDataLength)
			c.ended(e, seconds(ev.Timestamp))
			c.wantBody(e)
		}
	case *cdpnetwork.EventLoadingFailed:
		if e := c.running[ev.RequestID]; e != nil { // and only once: the ended are not running
			e.fail(ev)
			c.ended(e, seconds(ev.Timestamp))
			e.BodyOmitted = "no response"
		}
	case *cdpnetwork.EventWebSocketCreated:
		now := time.Now()
		c.add(&Entry{Method: "GET", URL: ev.URL, Type: "websocket", Started: now, id: ev.RequestID, session: session, BodyOmitted: "a websocket"})
	case *cdpnetwork.EventWebSocketHandshakeResponseReceived:
		if e := c.running[ev.RequestID]; e != nil {
			e.Status, e.StatusText = int(ev.Response.Status), ev.Response.StatusText
			e.ResponseHeader, e.RequestHeaders = head(ev.Response.Headers), head(ev.Response.RequestHeaders)
		}
	case *cdpnetwork.EventWebSocketClosed:
		if e := c.running[ev.RequestID]; e != nil {
			e.Duration, e.Done = time.Since(e.Started), true
			delete(c.running, e.id)
		}
	}
}

func seconds(t cdp.MonotonicTime) float64 { return float64(t) }

func (c *Capture) onRequest(session cdp.Session, ev *cdpnetwork.EventRequestWillBeSent) {
	at := seconds(ev.Timestamp)
	if e := c.running[ev.RequestID]; e != nil {
		if ev.RedirectResponse == nil {
			return // told by two sessions: a frame's own document is its parent's request too
		}
		e.response(ev.RedirectResponse)
		e.RedirectURL = ev.Request.URL
		e.Transferred = int64(ev.RedirectResponse.EncodedDataLength)
		e.BodyOmitted = "a redirect"
		c.ended(e, at)
	}
	e := &Entry{
		Method: ev.Request.Method, URL: address(ev.Request.URL), Type: typeName(ev.Type), Started: wall(ev.WallTime), RequestHeaders: head(ev.Request.Headers),
		id: ev.RequestID, sent: at, session: session,
	}
	if !slices.Contains(ResourceTypes(), e.Type) {
		e.Type = "other"
	}
	e.PostData = c.posted(ev.Request.PostDataEntries)
	c.add(e)
	if extra := c.early[ev.RequestID]; extra != nil {
		delete(c.early, ev.RequestID)
		e.RequestHeaders = head(extra.Headers)
	}
}

// dataKept is how much is kept of an address that is its own content, in bytes; nobody is shown as much.
const dataKept = 2000

func address(url string) string {
	if len(url) > dataKept && strings.HasPrefix(url, "data:") {
		return strings.Clone(url[:dataKept]) // a part alone would keep the whole
	}
	return url
}

// onRequestHead takes the head that went over the wire, with what the network added to the page's own: cookies above all.
// It can come before the request that it belongs to, and of several with one id belongs to the first without one.
func (c *Capture) onRequestHead(ev *cdpnetwork.EventRequestWillBeSentExtraInfo) {
	if e := c.running[ev.RequestID]; e != nil && e.Status == 0 {
		e.RequestHeaders = head(ev.Headers)
		return
	}
	if len(c.early) > entryLimit {
		clear(c.early)
	}
	c.early[ev.RequestID] = ev
}

// ended is called with mu held.
func (c *Capture) ended(e *Entry, at float64) {
	e.Done = true
	if at > e.sent {
		e.Duration = time.Duration((at - e.sent) * float64(time.Second))
	}
	delete(c.running, e.id)
}

func (e *Entry) response(r *cdpnetwork.Response) {
	e.Status, e.StatusText, e.Protocol, e.MIME = int(r.Status), r.StatusText, r.Protocol, r.MimeType
	e.Timing = r.Timing
	e.FromCache = e.FromCache || r.FromDiskCache
	if r.RemoteIPAddress != "" {
		e.Remote = net.JoinHostPort(strings.Trim(r.RemoteIPAddress, "[]"), strconv.Itoa(int(r.RemotePort)))
	}
	if len(e.ResponseHeader) == 0 {
		e.ResponseHeader = head(r.Headers)
	}
	if len(r.RequestHeaders) > 0 {
		e.RequestHeaders = head(r.RequestHeaders)
	}
}

func (e *Entry) fail(ev *cdpnetwork.EventLoadingFailed) {
	e.Failure, e.Canceled = ev.ErrorText, ev.Canceled
	if e.Failure == "" {
		e.Failure = "failed"
	}
	switch {
	case ev.CorsErrorStatus != nil:
		e.Failure += fmt.Sprintf(" (CORS: %s)", ev.CorsErrorStatus.CorsError)
	case ev.BlockedReason != "":
		e.Failure += fmt.Sprintf(" (blocked: %s)", ev.BlockedReason)
	}
}

// head lists headers by name. The protocol joins those of one name by newlines.
func head(headers cdpnetwork.Headers) []Header {
	out := make([]Header, 0, len(headers))
	for name, value := range headers {
		text, _ := value.(string)
		for line := range strings.SplitSeq(text, "\n") {
			out = append(out, Header{name, line})
		}
	}
	slices.SortStableFunc(out, func(a, b Header) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return out
}

func wall(t cdp.TimeSinceEpoch) time.Time { return time.UnixMicro(int64(float64(t) * 1e6)) }
