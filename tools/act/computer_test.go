package act_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestComputerKeyboardAndMouse(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/form.html"})
	reading := c.Call("read_page", nil)
	c.Expect("computer", tooltest.Args{"action": "left_click", "ref": tooltest.Ref(t, reading, `"Name"`)}, "clicked")
	c.Expect("computer", tooltest.Args{"action": "type", "text": "Ada"}, "typed")
	c.Expect("computer", tooltest.Args{"action": "key", "text": "Control+a Delete"}, "pressed")
	c.Expect("computer", tooltest.Args{"action": "type", "text": "Grace"}, "typed")
	c.Expect("javascript_tool", tooltest.Args{"code": "document.querySelector('[name=name]').value"}, "Grace")
	c.ExpectRefusal("INVALID_ARGUMENTS", "computer", tooltest.Args{"action": "key", "text": "Contrl+a"}, "Control")

	c.Call("navigate", tooltest.Args{"url": home + "/colour.html"})
	c.Expect("computer", tooltest.Args{"action": "scroll", "coordinate": []int{600, 300}, "scroll_amount": 5}, "scrolled")
	if y := c.Call("javascript_tool", tooltest.Args{"code": "scrollY"}); y != "500" {
		t.Errorf("scrolled to %s, want 500", y)
	}
	c.Expect("computer", tooltest.Args{"action": "wait", "duration": 0}, "waited 0s")
}
