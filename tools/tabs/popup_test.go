package tabs_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// openedTab is the id of the tab that an action says it has opened.
func openedTab(t *testing.T, text string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "opened tab ")
	if !ok {
		t.Fatalf("no tab was opened: %s", text)
	}
	return tooltest.TabID(rest)
}

func TestPopups(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/windows"}))
	for _, name := range []string{`"Open"`, `"Blank"`, `"No opener"`, `"Opener"`, `"Popup"`, `"Detached"`} {
		ref := tooltest.Ref(t, c.Call("read_page", tooltest.Args{"tabId": tab}), name)
		child := openedTab(t, c.Expect("interact", tooltest.Args{"ref": ref, "tabId": tab}, "opened tab"))
		c.Expect("wait_for", tooltest.Args{"tabId": child, "type": "text", "value": "Second"}, "text after")
		c.Expect("tabs_close", tooltest.Args{"tabId": child}, "closed")
	}
	child := openedTab(t, c.Call("interact", tooltest.Args{"query": "Write", "tabId": tab}))
	c.Expect("read_page", tooltest.Args{"tabId": child}, "about:blank", "written by the opener")
	c.Expect("tabs_context", tooltest.Args{"summary": true}, `"tabCount":2`)
}

// A click that closes its own tab has succeeded.
func TestClickClosesItsTab(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/windows"}))
	child := openedTab(t, c.Call("interact", tooltest.Args{"query": "Closes"}))
	c.Expect("interact", tooltest.Args{"query": "Close me", "tabId": child}, `clicked button "Close me"`, "the tab has closed")
	c.Expect("read_page", tooltest.Args{"tabId": tab}, "Closes")
}

func TestTabClosedByItsPage(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/windows"}))
	child := openedTab(t, c.Call("interact", tooltest.Args{"query": "Short"}))
	c.ExpectRefusal("NO_TAB", "wait_for", tooltest.Args{"tabId": child, "type": "text", "value": "never"}, "closed")
	c.ExpectRefusal("NO_TAB", "read_page", tooltest.Args{"tabId": child}, "closed", tab)
}

// An action that opens a tab waits for the document of it, and so does a reading of an empty one; at most three seconds.
func TestOpenedTabHasItsDocument(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<!doctype html><a target=_blank href=/slow?link>Link</a><form target=_blank action=/slow><button>Send</button></form>
<button onclick="window.open('/slow?script')">Script</button>
<button onclick="const w = window.open(); setTimeout(() => { w.location = '/slow?later' }, 600)">Later</button>
<button onclick="const w = window.open('about:blank'); fetch('/slow').then(() => { w.location = '/slow?fetched' })">Fetched</button>
<button onclick="window.open().document.write('<p>Written')">Written</button>
<a target=_blank href=/never>Never</a>`)
		case "/never":
			<-release
		default:
			<-time.After(700 * time.Millisecond)
			fmt.Fprint(w, `<p>Arrived</p>`)
		}
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(release) })
	c := tooltest.Connect(t, toolkit.Options{})
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": srv.URL}))
	for name, address := range map[string]string{
		"Link": "/slow?link", "Send": "/slow?", "Script": "/slow?script", "Later": "/slow?later", "Fetched": "/slow?fetched", "Written": "", "Never": "(still loading)",
	} {
		text := c.Expect("interact", tooltest.Args{"query": name, "tabId": tab}, "opened tab", address)
		if child := openedTab(t, text); name != "Never" {
			c.Expect("read_page", tooltest.Args{"tabId": child}, map[bool]string{true: "Written", false: "Arrived"}[name == "Written"])
		}
	}
}
