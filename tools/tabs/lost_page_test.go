package tabs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestCrashedTab(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/second"}))
	other := tooltest.TabID(c.Call("tabs_create", tooltest.Args{"url": home + "/"}))
	ref := tooltest.Ref(t, c.Call("read_page", tooltest.Args{"tabId": other}), "second")
	crash(t, c, tab)
	for _, tool := range []string{"read_page", "page_screenshot", "javascript_tool"} {
		a := tooltest.Args{"tabId": tab}
		if tool == "javascript_tool" {
			a["code"] = "1"
		}
		c.ExpectRefusal("TAB_CRASHED", tool, a, tab, "reload")
	}
	c.Expect("interact", tooltest.Args{"tabId": other, "ref": ref}, "clicked")
	c.Expect("page_reload", tooltest.Args{"tabId": tab}, "Second")
	c.Expect("read_page", tooltest.Args{"tabId": tab}, "Second")
}

// crash ends the process that renders a tab, and waits until the tab is known to have crashed.
func crash(t *testing.T, c tooltest.Client, tab string) {
	t.Helper()
	_, found, err := tooltest.Shared.Connections.Set(t.Name()).Tab(t.Context(), tab)
	if err != nil {
		t.Fatal(err)
	}
	protocol, err := found.Protocol(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = protocol.Call(t.Context(), "Page.crash", nil, nil) }() // a crashed page sends no response
	tooltest.Eventually(t, "the tab is known to have crashed", func() bool { return found.CrashError() != nil })
	_ = c
}

// TestBrowserKilledDuringACall has a browser of its own, because the others of this package share
// theirs.
func TestBrowserKilledDuringACall(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	launched := c.Call("chrome_launch", nil)
	c.Call("navigate", tooltest.Args{"url": home + "/"})
	reading := c.Call("read_page", nil)
	pid := regexp.MustCompile(`process (\d+)`).FindStringSubmatch(c.Call("chrome_list_connections", nil))
	if pid == nil {
		t.Fatalf("no process in %s", launched)
	}
	done := make(chan *mcp.CallToolResult, 1)
	go func() {
		res, err := c.CallTool(t.Context(), tooltest.Params("javascript_tool", tooltest.Args{"code": "new Promise(() => {})"}))
		if err != nil {
			t.Error(err)
		}
		done <- res
	}()
	found := tooltest.Shared.Connections.Set(t.Name())
	tooltest.Eventually(t, "the browser runs", func() bool { return len(found.List(t.Context())) > 1 })
	n := 0
	for _, digit := range pid[1] {
		n = n*10 + int(digit-'0')
	}
	process, err := os.FindProcess(n)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	res := <-done
	if res == nil || !res.IsError || !strings.Contains(tooltest.Text(res), "BROWSER_GONE") {
		t.Errorf("the call under way gives %v", res)
	}
	c.Expect("navigate", tooltest.Args{"url": home + "/second"}, "Second")
	for _, code := range []string{refusalCode(c, "interact", tooltest.Args{"ref": tooltest.Ref(t, reading, "second")})} {
		if code != "STALE_REF" && code != "NOT_FOUND" {
			t.Errorf("an old ref is refused with %s", code)
		}
	}
}

// refusalCode calls a tool that must be refused and returns the code.
func refusalCode(c tooltest.Client, tool string, a tooltest.Args) string {
	c.T.Helper()
	res := c.Do(tool, a)
	envelope, _ := res.StructuredContent.(map[string]any)
	code, _ := envelope["code"].(string)
	if !res.IsError || code == "" {
		c.T.Fatalf("%s %v is not refused: %s", tool, a, tooltest.Text(res))
	}
	return code
}

// discardScript has the browser do to a page what it does when memory is short. The browser's own
// page for that opens only in profiles that allow it.
const discardScript = `(async () => {
  const m = await import('chrome://discards/discards.mojom-webui.js');
  const browser = m.DetailsProvider.getRemote();
  const found = (await browser.getTabDiscardsInfo()).infos.find((i) => i.tabUrl === %q);
  await browser.discardById(found.id, 0);
})()`

// TestADiscardedTab: a tab whose page the browser discarded in the background is still there, says
// what became of its page, and is brought back, left or closed like any other.
func TestDiscardedTab(t *testing.T) {
	t.Parallel()
	proctest.Nightly(t)
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	profile := filepath.Join(c.Output, "discarding")
	if err := os.MkdirAll(profile, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(profile, "Local State"), []byte(`{"internal_only_uis_enabled":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Call("chrome_launch", tooltest.Args{"user_data_dir": "discarding"})
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/windows"}))
	control := openDiscardsPage(t, tooltest.TabID(c.Call("tabs_create", tooltest.Args{"url": "about:blank"})))
	discard := func() {
		t.Helper()
		var out struct {
			Exception any `json:"exceptionDetails"`
		}
		if err := control.Call(t.Context(), "Runtime.evaluate", map[string]any{
			"expression": fmt.Sprintf(discardScript, home+"/windows"), "awaitPromise": true,
		}, &out); err != nil || out.Exception != nil {
			t.Fatal(out, err)
		}
		tooltest.Eventually(t, "the tab is known to have lost its page", func() bool {
			_, found, err := tooltest.Shared.Connections.Set(t.Name()).Tab(t.Context(), tab)
			return err == nil && found.CrashError() != nil
		})
	}
	ref := tooltest.Ref(t, c.Call("read_page", tooltest.Args{"tabId": tab}), "Open")
	discard()
	for tool, a := range map[string]tooltest.Args{"read_page": {}, "page_screenshot": {}, "interact": {"ref": ref}} {
		a["tabId"] = tab
		c.ExpectRefusal("TAB_CRASHED", tool, a, "discarded to save memory", "reload it")
	}
	c.Expect("tabs_context", nil, `{"tabId":"`+tab+`","url":"`+home+`/windows"`)
	c.Expect("page_reload", tooltest.Args{"tabId": tab}, tab+" "+home+"/windows")
	c.ExpectRefusal("STALE_REF", "interact", tooltest.Args{"ref": ref, "tabId": tab})
	c.Expect("interact", tooltest.Args{"query": "Open", "tabId": tab}, "opened tab")
	c.Call("navigate", tooltest.Args{"tabId": tab, "url": home + "/windows"})

	discard()
	c.Expect("navigate", tooltest.Args{"tabId": tab, "url": home + "/second"}, "Second")
	c.Expect("navigate", tooltest.Args{"tabId": tab, "url": "back"}, "/windows")

	discard()
	c.Expect("tabs_close", tooltest.Args{"tabId": tab}, "closed")
	c.ExpectRefusal("NO_TAB", "read_page", tooltest.Args{"tabId": tab}, "it was closed")
}

// openDiscardsPage opens the browser's page for discarding in a tab, past the tools, which do not
// go there.
func openDiscardsPage(t *testing.T, tab string) cdp.Session {
	t.Helper()
	_, found, err := tooltest.Shared.Connections.Set(t.Name()).Tab(t.Context(), tab)
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
	tooltest.Eventually(t, "the page is there", func() bool {
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
