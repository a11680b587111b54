package tools_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// TestConsoleCapture: nothing was switched on before the page began, and places are those of the sources.
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
	c := connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": srv.URL})
	eventually(t, "both errors are recorded", func() bool {
		return strings.Contains(c.call("console_capture", nil), "boom") && strings.Contains(c.call("console_capture", nil), "nobody")
	})
	c.says("console_capture", nil, "3 errors, 1 warnings, 9 others", "warning first of all", "log tick 8", "×9",
		"error Uncaught Error: boom ("+srv.URL+"/src/app.ts:20:5)", "error inline ("+srv.URL+"/src/app.ts:10:1)", "error Uncaught (in promise) Error: nobody")
	if text := c.call("console_capture", args{"level": "error"}); strings.Contains(text, "tick") {
		t.Errorf("errors alone: %s", text)
	}
	if text := c.says("console_capture", args{"contains": "FIRST"}, "first of all"); strings.Contains(text, "boom") {
		t.Errorf("a part of them: %s", text)
	}
	c.says("console_capture", args{"limit": 1}, "older lines are left out")
	c.says("get_console_logs", args{"filter_level": "error", "limit": 10}, "boom")
	c.call("navigate", args{"url": srv.URL + "/?2"})
	c.says("console_capture", args{"earlier": true, "limit": 400}, "first of all")
	c.says("console_capture", args{"action": "clear"}, "cleared")
	c.says("console_capture", nil, "0 errors, 0 warnings, 0 others")
	c.refused("INVALID_ARGUMENTS", "console_capture", args{"limit": 0})
	c.refused("INVALID_ARGUMENTS", "console_capture", args{"level": "eror"}, "error")
	// A page that is stopped can still be read.
	c.call("navigate", args{"url": srv.URL})
	c.call("debugger_enable", nil)
	c.call("debugger_pause", nil)
	c.refused("PAUSED", "javascript_tool", args{"code": "1"})
	c.says("console_capture", nil, "first of all")
	c.call("debugger_disable", nil)
}
