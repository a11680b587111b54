package tools_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// TestAPausedPage: a click runs into a breakpoint, every tool that needs the page says so, and stepping and resuming
// finish what the click began.
func TestAPausedPage(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{AllTools: true})
	c.refused("TOOL_NOT_VISIBLE", "debugger_enable", nil, `"via":["navigate"]`)
	c.call("navigate", args{"url": home + "/debug.html"})
	buy := args{"ref": refOf(t, c.call("read_page", nil), `"Buy"`)}
	c.refused("TOOL_NOT_VISIBLE", "debugger_set_breakpoint", args{"url": "debug.js", "line_number": 3}, "debugger_enable")
	c.call("debugger_enable", nil)
	c.says("debugger_set_breakpoint", args{"url": "debug.js", "line_number": 3}, "b1 debug.js:3 → /debug.js:3:3")

	c.refused("PAUSED", "interact", buy, "/debug.js:3:3 in price (breakpoint b1)", `"begun":true`, "debugger_step_over")
	for tool, a := range map[string]args{
		"interact": buy, "read_page": nil, "find": {"query": "Buy"}, "javascript_tool": {"code": "1"}, "page_screenshot": nil,
		"computer": {"action": "key", "text": "a"}, "wait_for": {"type": "selector", "value": "#x"},
	} {
		c.refused("PAUSED", tool, a, `"begun":false`, "nothing was done")
	}
	c.says("tabs_context", nil, "/debug.html")
	c.says("debugger_get_call_stack", nil, "count = 3", "f1 onBuy /debug.js:7")
	c.says("debugger_evaluate_on_call_frame", args{"expression": "count = 5"}, "5")
	c.says("debugger_step_over", nil, "returning: 20", "changed: count: 3 → 5")
	c.says("debugger_resume", nil, "running")
	c.refused("TOOL_NOT_VISIBLE", "debugger_resume", nil)
	c.says("javascript_tool", args{"code": "document.title"}, "Sold 20")

	c.refused("PAUSED", "interact", buy)
	c.says("navigate", args{"url": home + "/second.html"}, "Second page")
	c.refused("TOOL_NOT_VISIBLE", "debugger_get_call_stack", nil, "debugger_pause")
	c.says("navigate", args{"url": home + "/debug.html"}, "Debug")
	buy = args{"ref": refOf(t, c.call("read_page", nil), `"Buy"`)}
	c.refused("PAUSED", "interact", buy, "breakpoint b1")
	c.call("debugger_disable", nil)
	c.says("interact", buy, "clicked")
}

// TestPauseAtTheNextStatement: what the server itself does in the page is not the statement that was meant.
func TestPauseAtTheNextStatement(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": home + "/debug.html"})
	c.call("debugger_enable", nil)
	c.says("debugger_pause", nil, "will pause at the next statement")
	plain := args{"ref": refOf(t, c.call("read_page", nil), `"Plain"`)}
	c.refused("PAUSED", "interact", plain, "debug.html:4")
	if text := c.call("debugger_resume", nil); !strings.Contains(text, "running") {
		t.Errorf("resume says %q", text)
	}
	c.says("javascript_tool", args{"code": "document.title"}, "Plain")
	c.refused("PAUSED", "javascript_tool", args{"code": "debugger; 1"}, "debugger statement")
	id := regexp.MustCompile(`t\d+`).FindString(c.call("tabs_context", nil))
	c.call("tabs_close", args{"tabId": id})
	if tabs := c.call("tabs_context", nil); strings.Contains(tabs, "debug.html") {
		t.Errorf("after closing a paused tab: %s", tabs)
	}
}
