package browser

import (
	"fmt"
	"maps"
	"strings"

	"github.com/chromedp/cdproto/network"
)

// DocumentResponse is the response that the tab's document came in.
type DocumentResponse struct {
	Status int
	// Headers are the headers by lower-case name, without cookies. Values of a repeated header are
	// joined by a line feed.
	Headers map[string]string
}

// DocumentResponse returns the response of the present document. It is unknown for a document that
// came from the back/forward cache, without a request, or before the tab was attached.
func (t *Tab) DocumentResponse() (r DocumentResponse, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.frame.responses[t.frame.loader]
	if a == nil || a.headers == nil {
		return DocumentResponse{}, false
	}
	return DocumentResponse{Status: a.status, Headers: maps.Clone(a.headers)}, true
}

func headersByName(headers network.Headers) map[string]string {
	out := make(map[string]string, len(headers))
	for name, value := range headers {
		if name = strings.ToLower(name); name != "set-cookie" {
			out[name] = fmt.Sprint(value)
		}
	}
	return out
}
