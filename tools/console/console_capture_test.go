package console_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestConsoleCapture: nothing was switched on before the page began, and places are those of the
// sources.
func TestConsoleCapture(t *testing.T) {
	t.Parallel()
	// app.min.js:1:1 is src/app.ts:10:1, and its column 30 src/app.ts:20:5.
	const mapped = `{"version":3,"sources":["src/app.ts"],"names":[],"mappings":"AASA,6BAUI"}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/app.min.js":
			fmt.Fprint(w, "function fail(){/*345678901*/throw new Error('boom')}\nfor(let i=0;i<9;i++)console.log('tick '+i)\nsetTimeout(fail)\n//# sourceMappingURL=app.min.js.map")
		case "/app.min.js.map":
			fmt.Fprint(w, mapped)
		case "/inline.js":
			fmt.Fprint(w, "console.error('inline')\n//# sourceMappingURL=data:application/json;base64,"+base64.StdEncoding.EncodeToString([]byte(mapped)))
		default:
			fmt.Fprint(w, `<!doctype html><link rel=icon href=data:,><script>console.warn("first of all"); Promise.reject(new Error("nobody"))</script><script src=/app.min.js></script><script src=/inline.js></script>`)
		}
	}))
	defer func() { srv.CloseClientConnections(); srv.Close() }()
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": srv.URL})
	tooltest.Eventually(t, "both errors are recorded", func() bool {
		return strings.Contains(c.Call("console_capture", nil), "boom") && strings.Contains(c.Call("console_capture", nil), "nobody")
	})
	c.Expect("console_capture", nil, "3 errors, 1 warning, 9 others", "warning first of all", "log tick 8", "×9",
		"error Uncaught Error: boom ("+srv.URL+"/src/app.ts:20:5)", "error inline ("+srv.URL+"/src/app.ts:10:1)", "error Uncaught (in promise) Error: nobody")
	if text := c.Call("console_capture", tooltest.Args{"level": "error"}); strings.Contains(text, "tick") {
		t.Errorf("errors alone: %s", text)
	}
	if text := c.Expect("console_capture", tooltest.Args{"contains": "FIRST"}, "first of all"); strings.Contains(text, "boom") {
		t.Errorf("a part of them: %s", text)
	}
	c.Expect("console_capture", tooltest.Args{"limit": 1}, "older lines are left out")
	c.Expect("get_console_logs", tooltest.Args{"filter_level": "error", "limit": 10}, "boom")
	c.Call("navigate", tooltest.Args{"url": srv.URL + "/?2"})
	c.Expect("console_capture", tooltest.Args{"earlier": true, "limit": 400}, "first of all")
	c.Call("navigate", tooltest.Args{"url": strings.Replace(srv.URL, "127.0.0.1", "localhost", 1) + "/?3"}) // in another process
	c.Expect("console_capture", tooltest.Args{"all": true, "limit": 400}, "first of all")
	c.Expect("console_capture", tooltest.Args{"action": "clear"}, "cleared")
	c.Expect("console_capture", nil, "0 errors, 0 warnings, 0 others")
	c.ExpectRefusal("INVALID_ARGUMENTS", "console_capture", tooltest.Args{"limit": 0})
	c.ExpectRefusal("INVALID_ARGUMENTS", "console_capture", tooltest.Args{"level": "eror"}, "error")
	// A page that is stopped can still be read.
	c.Call("navigate", tooltest.Args{"url": srv.URL})
	c.Call("debugger_enable", nil)
	c.Call("debugger_pause", nil)
	c.ExpectRefusal("PAUSED", "javascript_tool", tooltest.Args{"code": "1"})
	c.Expect("console_capture", nil, "first of all")
	c.Call("debugger_disable", nil)
}
