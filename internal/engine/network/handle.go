package network

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	cdpnetwork "github.com/chromedp/cdproto/network"
)

// matchingRules returns the rules for a request in order, up to the first that blocks or fulfills
// it. count adds to their hits.
func (i *Interceptor) matchingRules(ev *fetch.EventRequestPaused, count bool) []*Rule {
	i.mu.Lock()
	defer i.mu.Unlock()
	var out []*Rule
	for _, r := range i.rules {
		if !r.matches(ev.Request.URL, ev.ResourceType) {
			continue
		}
		if count {
			r.Hits++
		}
		out = append(out, r)
		if r.Action == Block || r.Action == Fulfill {
			break
		}
	}
	return out
}

// handleRequest applies the rules to a paused request. If a command fails, the request continues
// unchanged.
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
	params := fetch.ContinueRequestParams{RequestID: ev.RequestID}
	var headers []*fetch.HeaderEntry
	for _, r := range rules {
		if r.isRemoved() {
			continue
		}
		switch r.Action {
		case Block:
			_ = call(ctx, session, fetch.FailRequest, fetch.FailRequestParams{
				RequestID: ev.RequestID, ErrorReason: cdpnetwork.ErrorReasonBlockedByClient,
			})
			return
		case Fulfill:
			if call(ctx, session, fetch.FulfillRequest, r.fulfillParams(ev)) == nil {
				return
			}
		case ModifyRequest:
			if len(r.Headers) > 0 {
				if headers == nil {
					headers = headerEntries(ev.Request.Headers)
				}
				headers = editHeaders(headers, r.Headers)
				if slices.ContainsFunc(r.Headers, func(e HeaderEdit) bool { return e.Remove && strings.EqualFold(e.Name, "Cookie") }) {
					headers = append(headers, &fetch.HeaderEntry{Name: "Cookie"})
				}
			}
			modifyRequest(&params, r)
		case ModifyResponse:
			yes := true
			params.InterceptResponse = &yes
		case Delay:
		}
	}
	params.Headers = headers
	if call(ctx, session, fetch.ContinueRequest, params) != nil {
		// The request continues unchanged.
		_ = call(ctx, session, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
	}
}

func modifyRequest(params *fetch.ContinueRequestParams, r *Rule) {
	if yes := r.URL != ""; yes {
		params.URL, params.InterceptResponse = r.URL, &yes
	}
	if r.Method != "" {
		params.Method = strings.ToUpper(r.Method)
	}
	if r.Body != nil {
		params.PostData = []byte(*r.Body)
	}
}

func headerEntries(headers cdpnetwork.Headers) []*fetch.HeaderEntry {
	out := []*fetch.HeaderEntry{}
	for name, value := range headers {
		// The browser sends the cookies of the moment at which the request leaves, unless it is given others.
		if text, ok := value.(string); ok && !strings.EqualFold(name, "Cookie") {
			out = append(out, &fetch.HeaderEntry{Name: name, Value: text})
		}
	}
	return out
}

// wait waits for d or until the rule is removed.
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

// handleResponse applies the rules to a paused response.
func (i *Interceptor) handleResponse(session cdp.Session, ev *fetch.EventRequestPaused) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	status, headers := ev.ResponseStatusCode, ev.ResponseHeaders
	var body *string
	changed := i.redirects() // the response can be that of another address
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
	if changed {
		headers = editHeaders(headers, notStored)
	}
	var err error
	switch {
	case !changed:
		err = call(ctx, session, fetch.ContinueResponse, fetch.ContinueResponseParams{RequestID: ev.RequestID})
	case body == nil:
		err = call(ctx, session, fetch.ContinueResponse, fetch.ContinueResponseParams{
			RequestID: ev.RequestID, ResponseCode: status, ResponseHeaders: headers,
		})
	default:
		headers = editHeaders(headers, []HeaderEdit{
			{Name: "Content-Length", Remove: true}, {Name: "Content-Encoding", Remove: true},
			{Name: "Transfer-Encoding", Remove: true},
		})
		err = call(ctx, session, fetch.FulfillRequest, fetch.FulfillRequestParams{
			RequestID: ev.RequestID, ResponseCode: status, ResponseHeaders: headers, Body: []byte(*body),
		})
	}
	if err != nil {
		// The request continues unchanged.
		_ = call(ctx, session, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
	}
}

// redirects reports whether a rule sends requests to another address.
func (i *Interceptor) redirects() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.ContainsFunc(i.rules, func(r *Rule) bool { return r.Action == ModifyRequest && r.URL != "" })
}

// isRedirect reports whether a response is a redirect, which has no body to modify.
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
