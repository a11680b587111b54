package tools_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

func TestElementsBySelector(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/form.html"})
	c.says("query_elements", args{"selector": "input", "limit": 1}, "elements, the first 1", `0 textbox "Name"`, `name="name"`)
	c.says("query_elements", args{"selector": "[nam=name]"}, "nothing matches", `[name="name"] (1)`)
	c.says("query_elements", args{"selector": "button", "text_contains": "nowhere"}, "none says")
	c.refused("INVALID_ARGUMENTS", "query_elements", args{"selector": "button["})
	c.refused("INVALID_ARGUMENTS", "query_elements", args{"selector": "a", "limit": 21}, "limit")
	c.says("fill_element", args{"selector": "input[name=name]", "text": "Ada"}, `"Ada"`)
	c.refused("NOT_FOUND", "click_element", args{"selector": "button", "index": 7}, "none has index 7")
	c.says("inspect_element", args{"description": "name field"}, `textbox "Name"`, `input[name="name"]`)
	c.refused("INVALID_ARGUMENTS", "inspect_element", nil, "description")
	c.says("fill_element", args{"selector": "input[name=name]", "text": "Ada", "submit": true}, "filled and submitted", "/submitted")
	c.says("read_page", nil, "name=Ada")
	c.refused("NOT_FOUND", "query_elements", args{"selector": "a", "connection_id": "nobody"}, "default")
}

func TestTargetsAreChosenWithoutGuessing(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/"})
	c.call("tabs_create", args{"url": home + "/second.html"})
	c.call("tabs_create", args{"url": home + "/second.html?twin"})
	list := c.says("list_targets", nil, "0 page", "Fixture home", "2 page")
	if !strings.Contains(list, "twin \"Second page\" (current)") {
		t.Errorf("the targets are\n%s", list)
	}
	c.says("switch_target", args{"title": "fixture"}, "Fixture home")
	c.says("read_page", nil, "Fixture home")
	c.says("switch_target", args{"url": "*?TWIN"}, "?twin")
	c.says("switch_target", args{"url": home + "/second.html"}, "second.html \"Second page\"") // exactly one is this
	c.refused("AMBIGUOUS", "switch_target", args{"title": "second"}, "candidates", "1 page", "2 page")
	c.says("switch_target", args{"index": 0, "title": "second"}, "Fixture home")
	c.refused("NOT_FOUND", "switch_target", args{"title": "third"}, "Fixture home")
	c.refused("NOT_FOUND", "switch_target", args{"index": 9}, "there are 3")
	c.refused("INVALID_ARGUMENTS", "switch_target", nil, "index")
}

func TestTheConsoleIsHeardWithoutBeingSwitchedOn(t *testing.T) {
	t.Parallel()
	c := connect(t, toolkit.Options{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<!doctype html><link rel=icon href=data:,><script>
for (let i = 0; i < 5; i++) console.log("item " + i);
console.warn("careful", {a: 1});
function broken() { nothing.here(); }
broken();
</script>`))
	}))
	t.Cleanup(srv.Close)
	c.call("navigate", args{"url": srv.URL})
	c.says("get_console_logs", nil, "1 error, 1 warning, 5 other messages", "log item 4", "×5", `warning careful {a: 1}`,
		"error Uncaught ReferenceError: nothing is not defined", ":4:")
	c.says("get_console_logs", args{"expand_errors": true, "filter_level": "error"}, "at broken (", "at (anonymous) (")
	if text := c.call("get_console_logs", args{"filter_level": "warning"}); strings.Contains(text, "item") {
		t.Errorf("the filter lets %q through", text)
	}
	c.says("get_console_logs", args{"limit": 1}, "2 older lines")
	c.call("page_reload", nil)
	c.says("get_console_logs", args{"limit": 1}, "7 were of pages before this one")
	c.refused("INVALID_ARGUMENTS", "get_console_logs", args{"filter_level": "warn"}, "warning")
}

func TestConnectionsAreRefusedWithAdvice(t *testing.T) {
	t.Parallel()
	c := connect(t, toolkit.Options{})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	c.refused("INVALID_ARGUMENTS", "chrome_launch", args{"debug_port": port}, "listens there")
	_ = ln.Close()
	c.refused("NO_BROWSER", "chrome_connect", args{"port": port}, "chrome_launch")
	c.refused("POLICY_DENIED", "chrome_connect", args{"host": "192.0.2.1"}, "this machine")
	c.refused("POLICY_DENIED", "chrome_launch", args{"extra_args": "--lang=de --utility-cmd-prefix=sh"}, "only the server's operator")
	c.says("chrome_launch", args{"debug_port": port, "extra_args": "--lang=de"}, "port-", "(active): launched", "about:blank")
	c.refused("FAILED", "chrome_launch", args{"connection_id": "port-" + strings.TrimPrefix(ln.Addr().String(), "127.0.0.1:")}, "in use")
	c.says("chrome_connect", args{"port": port, "connection_id": "guest"}, "guest: attached to http://127.0.0.1:", "the active connection is still port-")
	c.says("chrome_list_connections", nil, "default: the server's own, not in use", "guest: attached")
	c.says("chrome_disconnect", args{"connection_id": "guest"}, "disconnected guest", "(active): launched")
}
