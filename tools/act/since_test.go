package act_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// Each answer begins with what happened since the one before, once.
func TestAnswersBeginWithEvents(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/file":
			w.Header().Set("Content-Disposition", "attachment; filename=report.pdf")
			fmt.Fprint(w, "12345")
		case "/":
			fmt.Fprint(w, `<!doctype html><title>Main</title><p>Text</p><button onclick="setTimeout(() => open('/third'), 1500)">Later</button>`)
		default:
			fmt.Fprintf(w, "<!doctype html><title>%s</title><p>Other</p>", r.URL.Path)
		}
	}))
	t.Cleanup(srv.Close)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": srv.URL})
	// An answer during which it happens may say so itself.
	begins := func(tool string, args tooltest.Args, want string) {
		t.Helper()
		tooltest.Eventually(t, "an answer says "+want, func() bool {
			return strings.Contains(tooltest.Text(c.Do(tool, args)), want)
		})
		if text := tooltest.Text(c.Do(tool, args)); strings.Contains(text, "since the last answer: ") {
			t.Errorf("again: %q", text)
		}
	}
	run := func(script string) {
		t.Helper()
		c.Call("javascript_tool", tooltest.Args{"code": script})
	}
	if text := c.Call("read_page", nil); strings.Contains(text, "since the last answer") {
		t.Errorf("nothing happened: %q", text)
	}
	neutral := tooltest.Args{"code": "1"}
	run("setTimeout(() => { history.pushState(0, '', '/pushed') }, 2000)")
	begins("javascript_tool", neutral, "went to "+srv.URL+"/pushed")
	run("setTimeout(() => { location = '/later' }, 2000)")
	begins("javascript_tool", neutral, "went to "+srv.URL+"/later; earlier refs are gone")
	run("setTimeout(() => { location = '/file' }, 2000)")
	tooltest.Eventually(t, "the answer begins with the download", func() bool {
		text := tooltest.Text(c.Do("javascript_tool", neutral))
		return strings.HasPrefix(text, "since the last answer: download d1 \"report.pdf\" done, 5 bytes")
	})
	run("setTimeout(() => { alert('Stop') }, 2000)")
	begins("chrome_list_connections", nil, "an alert dialog")
	c.Call("dialog", tooltest.Args{"accept": true})
}
