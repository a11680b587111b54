package act_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestLightweightScroll(t *testing.T) {
	t.Parallel()
	c, page := tooltest.OpenActingPage(t, toolkit.Options{})
	c.Expect("lightweight_scroll", tooltest.Args{"direction": "down"}, "at 0,300")
	c.Expect("lightweight_scroll", tooltest.Args{"direction": "down", "scrollToEnd": true}, "this is the end")
	c.Expect("lightweight_scroll", tooltest.Args{"direction": "up", "scrollToEnd": true}, "at 0,0", "this is the end")
	c.Expect("lightweight_scroll", tooltest.Args{"direction": "up"}, "it did not move")
	box := tooltest.Ref(t, page, `"Box"`)
	c.Expect("lightweight_scroll", tooltest.Args{"direction": "down", "amount": 100, "ref": box}, `region "Box"`, "at 0,100 of")
	inner := tooltest.Ref(t, c.Call("query_dom", tooltest.Args{"method": "css", "selector": "#dbox"}), "[e")
	c.Expect("lightweight_scroll", tooltest.Args{"direction": "down", "amount": 50, "ref": inner}, "at 0,50 of")
	c.Expect("computer", tooltest.Args{"action": "scroll", "ref": inner, "scroll_amount": 1}, "scrolled")
	if got := c.Call("javascript_tool", tooltest.Args{"code": "dbox.scrollTop > 50"}); got != "true" {
		t.Errorf("the wheel does not scroll a disabled container: %s", got)
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "lightweight_scroll", tooltest.Args{"direction": "sideways"})
	c.ExpectRefusal("INVALID_ARGUMENTS", "lightweight_scroll", tooltest.Args{"direction": "up", "amount": -1})
}
