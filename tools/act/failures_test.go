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

// The result of an action names the errors and the failed requests that it caused.
func TestActionReportsFailures(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `<!doctype html><title>Failures</title><script>console.error("before the click")</script>
<button onclick="null.x">Throw</button><button onclick="console.error('not saved', new Error('disk', {cause: new TypeError('full')}))">Log</button>
<button onclick="setTimeout(() => { throw new RangeError('late') }, 50)">Late</button><button onclick="Promise.reject(new Error('refused'))">Reject</button>
<button onclick="fetch('/save?token=1', {method: 'POST'})">Save</button><button onclick="fetch('http://127.0.0.1:1/x').catch(() => 0)">Unreachable</button>
<button onclick="for (let i = 0; i < 9; i++) console.error('number ' + i, i)">Many</button><button onclick="const c = new AbortController(); fetch('/', {signal: c.signal}).catch(() => 0); c.abort()">Abort</button>`)
	}))
	t.Cleanup(srv.Close)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": srv.URL})
	for query, want := range map[string]string{
		"Throw": "\nerror: Uncaught TypeError: Cannot read properties of null", "Log": "\nconsole error: not saved Error: disk [cause: TypeError: full]",
		"Late": "\nerror: Uncaught RangeError: late", "Reject": "\nerror: Uncaught (in promise) Error: refused",
		"Save": "\nrequest failed: POST " + srv.URL + "/save 503", "Unreachable": "\nrequest failed: GET http://127.0.0.1:1/x net::ERR_",
		"Many": "\n6 more errors",
	} {
		text := c.Expect("interact", tooltest.Args{"query": query}, want)
		if strings.Contains(text, "before the click") || strings.Contains(text, "token") {
			t.Errorf("%s says %q", query, text)
		}
	}
	if text := c.Call("interact", tooltest.Args{"query": "Abort"}); strings.Contains(text, "failed") || strings.Contains(text, "error") {
		t.Errorf("a request that the page aborted: %q", text)
	}
}
