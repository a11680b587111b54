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

// observe records a CDP event. It runs on the goroutine that reads events and must not block.
func (c *Capture) observe(session cdp.Session, event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.active {
		return
	}
	switch ev := event.(type) {
	case *cdpnetwork.EventRequestWillBeSent:
		c.onRequest(session, ev)
	case *cdpnetwork.EventRequestWillBeSentExtraInfo:
		c.onRequestExtraInfo(ev)
	case *cdpnetwork.EventResponseReceivedExtraInfo:
		if e := c.inFlight[ev.RequestID]; e != nil && (e.Status == 0 || e.Status == int(ev.StatusCode)) {
			e.ResponseHeader = headerList(ev.Headers)
		}
	case *cdpnetwork.EventResponseReceived:
		if e := c.inFlight[ev.RequestID]; e != nil {
			e.session = session
			e.setResponse(ev.Response)
		}
	case *cdpnetwork.EventRequestServedFromCache:
		if e := c.inFlight[ev.RequestID]; e != nil {
			e.FromCache = true
		}
	case *cdpnetwork.EventLoadingFinished:
		if e := c.inFlight[ev.RequestID]; e != nil {
			e.session = session
			e.Transferred = int64(ev.EncodedDataLength)
			c.finish(e, seconds(ev.Timestamp))
			c.fetchBody(e)
		}
	case *cdpnetwork.EventLoadingFailed:
		if e := c.inFlight[ev.RequestID]; e != nil { // finish removes it, so a second event has no effect
			e.setFailure(ev)
			c.finish(e, seconds(ev.Timestamp))
			e.BodyOmitted = "no response"
		}
	default:
		c.observeWebSocket(session, event)
	}
}

// observeWebSocket records the events of WebSockets. The caller holds mu.
func (c *Capture) observeWebSocket(session cdp.Session, event any) {
	switch ev := event.(type) {
	case *cdpnetwork.EventWebSocketCreated:
		c.add(&Entry{
			Method: "GET", URL: ev.URL, Type: "websocket", Started: time.Now(), id: ev.RequestID, session: session,
			BodyOmitted: "a websocket", initiator: ev.Initiator,
		})
	case *cdpnetwork.EventWebSocketHandshakeResponseReceived:
		if e := c.inFlight[ev.RequestID]; e != nil {
			e.Status, e.StatusText = int(ev.Response.Status), ev.Response.StatusText
			e.ResponseHeader, e.RequestHeaders = headerList(ev.Response.Headers), headerList(ev.Response.RequestHeaders)
		}
	case *cdpnetwork.EventWebSocketClosed:
		if e := c.inFlight[ev.RequestID]; e != nil {
			e.Duration, e.Done = time.Since(e.Started), true
			delete(c.inFlight, e.id)
		}
	default:
		c.observeMessage(session, event)
	}
}

func seconds(t cdp.MonotonicTime) float64 { return float64(t) }

func (c *Capture) onRequest(session cdp.Session, ev *cdpnetwork.EventRequestWillBeSent) {
	at := seconds(ev.Timestamp)
	if e := c.inFlight[ev.RequestID]; e != nil {
		if ev.RedirectResponse == nil {
			return // a second session reported it: the document of an OOPIF is a request of its parent too
		}
		e.setResponse(ev.RedirectResponse)
		e.RedirectURL = ev.Request.URL
		e.Transferred = int64(ev.RedirectResponse.EncodedDataLength)
		e.BodyOmitted = "a redirect"
		c.finish(e, at)
	}
	e := &Entry{
		Method: ev.Request.Method, URL: shortenDataURL(ev.Request.URL), Type: resourceTypeName(ev.Type),
		Started: wallTime(ev.WallTime), RequestHeaders: headerList(ev.Request.Headers),
		id: ev.RequestID, sentAt: at, session: session,
	}
	if !slices.Contains(ResourceTypes(), e.Type) {
		e.Type = "other"
	}
	e.PostData = c.takePostData(ev.Request.PostDataEntries)
	e.initiator, e.Priority = ev.Initiator, string(ev.Request.InitialPriority)
	c.add(e)
	if extra := c.earlyExtraInfo[ev.RequestID]; extra != nil {
		delete(c.earlyExtraInfo, ev.RequestID)
		e.RequestHeaders = headerList(extra.Headers)
	}
}

// dataURLLimit is the most bytes of a data: URL that an entry keeps.
const dataURLLimit = 2000

func shortenDataURL(url string) string {
	if len(url) > dataURLLimit && strings.HasPrefix(url, "data:") {
		return strings.Clone(url[:dataURLLimit]) // a substring would keep the whole URL in memory
	}
	return url
}

// onRequestExtraInfo records the headers that were sent, including cookies and others that the
// network stack added. The event can precede its request. If several requests share an id, it
// belongs to the first one without extra info.
func (c *Capture) onRequestExtraInfo(ev *cdpnetwork.EventRequestWillBeSentExtraInfo) {
	if e := c.inFlight[ev.RequestID]; e != nil && e.Status == 0 {
		e.RequestHeaders = headerList(ev.Headers)
		return
	}
	if len(c.earlyExtraInfo) > entryLimit {
		clear(c.earlyExtraInfo)
	}
	c.earlyExtraInfo[ev.RequestID] = ev
}

// finish marks an entry as done at a monotonic time in seconds. The caller holds mu.
func (c *Capture) finish(e *Entry, at float64) {
	e.Done = true
	if at > e.sentAt {
		e.Duration = time.Duration((at - e.sentAt) * float64(time.Second))
	}
	delete(c.inFlight, e.id)
}

func (e *Entry) setResponse(r *cdpnetwork.Response) {
	e.Status, e.StatusText, e.Protocol, e.MIME = int(r.Status), r.StatusText, r.Protocol, r.MimeType
	e.Timing = r.Timing
	e.FromCache = e.FromCache || r.FromDiskCache
	if r.RemoteIPAddress != "" {
		e.Remote = net.JoinHostPort(strings.Trim(r.RemoteIPAddress, "[]"), strconv.Itoa(int(r.RemotePort)))
	}
	if len(e.ResponseHeader) == 0 {
		e.ResponseHeader = headerList(r.Headers)
	}
	if len(r.RequestHeaders) > 0 {
		e.RequestHeaders = headerList(r.RequestHeaders)
	}
}

func (e *Entry) setFailure(ev *cdpnetwork.EventLoadingFailed) {
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

// headerList returns headers sorted by name. CDP joins values of one name by newlines.
func headerList(headers cdpnetwork.Headers) []Header {
	out := make([]Header, 0, len(headers))
	for name, value := range headers {
		text, _ := value.(string)
		for line := range strings.SplitSeq(text, "\n") {
			out = append(out, Header{name, line})
		}
	}
	slices.SortStableFunc(out, func(a, b Header) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return out
}

func wallTime(t cdp.TimeSinceEpoch) time.Time { return time.UnixMicro(int64(float64(t) * 1e6)) }
