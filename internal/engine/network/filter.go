package network

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text"
)

// Filter selects entries of a capture.
type Filter struct {
	URL    string // substring of the URL, or a glob over the whole URL; "" matches all
	Status string // 404, 4xx, failed or ok; "" matches all
	Types  []string

	Since       int                 // entries with a higher number
	Method      string              // ignoring case; "" matches all
	Pattern     *regexp.Regexp      // of the URL; nil matches all
	Shown       func(string) string // what a pattern may match of a text; nil is all of it
	MinBytes    int64               // bytes on the wire
	MinDuration time.Duration
}

// selects reports whether an entry passes what the filter says beside URL, status and type.
func (f Filter) selects(e Entry) bool {
	return e.Number > f.Since && (f.Method == "" || strings.EqualFold(f.Method, e.Method)) &&
		(f.Pattern == nil || f.Pattern.MatchString(shown(f.Shown, e.URL))) && e.Transferred >= f.MinBytes && e.Duration >= f.MinDuration
}

// Select returns the matching entries, oldest first. An invalid filter is an error.
func (f Filter) Select(entries []Entry) ([]Entry, error) {
	if err := checkTypes(f.Types); err != nil {
		return nil, err
	}
	hasStatus, err := f.statusPredicate()
	if err != nil {
		return nil, err
	}
	out := []Entry{}
	for _, e := range entries {
		address := e.URL
		if f.URL != "" {
			address = shown(f.Shown, address)
		}
		hasURL := strings.Contains(address, f.URL)
		if strings.Contains(f.URL, "*") {
			hasURL = glob(f.URL).match(address)
		}
		if hasURL && f.selects(e) && hasStatus(e) && (len(f.Types) == 0 || slices.Contains(f.Types, e.Type)) {
			out = append(out, e)
		}
	}
	return out, nil
}

func shown(redact func(string) string, text string) string {
	if redact == nil {
		return text
	}
	return redact(text)
}

func (f Filter) statusPredicate() (func(Entry) bool, error) {
	s := strings.ToLower(f.Status)
	n, err := strconv.Atoi(s)
	switch {
	case s == "":
		return func(Entry) bool { return true }, nil
	case s == "failed": // without a response, or with an error status
		return func(e Entry) bool { return e.Failure != "" || e.Status >= 400 }, nil
	case s == "ok":
		return func(e Entry) bool { return e.Failure == "" && e.Status >= 200 && e.Status < 400 }, nil
	case err == nil && n >= 100 && n <= 599:
		return func(e Entry) bool { return e.Status == n }, nil
	case len(s) == 3 && strings.HasSuffix(s, "xx") && s[0] >= '1' && s[0] <= '5':
		return func(e Entry) bool { return e.Status/100 == int(s[0]-'0') }, nil
	}
	return nil, fault.Invalid(
		"status %q is invalid: give one such as 404, a class such as 4xx, failed or ok", f.Status)
}

// Redact returns the entry without secrets. It recognizes them by the names of headers, URL
// parameters, form fields and JSON members.
func (e Entry) Redact() Entry {
	e.URL, e.RedirectURL = RedactURL(e.URL), RedactURL(e.RedirectURL)
	clean := func(headers []Header) []Header {
		return slicesx.List(headers, func(h Header) Header { return Header{h.Name, RedactHeader(h.Name, h.Value)} })
	}
	sent := headerValue(e.RequestHeaders, "content-type")
	e.RequestHeaders, e.ResponseHeader = clean(e.RequestHeaders), clean(e.ResponseHeader)
	e.PostData = redactText(e.PostData, sent)
	if IsText(e.MIME) {
		e.Body = []byte(redactText(string(e.Body), e.MIME))
	}
	return e
}

func headerValue(headers []Header, name string) string {
	for _, h := range headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// IsText reports whether a body of this type is text.
func IsText(mime string) bool {
	mime = strings.ToLower(mime)
	for _, part := range []string{"text/", "json", "xml", "javascript", "ecmascript", "x-www-form-urlencoded"} {
		if strings.Contains(mime, part) {
			return true
		}
	}
	return false
}

// String returns the entry in one line: 3 GET https://… 200 application/json 1.2 kB 34 ms.
func (e Entry) String() string {
	var b strings.Builder
	address := text.ClipRunes(e.URL, 300)
	if address == "" {
		address = "(opened before the capture)"
	}
	fmt.Fprintf(&b, "%d %s %s %s", e.Number, e.Method, address, e.Type)
	switch {
	case e.Failure != "" && e.Canceled:
		b.WriteString(" canceled: " + e.Failure)
	case e.Failure != "":
		b.WriteString(" failed: " + e.Failure)
	case e.Status == 0:
		b.WriteString(" no answer yet")
	default:
		fmt.Fprintf(&b, " %d", e.Status)
		if e.MIME != "" && e.RedirectURL == "" {
			b.WriteString(" " + e.MIME)
		}
	}
	if e.RedirectURL != "" {
		b.WriteString(" → " + text.ClipRunes(e.RedirectURL, 200))
	}
	if e.FromCache {
		b.WriteString(" cached")
	}
	if e.Transferred > 0 {
		b.WriteString(" " + text.Bytes(e.Transferred))
	}
	if e.Duration > 0 {
		fmt.Fprintf(&b, " %d ms", e.Duration.Milliseconds())
	}
	return b.String()
}
