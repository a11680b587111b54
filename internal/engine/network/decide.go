package network

import (
	"context"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	cdpnetwork "github.com/chromedp/cdproto/network"
)

// matching are the rules for a request, in order and up to the first that ends its way. used counts them.
func (i *Interceptor) matching(ev *fetch.EventRequestPaused, used bool) []*Rule {
	i.mu.Lock()
	defer i.mu.Unlock()
	var out []*Rule
	for _, r := range i.rules {
		if !r.matches(ev.Request.URL, ev.ResourceType) {
			continue
		}
		if used {
			r.Hits++
		}
		out = append(out, r)
		if r.Do == Block || r.Do == Fulfill {
			break
		}
	}
	return out
}

// handle decides about a request that the browser holds. Whatever goes wrong, the request goes on.
func (i *Interceptor) handle(session cdp.Session, ev *fetch.EventRequestPaused) {
	if ev.ResponseStatusCode != 0 || ev.ResponseErrorReason != "" {
		i.respond(session, ev)
		return
	}
	rules := i.matching(ev, true)
	for _, r := range rules {
		r.hold(r.Delay)
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	on := fetch.ContinueRequestParams{RequestID: ev.RequestID}
	var headers []*fetch.HeaderEntry
	for _, r := range rules {
		if r.over() {
			continue
		}
		switch r.Do {
		case Block:
			_ = call(ctx, session, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: cdpnetwork.ErrorReasonBlockedByClient})
			return
		case Fulfill:
			if call(ctx, session, fetch.FulfillRequest, r.answer(ev.RequestID)) == nil {
				return
			}
		case ModifyRequest:
			if len(r.Headers) > 0 {
				if headers == nil {
					headers = entries(ev.Request.Headers)
				}
				headers = edit(headers, r.Headers)
			}
			modify(&on, r)
		case ModifyResponse:
			yes := true
			on.InterceptResponse = &yes
		case Delay:
		}
	}
	on.Headers = headers
	if call(ctx, session, fetch.ContinueRequest, on) != nil {
		_ = call(ctx, session, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID}) // unchanged, rather than never
	}
}

func modify(on *fetch.ContinueRequestParams, r *Rule) {
	if r.URL != "" {
		on.URL = r.URL
	}
	if r.Method != "" {
		on.Method = strings.ToUpper(r.Method)
	}
	if r.Body != nil {
		on.PostData = []byte(*r.Body)
	}
}

func entries(headers cdpnetwork.Headers) []*fetch.HeaderEntry {
	out := []*fetch.HeaderEntry{}
	for name, value := range headers {
		if text, ok := value.(string); ok {
			out = append(out, &fetch.HeaderEntry{Name: name, Value: text})
		}
	}
	return out
}

// hold waits while the rule exists.
func (r *Rule) hold(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.gone:
	}
}

func (r *Rule) over() bool {
	select {
	case <-r.gone:
		return true
	default:
		return false
	}
}

// respond changes a response that the browser holds.
func (i *Interceptor) respond(session cdp.Session, ev *fetch.EventRequestPaused) {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	status, headers := ev.ResponseStatusCode, ev.ResponseHeaders
	var body *string
	changed := false
	if ev.ResponseErrorReason == "" && !redirects(ev) {
		for _, r := range i.matching(ev, false) {
			if r.Do != ModifyResponse {
				continue
			}
			changed = true
			if r.Status != 0 {
				status = int64(r.Status)
			}
			headers = edit(headers, r.Headers)
			if r.Body != nil {
				body = r.Body
			}
		}
	}
	var err error
	switch {
	case !changed:
		err = call(ctx, session, fetch.ContinueResponse, fetch.ContinueResponseParams{RequestID: ev.RequestID})
	case body == nil:
		err = call(ctx, session, fetch.ContinueResponse, fetch.ContinueResponseParams{RequestID: ev.RequestID, ResponseCode: status, ResponseHeaders: headers})
	default:
		headers = edit(headers, []Edit{
			{Name: "Content-Length", Remove: true}, {Name: "Content-Encoding", Remove: true}, {Name: "Transfer-Encoding", Remove: true},
		})
		err = call(ctx, session, fetch.FulfillRequest, fetch.FulfillRequestParams{
			RequestID: ev.RequestID, ResponseCode: status, ResponseHeaders: headers, Body: []byte(*body),
		})
	}
	if err != nil {
		_ = call(ctx, session, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID}) // unchanged, rather than never
	}
}

// redirects reports whether a response sends the request elsewhere. That has no body, and its end is the next request's.
func redirects(ev *fetch.EventRequestPaused) bool {
	if ev.ResponseStatusCode < 300 || ev.ResponseStatusCode > 399 {
		return false
	}
	for _, h := range ev.ResponseHeaders {
		if strings.EqualFold(h.Name, "Location") {
			return true
		}
	}
	return false
}
