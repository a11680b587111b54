package tabs_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// A session that is pinned to its tab moves to no other one: not when the call closes the tab, not when the
// page does, and not for a popup that comes afterwards.
func TestPinnedSessionsKeepTheirTab(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.NewOwnServer(t, app.Config{Browser: browser.Config{PinTab: true}}).Connect(t.Name(), "", nil)
	open := func(path string) string {
		id, _, _ := strings.Cut(c.Call("tabs_create", tooltest.Args{"url": home + path}), " ")
		return id
	}
	first, second := open("/"), open("/second")
	c.Call("tabs_close", tooltest.Args{"tabId": second})
	for _, call := range []struct {
		tool string
		args tooltest.Args
	}{{"read_page", nil}, {"navigate", tooltest.Args{"url": home + "/"}}, {"interact", tooltest.Args{"query": "Click"}}} {
		c.ExpectRefusal("TAB_GONE", call.tool, call.args, second, first)
	}
	c.Expect("read_page", tooltest.Args{"tabId": first}, "Start")
	third := open("/second")
	c.Expect("read_page", nil, "Second")
	c.Expect("javascript_tool", tooltest.Args{"code": "open('/'); 1"}, "1")
	c.Call("tabs_close", tooltest.Args{"tabId": third})
	c.ExpectRefusal("TAB_GONE", "read_page", nil, third)
	c.Expect("tabs_context", nil, first)
}
