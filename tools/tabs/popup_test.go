package tabs_test

import (
	"strings"
	"testing"

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
