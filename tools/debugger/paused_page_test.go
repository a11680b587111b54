package debugger_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestAPausedPage: a click runs into a breakpoint, every tool that needs the page says so, and
// stepping and resuming finish what the click began.
func TestPausedPage(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.ExpectRefusal("TOOL_NOT_VISIBLE", "debugger_enable", nil, `"via":["navigate"]`)
	c.Call("navigate", tooltest.Args{"url": home + "/debug.html"})
	buy := tooltest.Args{"ref": tooltest.Ref(t, c.Call("read_page", nil), `"Buy"`)}
	c.ExpectRefusal("TOOL_NOT_VISIBLE", "debugger_set_breakpoint", tooltest.Args{"url": "debug.js", "line_number": 3}, "debugger_enable")
	c.Call("debugger_enable", nil)
	c.Expect("debugger_set_breakpoint", tooltest.Args{"url": "debug.js", "line_number": 3}, "b1 debug.js:3 → /debug.js:3:3")

	c.ExpectRefusal("PAUSED", "interact", buy, "/debug.js:3:3 in price (breakpoint b1)", `"begun":true`, "debugger_step_over")
	for tool, a := range map[string]tooltest.Args{
		"interact": buy, "read_page": nil, "find": {"query": "Buy"}, "javascript_tool": {"code": "1"}, "page_screenshot": nil,
		"computer": {"action": "key", "text": "a"}, "wait_for": {"type": "selector", "value": "#x"},
	} {
		c.ExpectRefusal("PAUSED", tool, a, `"begun":false`, "nothing was done")
	}
	c.Expect("tabs_context", nil, "/debug.html")
	c.Expect("debugger_get_call_stack", nil, "count = 3", "f1 onBuy /debug.js:7")
	c.Expect("debugger_evaluate_on_call_frame", tooltest.Args{"expression": "count = 5"}, "5")
	c.Expect("debugger_step_over", nil, "returning: 20", "changed: count: 3 → 5")
	c.Expect("debugger_resume", nil, "running")
	c.ExpectRefusal("TOOL_NOT_VISIBLE", "debugger_resume", nil)
	c.Expect("javascript_tool", tooltest.Args{"code": "document.title"}, "Sold 20")

	c.ExpectRefusal("PAUSED", "interact", buy)
	c.Expect("navigate", tooltest.Args{"url": home + "/second.html"}, "Second page")
	c.ExpectRefusal("TOOL_NOT_VISIBLE", "debugger_get_call_stack", nil, "debugger_pause")
	c.Expect("navigate", tooltest.Args{"url": home + "/debug.html"}, "Debug")
	buy = tooltest.Args{"ref": tooltest.Ref(t, c.Call("read_page", nil), `"Buy"`)}
	c.ExpectRefusal("PAUSED", "interact", buy, "breakpoint b1")
	c.Call("debugger_disable", nil)
	c.Expect("interact", buy, "clicked")
}

// TestPauseAtTheNextStatement: what the server itself does in the page is not the statement that
// was meant.
func TestPauseAtTheNextStatement(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home + "/debug.html"})
	c.Call("debugger_enable", nil)
	c.Expect("debugger_pause", nil, "will pause at the next statement")
	plain := tooltest.Args{"ref": tooltest.Ref(t, c.Call("read_page", nil), `"Plain"`)}
	c.ExpectRefusal("PAUSED", "interact", plain, "debug.html:4")
	if text := c.Call("debugger_resume", nil); !strings.Contains(text, "running") {
		t.Errorf("resume says %q", text)
	}
	c.Expect("javascript_tool", tooltest.Args{"code": "document.title"}, "Plain")
	c.ExpectRefusal("PAUSED", "javascript_tool", tooltest.Args{"code": "debugger; 1"}, "debugger statement")
	id := regexp.MustCompile(`t\d+`).FindString(c.Call("tabs_context", nil))
	c.Call("tabs_close", tooltest.Args{"tabId": id})
	if tabs := c.Call("tabs_context", nil); strings.Contains(tabs, "debug.html") {
		t.Errorf("after closing a paused tab: %s", tabs)
	}
}
