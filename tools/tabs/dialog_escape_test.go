package tabs_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

const endlessAlerts = "setTimeout(() => { while (true) alert('again') }, 0)"

// openEndlessAlerts loads a page and waits until its script opens dialogs without end.
func openEndlessAlerts(t *testing.T, c tooltest.Client, address string) (tab string) {
	t.Helper()
	tab = tooltest.TabID(c.Call("navigate", tooltest.Args{"url": address}))
	c.Do("javascript_tool", tooltest.Args{"code": endlessAlerts})
	c.ExpectRefusal("DIALOG_OPEN", "wait_for", tooltest.Args{"type": "text", "value": "never"}, "again")
	return tab
}

// A page that opens dialogs without end does not trap its tab.
func TestEndlessDialogs(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	tab := openEndlessAlerts(t, c, home+"/second")
	c.Expect("tabs_context", nil, `"dialog":"alert: again"`)
	c.Expect("dialog", tooltest.Args{"accept": false}, "an alert dialog is open", `{"accept":false,"following":true} answers all that follow`)
	c.Expect("dialog", tooltest.Args{"accept": false, "following": true}, "dismissed the alert dialog", "without end, so it was ended")
	c.Expect("page_reload", nil, "Second")
	c.Call("javascript_tool", tooltest.Args{"code": "setTimeout(() => { for (const n of [1, 2, 3]) alert(n); document.title = 'all' }, 0); 0"})
	c.ExpectRefusal("DIALOG_OPEN", "wait_for", tooltest.Args{"type": "text", "value": "never"})
	c.Expect("dialog", tooltest.Args{"accept": true, "following": true}, `accepted the alert dialog of tab `+tab+`, and then an alert dialog: "2" and 1 more`)
	c.ExpectScript("document.title", "all")

	openEndlessAlerts(t, c, home+"/second")
	c.Expect("navigate", tooltest.Args{"url": home + "/"}, home+"/", "dismissed an alert dialog", "was ended")
	c.Expect("read_page", nil, "Start")
	openEndlessAlerts(t, c, home+"/second")
	c.Expect("page_reload", nil, "/second", "dismissed an alert dialog")
	c.Expect("read_page", nil, "Second")
	openEndlessAlerts(t, c, home+"/second")
	c.Expect("tabs_close", tooltest.Args{"tabId": tab}, "closed "+tab)
}

// A navigation dismisses the dialog of the page that it leaves, also one that opens before the next
// document has come.
func TestNavigateDismissesDialogs(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/dialogs"})
	c.Call("interact", tooltest.Args{"query": "Delete"})
	c.Expect("navigate", tooltest.Args{"url": home + "/second"}, home+`/second "Second" 200`, `dismissed a confirm dialog: "Delete it?"`)
	c.Call("javascript_tool", tooltest.Args{"code": "setTimeout(() => alert('late'), 100); 0"})
	c.Expect("navigate", tooltest.Args{"url": home + "/late-headers?ms=800"}, "/late-headers", `dismissed an alert dialog: "late"`)
	c.Call("navigate", tooltest.Args{"url": home + "/dialogs"})
	c.Call("interact", tooltest.Args{"query": "Delete"})
	c.Expect("page_reload", nil, "/dialogs", "dismissed a confirm dialog")
}

// Chromium crashes when it closes a page with the open dialog of a frame of another site.
func TestCloseTabWithDialogOfAFrame(t *testing.T) {
	t.Parallel()
	_, other := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": other + "/framed-dialog"}))
	c.ExpectRefusal("DIALOG_OPEN", "wait_for", tooltest.Args{"type": "text", "value": "never"}, "from the frame")
	c.Expect("tabs_close", tooltest.Args{"tabId": tab}, "closed "+tab)
	c.Expect("navigate", tooltest.Args{"url": other + "/second"}, "Second")
}

// A popup runs in the process of its opener: the opener's dialog keeps it from being attached, and
// each call on it must say so.
func TestDialogOfTheOpenerBlocksItsPopup(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/second"}))
	c.Do("javascript_tool", tooltest.Args{"code": "window.open('/second'); alert('first'); 0"})
	list, _ := c.Do("tabs_context", nil).StructuredContent.(map[string]any)["tabs"].([]any)
	popup := list[len(list)-1].(map[string]any)["tabId"]
	if popup == tab {
		t.Fatalf("no popup: %v", list)
	}
	for tool, a := range map[string]tooltest.Args{
		"page_screenshot": {"fullPage": true, "tabId": popup}, "read_page": {"tabId": popup}, "page_pdf": {"tabId": popup},
		"navigate": {"url": home + "/", "tabId": popup}, "page_reload": {"tabId": popup},
	} {
		c.ExpectRefusal("DIALOG_OPEN", tool, a, "first", tab)
	}
	c.Call("console_capture", tooltest.Args{"action": "get", "tabId": popup})
	c.Expect("dialog", tooltest.Args{"accept": true, "tabId": tab}, "accepted")
	c.Expect("read_page", tooltest.Args{"tabId": popup}, "Second")
}

// The list of tabs marks one whose page has crashed.
func TestTabsContextMarksCrashes(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	crash(t, c, tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/"})))
	c.Expect("tabs_context", nil, `"lost":"crashed"`)
}
