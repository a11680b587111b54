package debugger_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

const fixture = `<!doctype html><title>shop</title>
<button id=buy>Buy</button>
<script>
function price(n) {
  const each = 4;
  return n * each;
}
document.getElementById('buy').onclick = function onBuy() {
  document.title = 'sold ' + price(3);
  document.title += '!';
};
</script>`

// shopClient is a client whose current tab shows the fixture.
type shopClient struct {
	tooltest.Client
	url    string
	button string // its ref
}

func openShop(t *testing.T, opt toolkit.Options) shopClient {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, fixture)
	}))
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	c := shopClient{Client: tooltest.Connect(t, opt), url: site.URL + "/"}
	c.Call("navigate", tooltest.Args{"url": c.url})
	c.button = tooltest.Ref(t, c.Call("read_page", nil), "Buy")
	return c
}

type args = tooltest.Args

// click clicks the button and returns the refusal of the paused page.
func (c shopClient) click(want ...string) map[string]any {
	c.T.Helper()
	return c.ExpectRefusal("PAUSED", "interact", args{"ref": c.button}, want...)
}

func TestDebuggingSession(t *testing.T) {
	t.Parallel()
	c := openShop(t, toolkit.Options{AllTools: true})
	c.ExpectRefusal("TOOL_NOT_VISIBLE", "debugger_step_over", nil)
	c.Expect("debugger_enable", nil, "enabled")
	c.Expect("debugger_set_breakpoint", args{"url": "nowhere.js", "line_number": 1}, "b1")
	c.Expect("debugger_remove_breakpoint", args{"breakpoint_id": "b1"}, "removed b1")
	c.ExpectRefusal("NOT_FOUND", "debugger_remove_breakpoint", args{"breakpoint_id": "b1"})
	c.ExpectRefusal("INVALID_ARGUMENTS", "debugger_set_breakpoint", args{"url": "x", "line_number": 1, "condition": "("}, "SyntaxError")
	c.ExpectRefusal("INVALID_ARGUMENTS", "debugger_set_breakpoint", args{"url": "/(/", "line_number": 1})
	c.Expect("debugger_set_breakpoint", args{"url": c.url, "line_number": 6, "condition": "n > 2"}, "b2", "if n > 2", ":6:")
	c.Expect("debugger_watch", args{"action": "add", "expression": "n + each"}, "watched: n + each")

	c.click("paused at /:6:3 in price (breakpoint b2)", "goes on when", "debugger_step_over, debugger_resume")
	c.click("nothing was done")
	c.ExpectRefusal("TOOL_NOT_VISIBLE", "debugger_pause", nil)
	c.Expect("debugger_get_call_stack", args{"limit": 1}, "paused at /:6:3 in price", ">    6 |   return n * each;", "n = 3", "each = 4",
		"watch: n + each = 7", "f0 price", "… 1 more")
	c.Expect("debugger_evaluate_on_call_frame", args{"expression": "n * 100"}, "300")
	c.Expect("debugger_evaluate_on_call_frame", args{"expression": "this.id", "call_frame_id": "f1"}, "buy")
	c.ExpectRefusal("SCRIPT_FAILED", "debugger_evaluate_on_call_frame", args{"expression": "nope"}, "nope is not defined")
	c.ExpectRefusal("NOT_FOUND", "debugger_evaluate_on_call_frame", args{"expression": "1", "call_frame_id": "f7"}, "f0 to f1")
	c.Expect("debugger_watch", args{"action": "list"}, "watch: n + each = 7")
	c.Expect("debugger_step_over", nil, "returning: 12")
	c.Expect("debugger_step_out", nil, "in onBuy", "— step")
	c.Expect("debugger_resume", nil, "running")
	c.Expect("debugger_pause", nil, "will pause at the next statement")
	c.click()
	c.Expect("debugger_step_into", nil, "in price")
	c.Expect("debugger_disable", nil, "disabled")
	c.ExpectRefusal("TOOL_NOT_VISIBLE", "debugger_resume", nil)
}

// TestEachStep has each way of stepping end where no other one does: behind a call, inside it, and back in its caller.
func TestEachStep(t *testing.T) {
	t.Parallel()
	c := openShop(t, toolkit.Options{AllTools: true})
	c.Expect("debugger_enable", nil)
	c.Expect("debugger_set_breakpoint", args{"url": c.url, "line_number": 9})
	c.click("paused at /:9:")
	c.Expect("debugger_step_over", nil, "paused at /:10:", "in onBuy")
	c.Expect("debugger_resume", nil, "running")
	c.click("paused at /:9:")
	c.Expect("debugger_step_into", nil, "paused at /:5:", "in price")
	c.Expect("debugger_step_out", nil, "paused at /:10:", "in onBuy")
	c.Expect("debugger_resume", nil, "running")
}

func TestOtherBreakpoints(t *testing.T) {
	t.Parallel()
	c := openShop(t, toolkit.Options{AllTools: true})
	c.Expect("debugger_enable", args{"async_depth": 4})
	c.Expect("debugger_set_breakpoint", args{"kind": "xhr", "url": "/api"}, `b1 request containing "/api"`)
	c.Expect("debugger_set_breakpoint", args{"kind": "event", "event": "click"}, "b2 event click")
	c.Expect("debugger_remove_breakpoint", args{"breakpoint_id": "b1"}, "b2 event click")
	c.Expect("debugger_set_pause_on_exceptions", args{"state": "all"}, "all")
	c.Expect("debugger_blackbox", args{"action": "add", "pattern": `vendor.*\.js$`}, `/vendor.*\.js$/`)
	c.ExpectRefusal("NOT_FOUND", "debugger_blackbox", args{"action": "remove", "pattern": "other"})
	c.Expect("debugger_blackbox", args{"action": "remove", "pattern": `vendor.*\.js$`}, "nothing")
	c.Expect("debugger_blackbox", args{"action": "list"}, "nothing")
	c.click()
	c.Expect("debugger_get_call_stack", nil, "event b2: click", "in onBuy")
}

func TestAdviceNamesOnlyCallableTools(t *testing.T) {
	t.Parallel()
	c := openShop(t, toolkit.Options{AllTools: true, ExcludeTools: []string{"debugger_resume", "debugger_step_over"}})
	c.Expect("debugger_enable", nil)
	c.Expect("debugger_set_breakpoint", args{"kind": "event", "event": "click"})
	refusal := c.click("debugger_get_call_stack")
	if text := fmt.Sprint(refusal); strings.Contains(text, "debugger_resume") {
		t.Errorf("the refusal names a tool that the client may not call: %s", text)
	}
}
