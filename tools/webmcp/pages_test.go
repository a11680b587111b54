package webmcp_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// testPages serves the pages of testdata at their names, and a page without tools at every other address.
func testPages(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		page, err := os.ReadFile("testdata" + r.URL.Path + ".html")
		if err != nil {
			page = []byte("<!doctype html><title>plain</title><p>nothing")
		}
		_, _ = w.Write(page) // a browser that has gone reads nothing
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// inBothEras runs a test with a client that has a session, and with one that has none.
func inBothEras(t *testing.T, s *tooltest.Server, run func(t *testing.T, c tooltest.Client, listed bool)) {
	t.Helper()
	for era, revision := range map[string]string{"session": tooltest.SessionRevision, "stateless": ""} {
		t.Run(era, func(t *testing.T) {
			c := s.Connect(t.Name(), revision, nil)
			c.T = t
			run(t, c, era == "session")
		})
	}
}

// openPage loads a page and waits until its script has registered its tools. Without the feature in the browser
// the test is skipped, and fails in CI.
func openPage(t *testing.T, c tooltest.Client, address string) {
	t.Helper()
	c.Call("navigate", tooltest.Args{"url": address})
	tooltest.NeedWebMCP(t, c.Call("javascript_tool", tooltest.Args{"code": "typeof document.modelContext"}))
	evaluate(c, "typeof ready == 'undefined' || await ready, 'done'")
}

func evaluate(c tooltest.Client, code string) string {
	return c.Call("javascript_tool", tooltest.Args{"code": code})
}

// offered returns the handles of the tools of the page once it offers a tool, by name.
func offered(t *testing.T, c tooltest.Client, name string) map[string]string {
	t.Helper()
	var h map[string]string
	tooltest.Eventually(t, "the page offers "+name, func() bool {
		h = handles(t, c)
		return h[name] != ""
	})
	return h
}

// call is a call of a tool of the page by its handle.
func call(handle string, arguments tooltest.Args) tooltest.Args {
	out := tooltest.Args{"action": "call", "handle": handle, "timeout": 120_000}
	if arguments != nil {
		out["arguments"] = arguments
	}
	return out
}

var fenced = regexp.MustCompile(`(?s)<page ([0-9a-z]+)>.*?</page ([0-9a-z]+)>`)

// checkFence fails the test where a text has words of the page outside of a fence, or characters that hide.
func checkFence(t *testing.T, text, words string) {
	t.Helper()
	if outside := fenced.ReplaceAllString(text, ""); strings.Contains(outside, words) || strings.Contains(outside, "<page") || strings.Contains(outside, "</page") {
		t.Errorf("words of the page stand outside of the fence:\n%s", text)
	}
	if i := strings.IndexAny(text, "\u200b\u202e\u2066\ufeff\U000e0041"); i >= 0 {
		t.Errorf("a hidden character is shown: %q", text[i:min(i+20, len(text))])
	}
}

// allowing starts a server that allows every call of a tool of a page.
func allowing(t *testing.T) *tooltest.Server { return server(t, allowed) }
