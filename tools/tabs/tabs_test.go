package tabs_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestTabs(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Expect("tabs_context", nil, `"tabCount":0`)
	c.ExpectRefusal("NO_TAB", "read_page", nil, "navigate")
	first, _, _ := strings.Cut(c.Call("navigate", tooltest.Args{"url": home + "/"}), " ")
	second, _, _ := strings.Cut(c.Call("tabs_create", tooltest.Args{"url": home + "/second.html"}), " ")
	if first == second {
		t.Fatalf("both tabs are %s", first)
	}
	c.Expect("tabs_context", nil, `"tabCount":2`, `"current":"`+second+`"`, "Fixture home", "Second page")
	c.Expect("tabs_context", tooltest.Args{"summary": true}, `{"tabCount":2}`)
	c.Expect("read_page", tooltest.Args{"tabId": first}, "Fixture home")
	c.Expect("read_page", nil, "You made it")
	c.Expect("tabs_close", tooltest.Args{"tabIds": []string{second, "t0"}}, "closed "+second, "not closed", "t0")
	c.ExpectRefusal("NO_TAB", "read_page", tooltest.Args{"tabId": second}, "closed", first)
	c.ExpectRefusal("INVALID_ARGUMENTS", "tabs_close", nil, `tabId`)
	if third, _, _ := strings.Cut(c.Call("tabs_create", tooltest.Args{"url": home + "/"}), " "); third == second {
		t.Errorf("the id %s was used again", third)
	}

	c.Call("navigate", tooltest.Args{"url": home + "/late.html"})
	c.Expect("interact", tooltest.Args{"query": "Pop up"}, "opened tab t")
}

func TestTabsOfOtherSessions(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	var tab string
	t.Run("one", func(t *testing.T) {
		mine := tooltest.Connect(t, toolkit.Options{})
		tab = tooltest.TabID(mine.Call("navigate", tooltest.Args{"url": home + "/dialogs"}))
		mine.Call("interact", tooltest.Args{"query": "Delete"})
		t.Run("another", func(t *testing.T) {
			yours := tooltest.Connect(t, toolkit.Options{})
			for _, tool := range []string{"read_page", "page_screenshot", "page_reload", "tabs_close", "page_pdf"} {
				yours.ExpectRefusal("NO_TAB", tool, tooltest.Args{"tabId": tab}, tab)
			}
			yours.ExpectRefusal("TOOL_NOT_VISIBLE", "dialog", tooltest.Args{"accept": true, "tabId": tab})
			yours.Expect("tabs_context", nil, `"tabCount":0`)
		})
		mine.Call("dialog", tooltest.Args{"accept": true})
	})
}

// TestTabsRunConcurrently has scripts in two tabs wait for each other, and two scripts in one tab
// exclude each other.
func TestTabsRunConcurrently(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	tabs := []string{tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/"})), tooltest.TabID(c.Call("tabs_create", tooltest.Args{"url": home + "/"}))}
	var wg sync.WaitGroup
	for _, tab := range tabs {
		wg.Go(func() {
			c.Expect("javascript_tool", tooltest.Args{"tabId": tab, "code": meet(len(tabs)), "timeout": 120_000}, "met")
		})
	}
	wg.Wait()
	for range 2 {
		wg.Go(func() {
			c.Expect("javascript_tool", tooltest.Args{"tabId": tabs[0], "code": `if (window.busy) return "overlap";
				window.busy = true; await new Promise((done) => setTimeout(done, 300)); window.busy = false; return "alone"`}, "alone")
		})
	}
	wg.Wait()
}

// TestManyTabsAtOnce has scripts in twenty tabs wait for each other.
func TestManyTabsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	home, _ := tooltest.ServeTabSite(t)
	tabs := proctest.Tries(20)
	c := tooltest.Connect(t, toolkit.Options{})
	var wg sync.WaitGroup
	for range tabs {
		id := tooltest.TabID(c.Call("tabs_create", tooltest.Args{"url": home + "/"}))
		wg.Go(func() {
			c.Expect("javascript_tool", tooltest.Args{"tabId": id, "code": meet(tabs), "timeout": 120_000}, "met")
		})
	}
	wg.Wait()
}

// meet returns a script that ends once as many pages of one origin as size run it.
func meet(size int) string {
	return fmt.Sprintf(`const channel = new BroadcastChannel("meeting"), me = crypto.randomUUID(), seen = new Set([me]);
		await new Promise((done) => {
			const check = () => { if (seen.size === %d) done() };
			channel.onmessage = (e) => { if (!seen.has(e.data)) { seen.add(e.data); channel.postMessage(me) } check() };
			channel.postMessage(me); check();
		});
		channel.postMessage(me); return "met"`, size)
}
