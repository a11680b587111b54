package webmcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// framedSite has a page with a tool, and frames with one of the same name: of the same origin, and of another
// one that the page trusts with tools.
func framedSite(t *testing.T) string {
	t.Helper()
	const script = `<script>document.modelContext.registerTool({ name: 'where', description: 'Says where', execute() { return 'in ' + location.pathname + ' of ' + location.hostname } })</script>`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, port, _ := strings.Cut(r.Host, ":")
		switch r.URL.Path {
		case "/framed":
			fmt.Fprintf(w, `<!doctype html><title>framed</title>%s<iframe id="other" allow="tools *" src="http://localhost:%s/frame"></iframe>`, script, port)
		case "/asks":
			fmt.Fprint(w, `<!doctype html><title>asks</title><script>document.modelContext.registerTool({ name: 'ask', description: 'Asks', execute() { return 'said ' + confirm('sure?') } })</script>`)
		default:
			fmt.Fprint(w, "<!doctype html><title>frame</title>"+script)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestFramesOfOtherOrigins offers the tools of an out-of-process frame beside those of the page: each under its
// origin while both are there, and gone with the frame.
func TestFramesOfOtherOrigins(t *testing.T) {
	t.Parallel()
	c, changed := follower(server(t, allowed), t.Name())
	open(t, c, site(t))
	url := framedSite(t)
	_, port, _ := strings.Cut(strings.TrimPrefix(url, "http://"), ":")
	c.Call("navigate", tooltest.Args{"url": url + "/framed"})
	outer, inner := entry("127_0_0_1_"+port+"_where"), entry("localhost_"+port+"_where")
	await(t, c, changed, inner, true)
	c.Expect(outer, nil, "in /framed of 127.0.0.1")
	c.Expect(inner, nil, "in /frame of localhost")
	c.Call("javascript_tool", tooltest.Args{"code": "other.remove()"})
	await(t, c, changed, entry("where"), true)
	c.Expect(entry("where"), nil, "in /framed of 127.0.0.1")
}

// TestDialogsOfTools ends a call that a dialog stops, like every other call on the page.
func TestDialogsOfTools(t *testing.T) {
	t.Parallel()
	c := server(t, allowed).Connect(t.Name(), tooltest.SessionRevision, nil)
	open(t, c, site(t))
	c.Call("navigate", tooltest.Args{"url": framedSite(t) + "/asks"})
	c.ExpectRefusal("DIALOG_OPEN", "page_tool", tooltest.Args{"action": "call", "handle": offered(t, c, "ask")["ask"]}, "sure?")
	c.Call("dialog", tooltest.Args{"accept": true})
	if text := c.Call("page_tool", nil); !strings.Contains(text, "handle ask#") {
		t.Errorf("after the dialog: %s", text)
	}
}
