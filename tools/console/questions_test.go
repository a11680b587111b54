package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestConsoleQuestions asks for messages after a number, by expression, source and script, and for one
// of them.
func TestConsoleQuestions(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><link rel=icon href=data:,><script src=/app.js></script><img src=/gone>`)
		case "/app.js":
			fmt.Fprint(w, "function warn() { console.warn('order 17 is late') }\nfunction check() { warn() }\ncheck(); console.log('done'); for (let i = 0; i < 3; i++) console.info('again')")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": srv.URL})
	tooltest.Eventually(t, "the failed request is recorded", func() bool { return strings.Contains(c.Call("console_capture", nil), "404") })
	text := c.Expect("console_capture", nil, "1 error, 1 warning, 4 others", "warning order 17 is late", "info again", "×3")
	number := func(of string) json.Number {
		return json.Number(regexp.MustCompile(`(?m)^(\d+) ` + of).FindStringSubmatch(text)[1])
	}
	only := func(a tooltest.Args, want string, others ...string) {
		t.Helper()
		text := c.Expect("console_capture", a, want)
		for _, other := range others {
			if strings.Contains(text, other) {
				t.Errorf("%v shows %s too: %s", a, other, text)
			}
		}
	}
	only(tooltest.Args{"since": number("log done")}, "info again", "log done", "late")
	only(tooltest.Args{"pattern": `order \d+ is`}, "late", "done", "404")
	only(tooltest.Args{"source": "network"}, "404", "done", "late")
	only(tooltest.Args{"url": "/app.js"}, "late", "404")
	c.Expect("console_capture", tooltest.Args{"number": number("warning order")}, "warning order 17 is late", "from console", "at warn ("+srv.URL+"/app.js:1:27)", "at check ("+srv.URL+"/app.js:2:20)", "(anonymous)")
	c.Expect("console_capture", tooltest.Args{"number": number("info again")}, "info again", "×3")
	c.ExpectRefusal("NOT_FOUND", "console_capture", tooltest.Args{"number": 9999}, "9999")
	c.ExpectRefusal("INVALID_ARGUMENTS", "console_capture", tooltest.Args{"pattern": "("}, "regular expression")
}
