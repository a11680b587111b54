package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// discards has the browser do to a page what it does when memory is short. The browser's own page for that opens only in
// profiles that allow it.
const discards = `(async () => {
  const m = await import('chrome://discards/discards.mojom-webui.js');
  const browser = m.DetailsProvider.getRemote();
  const found = (await browser.getTabDiscardsInfo()).infos.find((i) => i.tabUrl === %q);
  await browser.discardById(found.id, 0);
})()`

// TestADiscardedTab: a tab whose page the browser discarded in the background is still there, says what became of its
// page, and is brought back, left or closed like any other.
func TestADiscardedTab(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{AllTools: true})
	profile := filepath.Join(c.Output, "discarding")
	if err := os.MkdirAll(profile, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(profile, "Local State"), []byte(`{"internal_only_uis_enabled":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c.call("chrome_launch", args{"user_data_dir": "discarding"})
	tab := tabOf(c.call("navigate", args{"url": home + "/windows"}))
	control := discarding(t, tabOf(c.call("tabs_create", args{"url": "about:blank"})))
	discard := func() {
		t.Helper()
		var out struct {
			Exception any `json:"exceptionDetails"`
		}
		if err := control.Call(t.Context(), "Runtime.evaluate", map[string]any{
			"expression": fmt.Sprintf(discards, home+"/windows"), "awaitPromise": true,
		}, &out); err != nil || out.Exception != nil {
			t.Fatal(out, err)
		}
		eventually(t, "the tab is known to have lost its page", func() bool {
			_, found, err := board.Set(t.Name()).Tab(t.Context(), tab)
			return err == nil && found.Crashed()
		})
	}
	ref := refOf(t, c.call("read_page", args{"tabId": tab}), "Open")
	discard()
	for tool, a := range map[string]args{"read_page": {}, "page_screenshot": {}, "interact": {"ref": ref}} {
		a["tabId"] = tab
		c.refused("TAB_CRASHED", tool, a, "discarded to save memory", "reload it")
	}
	c.says("tabs_context", nil, `{"tabId":"`+tab+`","url":"`+home+`/windows"`)
	c.says("page_reload", args{"tabId": tab}, tab+" "+home+"/windows")
	c.refused("STALE_REF", "interact", args{"ref": ref, "tabId": tab})
	c.says("interact", args{"query": "Open", "tabId": tab}, "opened tab")
	c.call("navigate", args{"tabId": tab, "url": home + "/windows"})

	discard()
	c.says("navigate", args{"tabId": tab, "url": home + "/second"}, "Second")
	c.says("navigate", args{"tabId": tab, "url": "back"}, "/windows")

	discard()
	c.says("tabs_close", args{"tabId": tab}, "closed")
	c.refused("NO_TAB", "read_page", args{"tabId": tab}, "it was closed")
}

// discarding opens the browser's page for discarding in a tab, past the tools, which do not go there.
func discarding(t *testing.T, tab string) cdp.Session {
	t.Helper()
	_, found, err := board.Set(t.Name()).Tab(t.Context(), tab)
	if err != nil {
		t.Fatal(err)
	}
	control, err := found.Protocol(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := control.Call(t.Context(), "Page.navigate", map[string]any{"url": "chrome://discards/"}, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the page is there", func() bool {
		var out struct {
			Result struct {
				Value bool `json:"value"`
			} `json:"result"`
		}
		err := control.Call(t.Context(), "Runtime.evaluate", map[string]any{
			"expression": "location.protocol === 'chrome:' && document.readyState === 'complete'",
		}, &out)
		return err == nil && out.Result.Value
	})
	return control
}
