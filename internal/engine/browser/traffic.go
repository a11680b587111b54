package browser

import (
	"context"
	"errors"
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

// Traffic replays or records the requests of every page of a browser that is launched here: of tabs,
// frames, popups and workers, from their first one on. The browser calls it from many goroutines; its
// methods must return quickly and must not call the browser.
type Traffic interface {
	// Replays reports whether Answer answers every request. The browser makes no connection then.
	Replays() bool
	// Answer returns the response of a request where Replays.
	Answer(r HTTPRequest) HTTPResponse
	// Record is called with each request that the network has answered where not Replays.
	Record(r HTTPRequest, answer HTTPResponse)
}

// HTTPHeader is one header line. A name can occur several times.
type HTTPHeader struct{ Name, Value string }

// HTTPRequest is a request over HTTP. Each redirect is a request of its own.
type HTTPRequest struct {
	Method, URL string // the URL has no fragment
	Type        string // CDP's resource type in lower case, such as document
	Headers     []HTTPHeader
	Body        []byte    // without the content of files that are uploaded
	Paused      time.Time // when the browser asked about it; in a recording, at its response
}

// HTTPResponse is what answers a request.
type HTTPResponse struct {
	Status      int // 0 for a request that failed
	StatusText  string
	Headers     []HTTPHeader
	Body        []byte
	BodyOmitted string // why a recorded response has no body; "" if Body is the whole
	Failure     string // reason of CDP, such as Failed or ConnectionRefused
}

// trafficTimeout bounds each command about a paused request, and how long the body of a recorded response may take.
const trafficTimeout = 30 * time.Second

// recordedBodyLimit is the size of the largest body that is recorded, in bytes.
const recordedBodyLimit = 32 << 20

// offlineSwitches let a browser connect nowhere: WebSockets are not intercepted.
func offlineSwitches() []string {
	return []string{
		"--host-resolver-rules=MAP * ~NOTFOUND", "--no-proxy-server",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--webrtc-ip-handling-policy=disable_non_proxied_udp",
	}
}

// replays reports whether no page may use the network.
func (c *Config) replays() bool { return c.Traffic != nil && c.Traffic.Replays() }

// handleTraffic replays a paused request, or lets it go on and has its response paused too. It reports
// whether it has handled the request.
func (ic *interceptor) handleTraffic(ev *fetch.EventRequestPaused) bool {
	t := ic.instance.owner.cfg.Traffic
	if t == nil || !strings.HasPrefix(ev.Request.URL, "http:") && !strings.HasPrefix(ev.Request.URL, "https:") {
		return false
	}
	ctx, cancel := context.WithTimeout(ic.instance.ctx, trafficTimeout)
	defer cancel()
	if t.Replays() {
		ic.replay(ctx, ev, t.Answer(requestOf(ev)))
		return true
	}
	yes := true
	return protocol.Exec(ctx, ic.instance.conn, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID, InterceptResponse: &yes}) == nil
}

// replay answers a paused request. A command fails only for a request that its page has given up.
func (ic *interceptor) replay(ctx context.Context, ev *fetch.EventRequestPaused, answer HTTPResponse) {
	if answer.Status == 0 {
		reason := network.ErrorReason(answer.Failure)
		if reason == "" {
			reason = network.ErrorReasonFailed
		}
		_ = protocol.Exec(ctx, ic.instance.conn, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: reason})
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
	if protocol.Exec(ctx, ic.instance.conn, fetch.FulfillRequest, params) != nil {
		_ = protocol.Exec(ctx, ic.instance.conn, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: network.ErrorReasonFailed})
	}
}

// recordResponse records a paused response and lets it go on.
func (ic *interceptor) recordResponse(ev *fetch.EventRequestPaused) {
	r := requestOf(ev)
	answer := HTTPResponse{Status: int(ev.ResponseStatusCode), StatusText: ev.ResponseStatusText, Failure: string(ev.ResponseErrorReason)}
	for _, h := range ev.ResponseHeaders {
		answer.Headers = append(answer.Headers, HTTPHeader{Name: h.Name, Value: h.Value})
	}
	if answer.BodyOmitted = omitsBody(&answer); answer.BodyOmitted == "" && answer.Failure == "" && !isRedirect(answer.Status) {
		body, err := ic.responseBody(ev.RequestID)
		if answer.Body = body; err != nil {
			answer.BodyOmitted = "the browser did not give it: " + err.Error()
		}
	}
	ic.instance.owner.cfg.Traffic.Record(r, answer)
	ctx, cancel := context.WithTimeout(ic.instance.ctx, trafficTimeout) // the body may have used up its own time
	defer cancel()
	// A command fails only for a request that its page has given up.
	_ = protocol.Exec(ctx, ic.instance.conn, fetch.ContinueResponse, fetch.ContinueResponseParams{RequestID: ev.RequestID})
}

func (ic *interceptor) responseBody(id fetch.RequestID) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ic.instance.ctx, ic.instance.owner.bodyTimeout)
	defer cancel()
	res, err := cdp.Call(ctx, ic.instance.conn, fetch.GetResponseBody, fetch.GetResponseBodyParams{RequestID: id})
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
func omitsBody(r *HTTPResponse) string {
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

func requestOf(ev *fetch.EventRequestPaused) HTTPRequest {
	r := HTTPRequest{Method: ev.Request.Method, URL: ev.Request.URL, Type: strings.ToLower(string(ev.ResourceType)), Paused: time.Now()}
	for _, name := range slices.Sorted(maps.Keys(ev.Request.Headers)) {
		if value, ok := ev.Request.Headers[name].(string); ok {
			r.Headers = append(r.Headers, HTTPHeader{Name: name, Value: value})
		}
	}
	for _, part := range ev.Request.PostDataEntries {
		r.Body = append(r.Body, part.Bytes...)
	}
	return r
}
