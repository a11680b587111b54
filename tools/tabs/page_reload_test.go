package tabs_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestPageReload(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/second"}))
	c.Call("javascript_tool", tooltest.Args{"code": "window.left = true"})
	for _, args := range []tooltest.Args{nil, {"tabId": tab}, {"ignoreCache": true}} {
		c.Expect("page_reload", args, tab+" "+home+"/second", "200")
		c.Expect("javascript_tool", tooltest.Args{"code": "String(window.left)"}, "undefined")
	}
	c.ExpectRefusal("NO_TAB", "page_reload", tooltest.Args{"tabId": "t999999"}, "t999999")
	c.ExpectRefusal("INVALID_ARGUMENTS", "page_reload", tooltest.Args{"ignoreCache": "yes"}, "/ignoreCache")
}
