package page_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestObserve(t *testing.T) {
	c, _ := openReading(t)
	all := c.Expect("oc_observe", tooltest.Args{"scope": "document"}, `link "Home" [e`, "click hover focus", `textbox "Mail"`, "fill hover focus")
	expectNone(t, all, "ada@", "hunter2")
	fills := c.Expect("oc_observe", tooltest.Args{"actions": []string{"fill"}}, `textbox "Mail"`)
	expectNone(t, fills, `link "Home"`, `button "Order"`)
	if text := c.Call("oc_observe", tooltest.Args{"limit": 1}); strings.Count(text, "\n") != 1 {
		t.Errorf("one control is %q", text)
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_observe", tooltest.Args{"limit": 0}, "/limit")
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_observe", tooltest.Args{"actions": []string{"eat"}}, "/actions/0")
	ref := tooltest.Ref(t, all, `link "Home"`)
	c.Expect("interact", tooltest.Args{"ref": ref}, "clicked link", "now at")
}
