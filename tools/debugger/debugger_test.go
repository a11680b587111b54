package debugger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser"
	engine "github.com/callsheet/callsheet/internal/engine/debugger"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/tools/debugger"
)

var chromium *browser.Browser // shared by the tests

func TestMain(m *testing.M) {
	chromium = browser.New(browser.Config{Headless: true})
	code := m.Run()
	if err := chromium.Close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "close the browser:", err)
		code = 1
	}
	os.Exit(code)
}

const fixture = `<!doctype html><title>shop</title>
<button id=buy>Buy</button>
<script>
function price(n) {
  const each = 4;
  return n * each;
}
document.getElementById('buy').onclick = function onBuy() {
  document.title = 'sold ' + price(3);
};
</script>`

// client is a session whose facts follow the debugger, as a connection's do.
type client struct {
	*toolkit.Session
	t   *testing.T
	tab *browser.Tab
}

// others stands for the areas that these tests do not call.
type others struct {
	toolset.ActHandlers
	toolset.BatchHandlers
	toolset.BrowserHandlers
	toolset.ConnectionHandlers
	toolset.ConsoleHandlers
	toolset.ContinuityHandlers
	toolset.ParallelHandlers
	toolset.ContractHandlers
	toolset.CrawlHandlers
	toolset.DownloadHandlers
	toolset.EnvironmentHandlers
	toolset.HostHandlers
	toolset.NetworkHandlers
	toolset.PageHandlers
	toolset.PerformanceHandlers
	toolset.PilotHandlers
	toolset.PlanHandlers
	toolset.ProfileHandlers
	toolset.RecordingHandlers
	toolset.SkillHandlers
	toolset.StorageHandlers
	toolset.SurfaceHandlers
	toolset.TabsHandlers
	toolset.TotpHandlers
}

// compose puts one area's handlers among the others.
func compose(area any) toolset.Handlers {
	join := reflect.ValueOf(toolset.Compose)
	in := make([]reflect.Value, join.Type().NumIn())
	for i := range in {
		if in[i] = reflect.ValueOf(others{}); reflect.TypeOf(area).Implements(join.Type().In(i)) {
			in[i] = reflect.ValueOf(area)
		}
	}
	return join.Call(in)[0].Interface().(toolset.Handlers)
}

func open(t *testing.T, opt toolkit.Options) *client {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, fixture)
	}))
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tab, _, err := chromium.IsolatedSession(t.Name()).Open(ctx, site.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { chromium.EndSession(context.Background(), t.Name()) })
	protocol, err := tab.Protocol(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, tab: tab}
	d := engine.New(protocol, tab, engine.Events{
		Switched: func(on bool) {
			if on {
				c.Change(toolset.FactDebuggerEnabled, 0)
			} else {
				c.Change(0, toolset.FactDebuggerEnabled|toolset.FactPaused)
			}
		},
		Paused:  func(engine.Pause) { c.Change(toolset.FactPaused, 0) },
		Resumed: func() { c.Change(0, toolset.FactPaused) },
	})
	find := func(context.Context, *toolkit.Call, toolkit.Opt[string]) (*engine.Debugger, error) { return d, nil }
	surface, err := toolkit.NewSurface(toolset.New(compose(debugger.New(find))), opt)
	if err != nil {
		t.Fatal(err)
	}
	c.Session = surface.NewSession(t.Name(), nil)
	c.Change(toolset.FactConnected, 0)
	return c
}

type args = map[string]any

func (c *client) dispatch(tool string, a args) (text string, refused bool) {
	c.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := c.Dispatch(c.t.Context(), toolkit.Request{Tool: tool, Args: raw})
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	return res.Content[0].Text + string(res.Structured), res.Refused
}

// says calls a tool whose text must contain each of want.
func (c *client) says(tool string, a args, want ...string) {
	c.t.Helper()
	text, refused := c.dispatch(tool, a)
	if refused {
		c.t.Fatalf("%s %v is refused: %s", tool, a, text)
	}
	c.has(tool, text, want)
}

func (c *client) refused(tool string, a args, want ...string) {
	c.t.Helper()
	text, refused := c.dispatch(tool, a)
	if !refused {
		c.t.Fatalf("%s %v is not refused: %s", tool, a, text)
	}
	c.has(tool, text, want)
}

func (c *client) has(tool, text string, want []string) {
	c.t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			c.t.Errorf("%s says %q, which lacks %q", tool, text, w)
		}
	}
}

// click clicks the button and returns what a tool would be refused with.
func (c *client) click() error {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 5*time.Second)
	defer cancel()
	err := c.tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		found, _, err := p.Query(ctx, page.QueryOptions{CSS: "#buy"})
		if err != nil {
			return err
		}
		_, err = p.Click(ctx, page.Target{Ref: found[0].Ref}, page.ClickOptions{})
		return err
	})
	return result.Refusal(&toolkit.Call{Session: c.Session}, err)
}

func TestADebuggingSession(t *testing.T) {
	t.Parallel()
	c := open(t, toolkit.Options{AllTools: true})
	c.refused("debugger_step_over", nil, "TOOL_NOT_VISIBLE")
	c.says("debugger_enable", nil, "enabled")
	c.says("debugger_set_breakpoint", args{"url": "nowhere.js", "line_number": 1}, "b1")
	c.says("debugger_remove_breakpoint", args{"breakpoint_id": "b1"}, "removed b1")
	c.refused("debugger_remove_breakpoint", args{"breakpoint_id": "b1"}, "NOT_FOUND")
	c.refused("debugger_set_breakpoint", args{"url": "x", "line_number": 1, "condition": "("}, "INVALID_ARGUMENTS", "SyntaxError")
	c.refused("debugger_set_breakpoint", args{"url": "/(/", "line_number": 1}, "INVALID_ARGUMENTS")
	c.says("debugger_set_breakpoint", args{"url": c.tab.URL(), "line_number": 6, "condition": "n > 2"}, "b2", "if n > 2", ":6:")
	c.says("debugger_watch", args{"action": "add", "expression": "n + each"}, "watched: n + each")

	var paused *toolkit.Refusal
	if err := c.click(); !errors.As(err, &paused) || paused.Code != toolkit.Paused {
		t.Fatalf("the click: %v", err)
	}
	c.has("the click", paused.Message, []string{"paused at /:6:3 in price (breakpoint b2)", "goes on when", "debugger_step_over, debugger_resume"})
	if err := c.click(); !errors.As(err, &paused) || !strings.Contains(paused.Message, "nothing was done") {
		t.Errorf("a click while paused: %v", err)
	}
	c.refused("debugger_pause", nil, "TOOL_NOT_VISIBLE")
	c.says("debugger_get_call_stack", args{"limit": 1}, "paused at /:6:3 in price", ">    6 |   return n * each;", "n = 3", "each = 4",
		"watch: n + each = 7", "f0 price", "… 1 more")
	c.says("debugger_evaluate_on_call_frame", args{"expression": "n * 100"}, "300")
	c.says("debugger_evaluate_on_call_frame", args{"expression": "this.id", "call_frame_id": "f1"}, "buy")
	c.refused("debugger_evaluate_on_call_frame", args{"expression": "nope"}, "SCRIPT_FAILED", "nope is not defined")
	c.refused("debugger_evaluate_on_call_frame", args{"expression": "1", "call_frame_id": "f7"}, "NOT_FOUND", "f0 to f1")
	c.says("debugger_watch", args{"action": "list"}, "watch: n + each = 7")
	c.says("debugger_step_over", nil, "returning: 12")
	c.says("debugger_step_out", nil, "in onBuy", "— step")
	c.says("debugger_resume", nil, "running")
	c.says("debugger_pause", nil, "will pause at the next statement")
	if err := c.click(); err == nil {
		t.Error("the click did not pause")
	}
	c.says("debugger_step_into", nil, "in price")
	c.says("debugger_disable", nil, "disabled")
	c.refused("debugger_resume", nil, "TOOL_NOT_VISIBLE")
}

func TestOtherBreakpoints(t *testing.T) {
	t.Parallel()
	c := open(t, toolkit.Options{AllTools: true})
	c.says("debugger_enable", args{"async_depth": 4})
	c.says("debugger_set_breakpoint", args{"kind": "xhr", "url": "/api"}, `b1 request containing "/api"`)
	c.says("debugger_set_breakpoint", args{"kind": "event", "event": "click"}, "b2 event click")
	c.says("debugger_remove_breakpoint", args{"breakpoint_id": "b1"}, "b2 event click")
	c.says("debugger_set_pause_on_exceptions", args{"state": "all"}, "all")
	c.says("debugger_blackbox", args{"action": "add", "pattern": `vendor.*\.js$`}, `/vendor.*\.js$/`)
	c.refused("debugger_blackbox", args{"action": "remove", "pattern": "other"}, "NOT_FOUND")
	c.says("debugger_blackbox", args{"action": "remove", "pattern": `vendor.*\.js$`}, "nothing")
	c.says("debugger_blackbox", args{"action": "list"}, "nothing")
	if err := c.click(); err == nil {
		t.Fatal("the click did not pause")
	}
	c.says("debugger_get_call_stack", nil, "event b2: click", "in onBuy")
}

func TestAdviceNamesOnlyCallableTools(t *testing.T) {
	t.Parallel()
	c := open(t, toolkit.Options{AllTools: true, ExcludeTools: []string{"debugger_resume", "debugger_step_over"}})
	c.says("debugger_enable", nil)
	c.says("debugger_set_breakpoint", args{"kind": "event", "event": "click"})
	err := c.click()
	if err == nil || strings.Contains(err.Error(), "debugger_resume") || !strings.Contains(err.Error(), "debugger_get_call_stack") {
		t.Errorf("the click: %v", err)
	}
}
