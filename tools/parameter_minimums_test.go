package tools_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
	"github.com/callsheet/callsheet/tools"
)

// Every number states the least that means something, so that no handler can read 0, or less, as
// a parameter that was not given. Coordinates have none.
func TestNumbersStateTheirMinimum(t *testing.T) {
	t.Parallel()
	coordinates := []string{
		"computer/coordinate[]", "drag_drop/start[]", "drag_drop/end[]", "drag_drop/offset[]", "drag_drop/sourceX", "drag_drop/sourceY",
		"drag_drop/targetX", "drag_drop/targetY", "page_screenshot/clip[]", "act/steps[]/coordinate[]", "act/steps[]/path[][]", "act/steps[]/region[]",
	}
	for _, tool := range tools.Registry(tools.Needs{}).Tools {
		schema, _ := inputSchema(t, tool)
		for _, path := range withoutMinimum(schema, tool.Name) {
			if !slices.Contains(coordinates, path) {
				t.Errorf("%s is a number without a minimum in the manifest", path)
			}
		}
	}
}

// withoutMinimum returns the paths of the numbers below a schema that state no minimum.
func withoutMinimum(n *node, path string) []string {
	var out []string
	if (n.Type == "integer" || n.Type == "number") && n.Minimum == nil {
		out = append(out, path)
	}
	for name, p := range n.Properties {
		out = append(out, withoutMinimum(p, path+"/"+name)...)
	}
	if n.Items != nil {
		out = append(out, withoutMinimum(n.Items, path+"[]")...)
	}
	return out
}

// A zero that means nothing is refused, and one that means something is taken as it is.
func TestZeros(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": serveForm(t)})
	for _, call := range []struct {
		tool string
		args tooltest.Args
	}{
		{"find", tooltest.Args{"query": "Name", "limit": 0}}, {"read_page", tooltest.Args{"max_bytes": 0}}, {"page_content", tooltest.Args{"max_bytes": 0}},
		{"query_dom", tooltest.Args{"method": "css", "selector": "input", "limit": 0}}, {"console_capture", tooltest.Args{"action": "get", "limit": 0}},
		{"wait_for", tooltest.Args{"type": "text", "value": "Name", "timeout": 0}}, {"computer", tooltest.Args{"action": "scroll", "scroll_amount": 0}},
		{"lightweight_scroll", tooltest.Args{"direction": "down", "amount": 0}}, {"find", tooltest.Args{"query": "Name", "limit": -1}},
		{"navigate", tooltest.Args{"url": "about:blank", "timeout": 0}}, {"page_screenshot", tooltest.Args{"format": "jpeg", "quality": 0}},
	} {
		c.ExpectRefusal("INVALID_ARGUMENTS", call.tool, call.args, "must be at least 1")
	}
	c.ExpectRefusal("NOT_FOUND", "find", tooltest.Args{"query": "Shoe size", "waitForMs": 0})
	c.Expect("geolocation", tooltest.Args{"latitude": 0, "longitude": 0, "accuracy": 0}, "0,0")
	if got := c.Call("validate_page", tooltest.Args{"captureConsoleMs": 0, "bodyTextSampleChars": 0}); strings.Contains(got, "from to") {
		t.Errorf("a sample of 0 characters is %s", got)
	}
	c.Expect("find", tooltest.Args{"query": "Name", "limit": 1}, "Name")
	for _, tool := range []string{"read_page", "page_content"} { // one byte is a limit, too
		if got := c.Do(tool, tooltest.Args{"max_bytes": 1}); got.IsError {
			t.Errorf("%s of one byte: %v", tool, got.StructuredContent)
		}
	}
}
