package network_test

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

// TestUnreadBodyIsNotEmpty asks for bodies before, while and after they arrive.
func TestUnreadBodyIsNotEmpty(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><link rel=icon href=data:,>`)
		case "/slow":
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, "the beginning, ")
			_ = http.NewResponseController(w).Flush()
			<-release
			fmt.Fprint(w, "the end")
		case "/nothing":
			w.Header().Set("Content-Type", "text/plain")
		}
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": srv.URL})
	number := func(path string) json.Number {
		text := c.Call("network_capture_full", tooltest.Args{"action": "get"})
		return json.Number(regexp.MustCompile(`(\d+) GET \S+` + path + `\b`).FindStringSubmatch(text)[1])
	}
	c.Call("javascript_tool", tooltest.Args{"code": `await fetch("/nothing"); 0`})
	if text := c.Call("network_capture_full", tooltest.Args{"action": "get"}); !strings.Contains(text, "/nothing") {
		t.Errorf("without a capture: %s", text)
	}
	c.Call("network_capture_full", tooltest.Args{"action": "start"})
	c.Call("javascript_tool", tooltest.Args{"code": `window.done = fetch("/slow").then(r => r.text()); await fetch("/nothing").then(r => r.text()); 0`})
	slow := number("/slow")
	c.Expect("network_capture_full", tooltest.Args{"action": "get", "number": slow}, "the body has not arrived yet")
	close(release)
	c.ExpectScript("await done", "the beginning, the end")
	tooltest.Eventually(t, "the body is read", func() bool {
		text := c.Call("network_capture_full", tooltest.Args{"action": "get", "number": slow})
		if strings.Contains(text, "empty body") {
			t.Fatalf("a body that is not read yet: %s", text)
		}
		return strings.Contains(text, "body: the beginning, the end")
	})
	tooltest.Eventually(t, "an empty body is empty", func() bool {
		return strings.Contains(c.Call("network_capture_full", tooltest.Args{"action": "get", "number": number("/nothing")}), "empty body")
	})
}
