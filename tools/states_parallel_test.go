package tools_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// TestTabsDoNotWaitForEachOther has scripts in two tabs wait for each other, and two scripts in one tab exclude each other.
func TestTabsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	tabs := []string{tabOf(c.call("navigate", args{"url": home + "/"})), tabOf(c.call("tabs_create", args{"url": home + "/"}))}
	var wg sync.WaitGroup
	for _, tab := range tabs {
		wg.Go(func() { c.says("javascript_tool", args{"tabId": tab, "code": meet(len(tabs))}, "met") })
	}
	wg.Wait()
	for range 2 {
		wg.Go(func() {
			c.says("javascript_tool", args{"tabId": tabs[0], "code": `if (window.busy) return "overlap";
				window.busy = true; await new Promise((done) => setTimeout(done, 300)); window.busy = false; return "alone"`}, "alone")
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

// TestManyTabsAtOnce has scripts in twenty tabs wait for each other.
func TestManyTabsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	home, _ := stateSite(t)
	const tabs = 20
	c := connect(t, toolkit.Options{})
	var wg sync.WaitGroup
	for range tabs {
		id := tabOf(c.call("tabs_create", args{"url": home + "/"}))
		wg.Go(func() { c.says("javascript_tool", args{"tabId": id, "code": meet(tabs)}, "met") })
	}
	wg.Wait()
}

func TestForeignTabsDoNotExist(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	var tab string
	t.Run("one", func(t *testing.T) {
		mine := connect(t, toolkit.Options{})
		tab = tabOf(mine.call("navigate", args{"url": home + "/dialogs"}))
		mine.call("interact", args{"query": "Delete"})
		t.Run("another", func(t *testing.T) {
			yours := connect(t, toolkit.Options{})
			for _, tool := range []string{"read_page", "page_screenshot", "page_reload", "tabs_close", "page_pdf"} {
				yours.refused("NO_TAB", tool, args{"tabId": tab}, tab)
			}
			yours.refused("TOOL_NOT_VISIBLE", "dialog", args{"accept": true, "tabId": tab})
			yours.says("tabs_context", nil, `"tabCount":0`)
		})
		mine.call("dialog", args{"accept": true})
	})
}
