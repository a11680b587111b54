package tabs_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// refsIn returns the refs of a reading.
func refsIn(reading string) (refs []string) {
	for _, part := range strings.Split(reading, "[e")[1:] {
		number, _, _ := strings.Cut(part, "]")
		refs = append(refs, "e"+number)
	}
	return refs
}

// TestRefsOfTwoTabs gives the elements of two tabs different refs, also where both are read at once, and
// refuses a ref in the tab that did not issue it.
func TestRefsOfTwoTabs(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	first := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/"}))
	one := refsIn(c.Call("read_page", nil))
	second := tooltest.TabID(c.Call("tabs_create", tooltest.Args{"url": home + "/"}))
	two := refsIn(c.Call("read_page", nil))
	if len(one) == 0 || len(one) != len(two) {
		t.Fatalf("the tabs show %v and %v", one, two)
	}
	c.ExpectRefusal("NOT_FOUND", "interact", tooltest.Args{"ref": one[0]}, "tabId")
	c.ExpectRefusal("NOT_FOUND", "form_input", tooltest.Args{"ref": two[0], "value": "x", "tabId": first}, "tabId")
	for tool, args := range map[string]tooltest.Args{
		"computer": {"action": "left_click", "ref": one[0]}, "act": {"steps": []tooltest.Args{{"action": "click", "ref": one[0]}}}, "read_page": {"ref_id": one[0]},
		"fill_form": {"fields": []tooltest.Args{{"ref": one[0], "value": "x"}}}, "drag_drop": {"ref": two[0], "target_ref": one[0]}, "wait_for": {"type": "ref_or_text", "value": one[0]},
	} {
		c.ExpectRefusal("NOT_FOUND", tool, args, "tabId")
	}
	c.Expect("interact", tooltest.Args{"ref": one[0], "action": "hover", "tabId": first}, "hovered")
	c.Expect("interact", tooltest.Args{"ref": two[0], "action": "hover", "tabId": second}, "hovered")

	var group sync.WaitGroup
	readings := make([][]string, 2)
	for i, tab := range []string{first, second} {
		group.Go(func() {
			for range 3 {
				c.Do("javascript_tool", tooltest.Args{"code": "document.body.insertAdjacentHTML('beforeend', '<button>' + Math.random() + '</button>')", "tabId": tab})
				readings[i] = refsIn(tooltest.Text(c.Do("read_page", tooltest.Args{"tabId": tab})))
			}
		})
	}
	group.Wait()
	for _, ref := range readings[0] {
		if slices.Contains(readings[1], ref) {
			t.Errorf("%s is a ref of both tabs: %v and %v", ref, readings[0], readings[1])
		}
	}
}
