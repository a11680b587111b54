package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestConsoleOfFramesOfOtherSites reads the console of a page whose frames have processes of their
// own, one in the other, before any reading of the page.
func TestConsoleOfFramesOfOtherSites(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		port := r.Host[strings.LastIndex(r.Host, ":"):]
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><link rel=icon href=data:,>`)
		switch r.URL.Path {
		case "/":
			fmt.Fprintf(w, `<h1>Top</h1><iframe src="http://localhost%s/outer"></iframe>`, port)
		case "/outer":
			fmt.Fprintf(w, `<script>console.warn("outer warns"); setTimeout(() => { throw new Error("outer throws", {cause: new TypeError("root of it")}) })</script>
<button onclick="throw new Error('clicked it')">Fail</button><iframe src="http://third.localhost%s/inner"></iframe>`, port)
		case "/inner":
			fmt.Fprint(w, `<script>console.error("inner fails", new Error("late", {cause: "a word"}))</script>`)
		}
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": srv.URL})
	wants := []string{"warning outer warns", "Uncaught Error: outer throws", "[cause: TypeError: root of it]", "error inner fails Error: late", "[cause: \"a word\"]"}
	tooltest.Eventually(t, "the messages of both frames", func() bool {
		text := c.Call("console_capture", nil)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				return false
			}
		}
		return true
	})
	c.Expect("console_capture", nil, "2 errors, 1 warning, 0 others")
	c.Expect("get_console_logs", nil, "outer throws", "inner fails")
	c.Expect("interact", tooltest.Args{"query": "Fail"}, "error: Uncaught Error: clicked it")
	c.Expect("console_capture", nil, "3 errors, 1 warning, 0 others", "clicked it")
	// A frame that is loaded again repeats nothing.
	c.Call("page_reload", nil)
	tooltest.Eventually(t, "the messages of the new frames", func() bool {
		return strings.Contains(c.Call("console_capture", nil), "2 errors, 1 warning, 0 others")
	})
}
