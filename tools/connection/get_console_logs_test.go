package connection_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestGetConsoleLogs(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<!doctype html><link rel=icon href=data:,><script>
for (let i = 0; i < 5; i++) console.log("item " + i);
console.warn("careful", {a: 1});
function broken() { nothing.here(); }
broken();
</script>`))
	}))
	t.Cleanup(srv.Close)
	c.Call("navigate", tooltest.Args{"url": srv.URL})
	c.Expect("get_console_logs", nil, "1 error, 1 warning, 5 other messages", "log item 4", "×5", `warning careful {a: 1}`,
		"error Uncaught ReferenceError: nothing is not defined", ":4:")
	c.Expect("get_console_logs", tooltest.Args{"expand_errors": true, "filter_level": "error"}, "at broken (", "at (anonymous) (")
	if text := c.Call("get_console_logs", tooltest.Args{"filter_level": "warning"}); strings.Contains(text, "item") {
		t.Errorf("the filter lets %q through", text)
	}
	c.Expect("get_console_logs", tooltest.Args{"limit": 1}, "2 older lines")
	c.Call("page_reload", nil)
	c.Expect("get_console_logs", tooltest.Args{"limit": 1}, "7 of pages before this one")
	c.ExpectRefusal("INVALID_ARGUMENTS", "get_console_logs", tooltest.Args{"filter_level": "warn"}, "warning")
}
