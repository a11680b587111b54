package network

import (
	"context"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	cdpnetwork "github.com/chromedp/cdproto/network"
)

// matchingRules are the rules for a request, in order and up to the first that ends its way. used counts them.
func (i *Interceptor) matchingRules(ev *fetch.EventRequestPaused, used bool) []*Rule {
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
		if r.Action == Block || r.Action == Fulfill {
			break
		}
	}
	return out
}

// handleRequest decides about a request that the browser holds. Whatever goes wrong, the request goes on.
func (i *Interceptor) handleRequest(session cdp.Session, ev *fetch.EventRequestPaused) {
	if ev.ResponseStatusCode != 0 || ev.ResponseErrorReason != "" {
		i.handleResponse(session, ev)
		return
	}
	rules := i.matchingRules(ev, true)
	for _, r := range rules {
		r.wait(r.Delay)
	}
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	on := fetch.ContinueRequestParams{RequestID: ev.RequestID}
	var headers []*fetch.HeaderEntry
	for _, r := range rules {
		if r.isRemoved() {
			continue
		}
		switch r.Action {
		case Block:
			_ = call(ctx, session, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: cdpnetwork.ErrorReasonBlockedByClient})
			return
		case Fulfill:
			if call(ctx, session, fetch.FulfillRequest, r.fulfillParams(ev.RequestID)) == nil {
				return
			}
		case ModifyRequest:
			if len(r.Headers) > 0 {
				if headers == nil {
					headers = headerEntries(ev.Request.Headers)
				}
				headers = editHeaders(headers, r.Headers)
			}
			modifyRequest(&on, r)
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

func modifyRequest(on *fetch.ContinueRequestParams, r *Rule) {
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

func headerEntries(headers cdpnetwork.Headers) []*fetch.HeaderEntry {
	out := []*fetch.HeaderEntry{}
	for name, value := range headers {
		if text, ok := value.(string); ok {
			out = append(out, &fetch.HeaderEntry{Name: name, Value: text})
		}
	}
	return out
}

// wait waits while the rule exists.
func (r *Rule) wait(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.removed:
	}
}

func (r *Rule) isRemoved() bool {
	select {
	case <-r.removed:
		return true
	default:
		return false
	}
}

// handleResponse changes a response that the browser holds.
func (i *Interceptor) handleResponse(session cdp.Session, ev *fetch.EventRequestPaused) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	status, headers := ev.ResponseStatusCode, ev.ResponseHeaders
	var body *string
	changed := false
	if ev.ResponseErrorReason == "" && !isRedirect(ev) {
		for _, r := range i.matchingRules(ev, false) {
			if r.Action != ModifyResponse {
				continue
			}
			changed = true
			if r.Status != 0 {
				status = int64(r.Status)
			}
			headers = editHeaders(headers, r.Headers)
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
		headers = editHeaders(headers, []HeaderEdit{
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

// isRedirect reports whether a response sends the request elsewhere. That has no body, and its end is the next request's.
func isRedirect(ev *fetch.EventRequestPaused) bool {
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
