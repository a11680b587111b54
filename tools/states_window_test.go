package tools_test

import (
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// openedTab is the id of the tab that an action says it has opened.
func openedTab(t *testing.T, text string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "opened tab ")
	if !ok {
		t.Fatalf("no tab was opened: %s", text)
	}
	return tabOf(rest)
}

func TestEveryWayToOpenAWindow(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	tab := tabOf(c.call("navigate", args{"url": home + "/windows"}))
	for _, name := range []string{`"Open"`, `"Blank"`, `"No opener"`, `"Opener"`, `"Popup"`, `"Detached"`} {
		ref := refOf(t, c.call("read_page", args{"tabId": tab}), name)
		child := openedTab(t, c.says("interact", args{"ref": ref, "tabId": tab}, "opened tab"))
		c.says("wait_for", args{"tabId": child, "type": "text", "value": "Second"}, "text after")
		c.says("tabs_close", args{"tabId": child}, "closed")
	}
	child := openedTab(t, c.call("interact", args{"query": "Write", "tabId": tab}))
	c.says("read_page", args{"tabId": child}, "about:blank", "written by the opener")
	c.says("tabs_context", args{"summary": true}, `"tabCount":2`)
}

func TestATabThatItsPageClosesIsRefusedByName(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	tab := tabOf(c.call("navigate", args{"url": home + "/windows"}))
	child := openedTab(t, c.call("interact", args{"query": "Short"}))
	c.refused("NO_TAB", "wait_for", args{"tabId": child, "type": "text", "value": "never"}, "closed")
	c.refused("NO_TAB", "read_page", args{"tabId": child}, "closed", tab)
}

func TestACrashedTabIsToldAndReloaded(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	tab := tabOf(c.call("navigate", args{"url": home + "/second"}))
	other := tabOf(c.call("tabs_create", args{"url": home + "/"}))
	ref := refOf(t, c.call("read_page", args{"tabId": other}), "second")
	crash(t, c, tab)
	for _, tool := range []string{"read_page", "page_screenshot", "javascript_tool"} {
		a := args{"tabId": tab}
		if tool == "javascript_tool" {
			a["code"] = "1"
		}
		c.refused("TAB_CRASHED", tool, a, tab, "reload")
	}
	c.says("interact", args{"tabId": other, "ref": ref}, "clicked")
	c.says("page_reload", args{"tabId": tab}, "Second")
	c.says("read_page", args{"tabId": tab}, "Second")
}

// crash ends the process that renders a tab, and waits until the tab is known to have crashed.
func crash(t *testing.T, c client, tab string) {
	t.Helper()
	_, found, err := board.Set(t.Name()).Tab(t.Context(), tab)
	if err != nil {
		t.Fatal(err)
	}
	protocol, err := found.Protocol(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = protocol.Call(t.Context(), "Page.crash", nil, nil) }() // nobody is left to answer
	eventually(t, "the tab is known to have crashed", found.Crashed)
	_ = c
}

// TestABrowserKilledMidCall has a browser of its own, because the others of this package share theirs.
func TestABrowserKilledMidCall(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{AllTools: true})
	launched := c.call("chrome_launch", nil)
	c.call("navigate", args{"url": home + "/"})
	reading := c.call("read_page", nil)
	pid := regexp.MustCompile(`process (\d+)`).FindStringSubmatch(c.call("chrome_list_connections", nil))
	if pid == nil {
		t.Fatalf("no process in %s", launched)
	}
	done := make(chan *mcp.CallToolResult, 1)
	go func() {
		res, err := c.CallTool(t.Context(), params("javascript_tool", args{"code": "new Promise(() => {})"}))
		if err != nil {
			t.Error(err)
		}
		done <- res
	}()
	found := board.Set(t.Name())
	eventually(t, "the browser runs", func() bool { return len(found.List(t.Context())) > 1 })
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
	if res == nil || !res.IsError || !strings.Contains(textOf(res), "BROWSER_GONE") {
		t.Errorf("the call under way gives %v", res)
	}
	c.says("navigate", args{"url": home + "/second"}, "Second")
	for _, code := range []string{refusalCode(c, "interact", args{"ref": refOf(t, reading, "second")})} {
		if code != "STALE_REF" && code != "NOT_FOUND" {
			t.Errorf("an old ref is refused with %s", code)
		}
	}
}

// refusalCode calls a tool that must be refused and returns the code.
func refusalCode(c client, tool string, a args) string {
	c.T.Helper()
	res := c.raw(tool, a)
	envelope, _ := res.StructuredContent.(map[string]any)
	code, _ := envelope["code"].(string)
	if !res.IsError || code == "" {
		c.T.Fatalf("%s %v is not refused: %s", tool, a, textOf(res))
	}
	return code
}

func TestAFileChooserIsToldAndDoesNotHang(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/chooser"})
	c.says("interact", args{"ref": refOf(t, c.call("read_page", nil), `"Upload"`)}, "clicked", "the page asks for a file;")
	c.says("interact", args{"query": "Pick files"}, "the page asks for files;")
	c.says("read_page", nil, "Pick files")
}
