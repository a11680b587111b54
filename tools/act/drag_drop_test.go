package act_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestDragDrop(t *testing.T) {
	t.Parallel()
	c, page := tooltest.OpenActingPage(t, toolkit.Options{})
	order := func() string {
		return c.Call("javascript_tool", tooltest.Args{"code": "[...list.children].map(e => e.textContent).join() + ' ' + downs"})
	}
	query := func(id string) string {
		return tooltest.Ref(t, c.Call("query_dom", tooltest.Args{"method": "css", "selector": id}), "[e")
	}
	a, b, g := query("#a"), query("#b"), query("#c")
	c.Call("drag_drop", tooltest.Args{"ref": a, "target_ref": g, "position": "after"})
	if got := order(); got != "Beta,Gamma,Alpha 0" {
		t.Errorf("after: %s", got)
	}
	c.Call("drag_drop", tooltest.Args{"ref": a, "target_ref": b, "position": "before"})
	if got := order(); got != "Alpha,Beta,Gamma 0" {
		t.Errorf("before: %s", got)
	}
	c.Expect("drag_drop", tooltest.Args{"ref": g, "target_ref": query("#zone")}, "Got Gamma")
	if got := c.Call("javascript_tool", tooltest.Args{"code": "drags.join()"}); got != "start,end,start,end,start,end" {
		t.Errorf("drags: %s", got)
	}
	grip := tooltest.Ref(t, page, `"Grip"`)
	c.Call("computer", tooltest.Args{"action": "scroll_to", "ref": grip})
	at := c.Call("javascript_tool", tooltest.Args{"code": "const r = grip.getBoundingClientRect(); Math.round(r.x + 20) + ' ' + Math.round(r.y + 10)"})
	var x, y float64
	if _, err := sscan(at, &x, &y); err != nil {
		t.Fatal(err)
	}
	c.Expect("drag_drop", tooltest.Args{"ref": grip, "end": []float64{x + 120, y}}, "Moved 120 in steps")
	c.ExpectRefusal("INVALID_ARGUMENTS", "drag_drop", tooltest.Args{"ref": grip})
	c.ExpectRefusal("NOT_FOUND", "drag_drop", tooltest.Args{"ref": grip, "target_ref": "e99999"})
	if got := order(); !strings.HasSuffix(got, " 0") {
		t.Errorf("a button is down: %s", got)
	}
}

func sscan(text string, into ...any) (int, error) { return fmt.Sscan(text, into...) }

// TestDragDropByDescription drags by query and by an offset; the result says where the element is.
func TestDragDropByDescription(t *testing.T) {
	t.Parallel()
	c, _ := tooltest.OpenActingPage(t, toolkit.Options{})
	order := func() string {
		return c.Call("javascript_tool", tooltest.Args{"code": "[...list.children].map(e => e.textContent).join()"})
	}
	c.Expect("drag_drop", tooltest.Args{"query": "Alpha", "target_query": "Gamma", "position": "after"}, "dragged", `3 of 3`, `after "Gamma"`)
	if got := order(); got != "Beta,Gamma,Alpha" {
		t.Errorf("by description: %s", got)
	}
	c.Expect("drag_drop", tooltest.Args{"query": "Grip", "offset": []float64{120, 0}}, "Moved 120 in steps")
	c.ExpectRefusal("INVALID_ARGUMENTS", "drag_drop", tooltest.Args{"query": "Alpha", "target_query": "Beta", "offset": []float64{1, 1}}, "exactly one")
	c.ExpectRefusal("INVALID_ARGUMENTS", "drag_drop", tooltest.Args{"query": "Alpha"}, "target_query")
	c.ExpectRefusal("NOT_FOUND", "drag_drop", tooltest.Args{"query": "unicorn", "target_query": "Beta"}, "unicorn")
}
