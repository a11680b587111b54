package connection_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestElementsBySelector(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/form.html"})
	c.Expect("query_elements", tooltest.Args{"selector": "input", "limit": 1}, "elements, the first 1", `0 textbox "Name"`, `name="name"`)
	c.Expect("query_elements", tooltest.Args{"selector": "[nam=name]"}, "nothing matches", `[name="name"] (1)`)
	c.Expect("query_elements", tooltest.Args{"selector": "button", "text_contains": "nowhere"}, "none says")
	c.ExpectRefusal("INVALID_ARGUMENTS", "query_elements", tooltest.Args{"selector": "button["})
	c.ExpectRefusal("INVALID_ARGUMENTS", "query_elements", tooltest.Args{"selector": "a", "limit": 21}, "limit")
	c.Expect("fill_element", tooltest.Args{"selector": "input[name=name]", "text": "Ada"}, `"Ada"`)
	c.ExpectRefusal("NOT_FOUND", "click_element", tooltest.Args{"selector": "button", "index": 7}, "none has index 7")
	c.Expect("inspect_element", tooltest.Args{"description": "name field"}, `textbox "Name"`, `input[name="name"]`)
	c.ExpectRefusal("INVALID_ARGUMENTS", "inspect_element", nil, "description")
	c.Expect("fill_element", tooltest.Args{"selector": "input[name=name]", "text": "Ada", "submit": true}, "filled and submitted", "/submitted")
	c.Expect("read_page", nil, "name=Ada")
	c.ExpectRefusal("NOT_FOUND", "query_elements", tooltest.Args{"selector": "a", "connection_id": "nobody"}, "default")
}
