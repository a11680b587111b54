package act_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestInteractReportsRevealedContent(t *testing.T) {
	t.Parallel()
	c, page := tooltest.OpenActingPage(t, toolkit.Options{})
	c.Expect("interact", tooltest.Args{"ref": tooltest.Ref(t, page, `"Toggle"`)}, "+ Panel words")
	c.Expect("interact", tooltest.Args{"ref": tooltest.Ref(t, page, `"Unfold"`)}, "+ Folded words")
	c.Expect("interact", tooltest.Args{"ref": tooltest.Ref(t, page, `"Hover menu"`), "action": "hover"}, `menu "Sub" shown`)
	c.Expect("interact", tooltest.Args{"query": "Sub item"}, "#y")
	c.Expect("interact", tooltest.Args{"ref": tooltest.Ref(t, page, `"Later frame"`)}, "+ Drawn later")
	c.Expect("interact", tooltest.Args{"ref": tooltest.Ref(t, page, `"Timer"`)}, "+ Timed")
	c.Expect("interact", tooltest.Args{"query": "Far away"}, "title: far")
	c.Expect("interact", tooltest.Args{"ref": tooltest.Ref(t, page, `"Toggle"`)}, "clicked") // under a sticky head unless it is scrolled right
}

func TestInteractClickVariants(t *testing.T) {
	t.Parallel()
	c, page := tooltest.OpenActingPage(t, toolkit.Options{})
	ref := tooltest.Ref(t, page, `"Many clicks"`)
	for _, a := range []tooltest.Args{{"action": "click"}, {"action": "double_click"}, {"action": "right_click"}, {"action": "middle_click"}} {
		a["ref"] = ref
		c.Call("interact", a)
	}
	c.Call("computer", tooltest.Args{"action": "triple_click", "ref": ref})
	c.Call("computer", tooltest.Args{"action": "left_click", "ref": ref, "text": "Control"})
	got := c.Call("javascript_tool", tooltest.Args{"code": "multiout.textContent"})
	if want := "click0 click0 click0 dblclick0 contextmenu2 auxclick2 auxclick1 click0 click0 dblclick0 click0x3 click0C "; got != want {
		t.Errorf("the page saw %q, want %q", got, want)
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "computer", tooltest.Args{"action": "left_click", "ref": ref, "text": "Cntrol"}, "Control")
}

func TestInteractRefusesStaleRefs(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/twins.html"})
	reading := c.Call("read_page", nil)
	doomed := tooltest.Ref(t, reading, "Doomed")
	if again := tooltest.Ref(t, c.Call("read_page", nil), "Doomed"); again != doomed {
		t.Errorf("the same element was %s and is %s", doomed, again)
	}
	c.Expect("javascript_tool", tooltest.Args{"code": "remove()"}, "removed")
	c.ExpectRefusal("STALE_REF", "interact", tooltest.Args{"ref": doomed}, "read_page", "candidates")
	c.ExpectRefusal("NOT_FOUND", "interact", tooltest.Args{"ref": "e9999"})
	c.ExpectRefusal("AMBIGUOUS", "interact", tooltest.Args{"query": "Delete"}, "First", "Second")
	c.Expect("interact", tooltest.Args{"ref": tooltest.Ref(t, reading, "Delete")}, "clicked")
	c.Expect("tabs_context", nil, `"first"`)
	c.Call("navigate", tooltest.Args{"url": home + "/"})
	c.ExpectRefusal("STALE_REF", "interact", tooltest.Args{"ref": tooltest.Ref(t, reading, "Delete")})
}
