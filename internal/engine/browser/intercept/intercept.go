// Package intercept decides about the requests of every page of a browser: a guard refuses some, and they
// may be replayed or recorded.
//
// It knows pages by the ids of their frames, and must not know tabs or sessions.
package intercept

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// Guard decides which addresses pages may reach. The browser calls it from many goroutines; its
// methods must return quickly and must not call the browser.
type Guard interface {
	// Switches returns more switches of a browser that is launched here. They win over all others.
	Switches() []string
	// Proxy returns the proxy that makes the connections of a session's pages, or "". The session
	// "" is the default browser context and the browser itself.
	Proxy(session string) (string, error)
	// CheckAttach returns the error of attaching to a browser that was launched elsewhere, or nil.
	CheckAttach() error
	// CheckNavigation returns the error of loading an address for a call, or nil.
	CheckNavigation(session, address string) error
	// InterceptsRequests reports whether AllowRequest must be asked about each request.
	InterceptsRequests() bool
	// AllowRequest reports whether a page may send a request.
	AllowRequest(r PageRequest) bool
	// AllowWindow reports whether a page may open one more window. open is how many tabs the
	// session has.
	AllowWindow(session string, open int) bool
}

// PageRequest is a request of a page, a worker or a service worker.
type PageRequest struct {
	// Session is the session of the page; "" where it is not known, as of a service worker while
	// several sessions have tabs.
	Session  string
	URL      string
	Document bool // of a tab or a frame; redirects are requests of their own
	Tab      string
	// MainFrame reports that the document is that of the tab.
	MainFrame bool
}

// AllRequests is the pattern that matches every request before it is sent.
const AllRequests = "*"

// commandTimeout bounds each command about a paused request that is not replayed.
const commandTimeout = 2 * time.Second

// Config says who decides about the requests of a browser.
type Config struct {
	Guard   Guard   // nil lets pages reach all addresses
	Traffic Traffic // nil neither replays nor records
	// BodyTimeout bounds the wait for the body of a recorded response; 0 means DefaultBodyTimeout.
	BodyTimeout time.Duration
	// Describe completes a request with the session and the tab of its frame.
	Describe func(frame cdp.FrameID, r *PageRequest)
	// OnRefusal is called when the navigation of a main frame is refused, before the page knows.
	OnRefusal func(frame cdp.FrameID, loader cdp.LoaderID)
}

// Judges reports whether a guard is asked about each request.
func (c *Config) Judges() bool { return c.Guard != nil && c.Guard.InterceptsRequests() }

// Interceptor decides about the requests of every page of a browser.
type Interceptor struct {
	Config

	conn cdp.Session     // with the browser itself
	base context.Context // ends with the browser
}

// New returns the interceptor of a browser, which does nothing before Enable. It works until base ends.
func New(base context.Context, conn cdp.Session, c Config) *Interceptor {
	if c.BodyTimeout == 0 {
		c.BodyTimeout = DefaultBodyTimeout
	}
	return &Interceptor{Config: c, conn: conn, base: base}
}

// Enable makes the browser ask about each request of every page: of tabs, frames, popups and
// workers, from their first one on. It asks through the session of the browser itself, so that no
// page has to be held and the rules of a tab are not in the way.
func (ic *Interceptor) Enable(ctx context.Context) error {
	if !ic.Judges() && ic.Traffic == nil {
		return nil
	}
	stage := fetch.RequestStageRequest
	params := fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: AllRequests, RequestStage: stage}}}
	if err := protocol.Exec(ctx, ic.conn, fetch.Enable, params); err != nil {
		return fmt.Errorf("intercept the requests of pages: %w", err)
	}
	return nil
}

// HandlePaused decides about one request. It runs on the goroutine that reads events.
func (ic *Interceptor) HandlePaused(ev *fetch.EventRequestPaused) {
	if ev.ResponseStatusCode != 0 || ev.ResponseErrorReason != "" {
		go ic.recordResponse(ev)
		return
	}
	r := PageRequest{URL: ev.Request.URL, Document: ev.ResourceType == network.ResourceTypeDocument}
	ic.Describe(ev.FrameID, &r)
	allowed := !ic.Judges() || ic.Guard.AllowRequest(r)
	if r.MainFrame && !allowed {
		ic.OnRefusal(ev.FrameID, cdp.LoaderID(ev.NetworkID))
	}
	go func() {
		if allowed && ic.handleTraffic(ev) {
			return
		}
		ctx, cancel := context.WithTimeout(ic.base, commandTimeout)
		defer cancel()
		// A command fails only for a request that its page has given up.
		if allowed {
			_ = protocol.Exec(ctx, ic.conn, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
			return
		}
		reason := network.ErrorReasonBlockedByClient
		if r.MainFrame {
			reason = network.ErrorReasonAborted // the tab keeps its document
		}
		_ = protocol.Exec(ctx, ic.conn, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: reason})
	}()
}

// Traffic replays or records the requests of every page of a browser that is launched here: of tabs,
// frames, popups and workers, from their first one on. The browser calls it from many goroutines; its
// methods must return quickly and must not call the browser.
type Traffic interface {
	// Replays reports whether Answer answers every request. The browser makes no connection then.
	Replays() bool
	// Answer returns the response of a request where Replays.
	Answer(r Request) Response
	// Record is called with each request that the network has answered where not Replays.
	Record(r Request, answer Response)
}

// Header is one header line. A name can occur several times.
type Header struct{ Name, Value string }

// Request is a request over HTTP. Each redirect is a request of its own.
type Request struct {
	Method, URL string // the URL has no fragment
	Type        string // CDP's resource type in lower case, such as document
	Headers     []Header
	Body        []byte    // without the content of files that are uploaded
	Paused      time.Time // when the browser asked about it; in a recording, at its response
}

// Response is the response to a request, of the network or of an interceptor.
type Response struct {
	Status      int // 0 for a request that failed
	StatusText  string
	Headers     []Header
	Body        []byte
	BodyOmitted string // why a recorded response has no body; "" if Body is the whole
	Failure     string // reason of CDP, such as Failed or ConnectionRefused
}

// DefaultBodyTimeout bounds the wait for the body of a recorded response.
const DefaultBodyTimeout = 30 * time.Second

// trafficTimeout bounds each command about a request that is replayed or recorded.
const trafficTimeout = 30 * time.Second

// recordedBodyLimit is the size of the largest body that is recorded, in bytes.
const recordedBodyLimit = 32 << 20

// handleTraffic replays a paused request, or lets it go on and has its response paused too. It reports
// whether it has handled the request.
func (ic *Interceptor) handleTraffic(ev *fetch.EventRequestPaused) bool {
	t := ic.Traffic
	if t == nil || !strings.HasPrefix(ev.Request.URL, "http:") && !strings.HasPrefix(ev.Request.URL, "https:") {
		return false
	}
	ctx, cancel := context.WithTimeout(ic.base, trafficTimeout)
	defer cancel()
	if t.Replays() {
		ic.replay(ctx, ev, t.Answer(requestOf(ev)))
		return true
	}
	yes := true
	return protocol.Exec(ctx, ic.conn, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID, InterceptResponse: &yes}) == nil
}

// replay answers a paused request. A command fails only for a request that its page has given up.
func (ic *Interceptor) replay(ctx context.Context, ev *fetch.EventRequestPaused, answer Response) {
	if answer.Status == 0 {
		reason := network.ErrorReason(answer.Failure)
		if reason == "" {
			reason = network.ErrorReasonFailed
		}
		_ = protocol.Exec(ctx, ic.conn, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: reason})
		return
	}
	params := fetch.FulfillRequestParams{
		RequestID: ev.RequestID, ResponseCode: int64(answer.Status), ResponsePhrase: answer.StatusText, Body: answer.Body,
	}
	if params.ResponsePhrase == "" {
		params.ResponsePhrase = http.StatusText(answer.Status)
	}
	for _, h := range answer.Headers {
		params.ResponseHeaders = append(params.ResponseHeaders, &fetch.HeaderEntry{Name: h.Name, Value: h.Value})
	}
	if protocol.Exec(ctx, ic.conn, fetch.FulfillRequest, params) != nil {
		_ = protocol.Exec(ctx, ic.conn, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: network.ErrorReasonFailed})
	}
}

// recordResponse records a paused response and lets it go on.
func (ic *Interceptor) recordResponse(ev *fetch.EventRequestPaused) {
	r := requestOf(ev)
	answer := Response{Status: int(ev.ResponseStatusCode), StatusText: ev.ResponseStatusText, Failure: string(ev.ResponseErrorReason)}
	for _, h := range ev.ResponseHeaders {
		answer.Headers = append(answer.Headers, Header{Name: h.Name, Value: h.Value})
	}
	if answer.BodyOmitted = omitsBody(&answer); answer.BodyOmitted == "" && answer.Failure == "" && !isRedirect(answer.Status) {
		body, err := ic.responseBody(ev.RequestID)
		if answer.Body = body; err != nil {
			answer.BodyOmitted = "the browser did not give it: " + err.Error()
		}
	}
	ic.Traffic.Record(r, answer)
	ctx, cancel := context.WithTimeout(ic.base, trafficTimeout) // the body may have used up its own time
	defer cancel()
	// A command fails only for a request that its page has given up.
	_ = protocol.Exec(ctx, ic.conn, fetch.ContinueResponse, fetch.ContinueResponseParams{RequestID: ev.RequestID})
}

func (ic *Interceptor) responseBody(id fetch.RequestID) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ic.base, ic.BodyTimeout)
	defer cancel()
	res, err := cdp.Call(ctx, ic.conn, fetch.GetResponseBody, fetch.GetResponseBodyParams{RequestID: id})
	if err != nil {
		return nil, err
	}
	if len(res.Body) > recordedBodyLimit {
		return nil, errors.New("it is too large")
	}
	return res.Body, nil
}

// omitsBody returns why a response is recorded without its body, or "". The page waits for the end of a
// body that is read, and an event stream has none.
func omitsBody(r *Response) string {
	for _, h := range r.Headers {
		switch name := strings.ToLower(h.Name); {
		case name == "content-type" && strings.HasPrefix(strings.ToLower(h.Value), "text/event-stream"):
			return "a stream of events"
		case name == "content-length":
			if n, err := strconv.Atoi(strings.TrimSpace(h.Value)); err == nil && n > recordedBodyLimit {
				return "it is too large"
			}
		}
	}
	return ""
}

func isRedirect(status int) bool {
	return slices.Contains([]int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect}, status)
}

func requestOf(ev *fetch.EventRequestPaused) Request {
	r := Request{Method: ev.Request.Method, URL: ev.Request.URL, Type: strings.ToLower(string(ev.ResourceType)), Paused: time.Now()}
	for _, name := range slices.Sorted(maps.Keys(ev.Request.Headers)) {
		if value, ok := ev.Request.Headers[name].(string); ok {
			r.Headers = append(r.Headers, Header{Name: name, Value: value})
		}
	}
	for _, part := range ev.Request.PostDataEntries {
		r.Body = append(r.Body, part.Bytes...)
	}
	return r
}
