package observer

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
)

// TestDataURLsAreClipped: a page may show any number of images of any size as data URLs.
func TestDataURLsAreClipped(t *testing.T) {
	t.Parallel()
	var log requestLog
	for _, url := range []string{"data:image/png;base64," + strings.Repeat("A", 1<<20), "https://a.example/?q=" + strings.Repeat("b", 3000)} {
		log.handleEvent(&network.EventRequestWillBeSent{Request: &network.Request{Method: "GET", URL: url}})
	}
	list, _ := log.since(0)
	if len(list) != 2 || len(list[0].URL) != maxDataURLBytes || len(list[1].URL) < 3000 {
		t.Errorf("%d requests, the first with %d bytes", len(list), len(list[0].URL))
	}
}
