package network

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/chromedp/cdproto/fetch"
	cdpnetwork "github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text"
)

// Action is the effect of a rule.
type Action string

// The actions. No later rule sees a request after Block or Fulfill.
const (
	Block          Action = "block"
	Fulfill        Action = "fulfill"
	ModifyRequest  Action = "modify_request"
	ModifyResponse Action = "modify_response"
	Delay          Action = "delay"
)

// Syntax is the syntax of a pattern.
type Syntax string

// The syntaxes: globs over the whole URL, and the web platform's URLPattern.
const (
	Glob       Syntax = "glob"
	URLPattern Syntax = "urlpattern"
)

// HeaderEdit sets or removes a header.
type HeaderEdit struct {
	Name, Value string
	Remove      bool
}

// Rule describes the treatment of matching requests.
type Rule struct {
	Action  Action
	Pattern string
	Syntax  Syntax
	Types   []string // of ResourceTypes; empty matches all

	URL, Method string              // of a modified request; "" leaves it unchanged
	Headers     []HeaderEdit        // of the request or response
	Status      int                 // of a fulfilled (0 is 200) or modified (0 leaves it unchanged) response
	Body        *string             // of the response, or of a modified request
	Delay       time.Duration       // before any other effect
	Shown       func(string) string // what Pattern may match of an address; nil is all of it

	// Set by the interceptor.
	ID   string
	Hits int

	matcher matcher
	removed chan struct{} // closed when the rule is removed
}

// replacesContent reports whether the caller decides what is loaded, which may be a script.
func (r *Rule) replacesContent() bool {
	return r.Action == Fulfill || r.Action == ModifyResponse || r.Action == ModifyRequest && r.URL != ""
}

// delayLimit is the longest delay.
const delayLimit = time.Minute

// ParseHeaderEdits parses lines of the form "Name: value", or "Name:" to remove a header.
func ParseHeaderEdits(lines []string) ([]HeaderEdit, error) {
	var out []HeaderEdit
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, fault.Invalid("header %q is not \"Name: value\"", text.ClipRunes(line, 80))
		}
		out = append(out, HeaderEdit{Name: name, Value: value, Remove: value == ""})
	}
	return out, nil
}

// validate checks a rule and compiles its pattern.
func (r *Rule) validate() error {
	var err error
	if r.matcher, err = newMatcher(r.Pattern, r.Syntax); err != nil {
		return err
	}
	if err := checkTypes(r.Types); err != nil {
		return err
	}
	request, response := r.Action == ModifyRequest, r.Action == Fulfill || r.Action == ModifyResponse
	switch {
	case r.Delay < 0 || r.Delay > delayLimit:
		return fault.Invalid("a delay is 0 to 60000 ms")
	case r.Status != 0 && (r.Status < 200 || r.Status > 599): // Chromium waits for another response after a 1xx
		return fault.Invalid("status %d is invalid: it is 200 to 599", r.Status)
	case r.URL != "" && !isHTTP(r.URL):
		return fault.Invalid("url %q is no http or https address", r.URL)
	case r.Method != "" && !httpguts.ValidHeaderFieldName(r.Method):
		return fault.Invalid("method %q is invalid", r.Method)
	case !request && (r.URL != "" || r.Method != ""):
		return fault.Invalid("url and method are for modify_request")
	case !response && r.Status != 0:
		return fault.Invalid("status is for fulfill and modify_response")
	case !request && !response && (len(r.Headers) > 0 || r.Body != nil):
		return fault.Invalid("headers and body are for fulfill, modify_request and modify_response")
	case request && r.URL == "" && r.Method == "" && len(r.Headers) == 0 && r.Body == nil:
		return fault.Invalid("modify_request changes nothing without url, method, headers or body")
	case r.Action == ModifyResponse && r.Status == 0 && len(r.Headers) == 0 && r.Body == nil:
		return fault.Invalid("modify_response changes nothing without status, headers or body")
	}
	r.removed = make(chan struct{})
	return nil
}

// matches reports whether the rule applies to a request.
func (r *Rule) matches(address string, kind cdpnetwork.ResourceType) bool {
	if len(r.Types) > 0 {
		name := resourceTypeName(kind)
		if !slices.Contains(ResourceTypes(), name) {
			name = "other"
		}
		// The browser calls a paused fetch an XHR, and what answers a request answers its preflight.
		scripted := kind == cdpnetwork.ResourceTypeXHR || kind == cdpnetwork.ResourceTypePreflight && r.Action == Fulfill
		if !slices.Contains(r.Types, name) && (!scripted || !slices.Contains(r.Types, "fetch") && !slices.Contains(r.Types, "xhr")) {
			return false
		}
	}
	return r.matcher.match(shown(r.Shown, address))
}

// String returns the rule in one line: r1 block *.png (image), used 3 times. It omits header
// values, which may be secrets.
func (r *Rule) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", r.ID, r.Action, r.Pattern)
	if r.Syntax == URLPattern {
		b.WriteString(" (URLPattern)")
	}
	if len(r.Types) > 0 {
		b.WriteString(" for " + strings.Join(r.Types, ", "))
	}
	add := func(format string, args ...any) { fmt.Fprintf(&b, "; "+format, args...) }
	if r.Delay > 0 {
		add("delay %d ms", r.Delay.Milliseconds())
	}
	if r.Method != "" {
		add("method %s", r.Method)
	}
	if r.URL != "" {
		add("to %s", RedactURL(r.URL))
	}
	if r.Status != 0 {
		add("status %d", r.Status)
	}
	for _, h := range r.Headers {
		if h.Remove {
			add("without %s", h.Name)
		} else {
			add("with %s", h.Name)
		}
	}
	if r.Body != nil {
		add("body of %d bytes", len(*r.Body))
	}
	add("used %d times", r.Hits)
	return b.String()
}

// editHeaders returns headers with edits applied. A name can occur several times in headers.
func editHeaders(headers []*fetch.HeaderEntry, edits []HeaderEdit) []*fetch.HeaderEntry {
	for _, e := range edits {
		headers = slices.DeleteFunc(slices.Clone(headers), func(h *fetch.HeaderEntry) bool {
			return strings.EqualFold(h.Name, e.Name)
		})
		if !e.Remove {
			headers = append(headers, &fetch.HeaderEntry{Name: e.Name, Value: e.Value})
		}
	}
	return headers
}

// fulfillParams returns the response of a rule with the action Fulfill.
func (r *Rule) fulfillParams(ev *fetch.EventRequestPaused) fetch.FulfillRequestParams {
	status, body := r.Status, ""
	if status == 0 || isPreflight(ev.Request) { // no other status of a preflight lets the request follow
		status = http.StatusOK
	}
	if r.Body != nil {
		body = *r.Body
	}
	own, cors := r.Headers, r.corsHeaders(ev.Request)
	if len(cors) > 0 { // they allow this request what a * would, which allows nothing where credentials are sent
		own = slices.DeleteFunc(slices.Clone(own), func(e HeaderEdit) bool {
			return e.Value == "*" && slices.ContainsFunc(cors, func(h *fetch.HeaderEntry) bool { return strings.EqualFold(h.Name, e.Name) })
		})
	}
	headers := slices.Concat(cors, []*fetch.HeaderEntry{{Name: "Content-Type", Value: guessContentType(body)}})
	return fetch.FulfillRequestParams{
		RequestID: ev.RequestID, ResponseCode: int64(status), ResponsePhrase: http.StatusText(status),
		ResponseHeaders: editHeaders(headers, slices.Concat(own, notStored)), Body: []byte(body),
	}
}

// notStored keeps what a rule makes of a response out of the caches: a document that is loaded when the rule is gone, or
// in another tab, would have it.
var notStored = []HeaderEdit{{Name: "Cache-Control", Value: "no-store"}}

// corsHeaders returns the headers by which a page of another origin may read a response; none for a request of its
// own origin.
func (r *Rule) corsHeaders(request *cdpnetwork.Request) []*fetch.HeaderEntry {
	origin, _ := request.Headers["Origin"].(string)
	if origin == "" || strings.HasPrefix(request.URL, origin+"/") {
		return nil
	}
	out := []*fetch.HeaderEntry{{Name: "Access-Control-Allow-Origin", Value: origin}, {Name: "Access-Control-Allow-Credentials", Value: "true"}}
	for asked, allows := range map[string]string{
		"Access-Control-Request-Method": "Access-Control-Allow-Methods", "Access-Control-Request-Headers": "Access-Control-Allow-Headers",
	} {
		if value, ok := request.Headers[asked].(string); ok {
			out = append(out, &fetch.HeaderEntry{Name: allows, Value: value})
		}
	}
	for _, h := range r.Headers {
		out = append(out, &fetch.HeaderEntry{Name: "Access-Control-Expose-Headers", Value: h.Name})
	}
	return out
}

// isPreflight reports whether a request asks, before another one, whether a page of another origin may send that.
func isPreflight(request *cdpnetwork.Request) bool {
	return request.Method == http.MethodOptions && request.Headers["Access-Control-Request-Method"] != nil
}

// guessContentType returns the content type of a body for which the rule sets none.
func guessContentType(body string) string {
	switch text := strings.TrimSpace(body); {
	case text != "" && json.Valid([]byte(text)):
		return "application/json"
	case strings.HasPrefix(text, "<"):
		return "text/html; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}
