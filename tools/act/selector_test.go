package act_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestSelectorsOfPlaywrightAreTargets acts on elements by selectors, as words and in place of refs.
func TestSelectorsOfPlaywrightAreTargets(t *testing.T) {
	t.Parallel()
	c, _ := tooltest.OpenActingPage(t, toolkit.Options{AllTools: true})
	c.Expect("interact", tooltest.Args{"query": `role=button[name="Toggle"]`}, "Toggle")
	c.Expect("find", tooltest.Args{"query": `div:text("Panel words")`}, "Panel words")
	c.Expect("interact", tooltest.Args{"ref": `form >> text=Agree`}, "Agree")
	c.Expect("form_input", tooltest.Args{"ref": `css=input[name="name"]`, "value": "Ada"}, "Ada")
	c.Expect("fill_form", tooltest.Args{"fields": []any{
		tooltest.Args{"ref": `label:has-text("Email") >> css=input`, "value": "a@example.com"}, tooltest.Args{"query": "text=Colour", "value": "Green"},
	}, "submit": `form button:text("Send")`}, "set 2 of 2", "Sent name=Ada")
	c.Expect("act", tooltest.Args{"steps": []any{
		tooltest.Args{"action": "set", "ref": "role=textbox[name=/^contr/i]", "value": "x"}, tooltest.Args{"action": "click", "query": "#list .item >> nth=1"},
	}}, "Controlled", "Beta")
	c.Expect("computer", tooltest.Args{"action": "left_click", "ref": `role=button[name="Toggle"]`}, "Toggle")
	c.Expect("computer", tooltest.Args{"action": "scroll_to", "ref": `form >> button:text("Send")`}, "Send")
	c.Expect("lightweight_scroll", tooltest.Args{"direction": "down", "ref": "css=form"}, "at ")
	c.Expect("styles", tooltest.Args{"ref": `form >> button:text("Send")`, "properties": []string{"display"}}, "display")
	c.Call("page_screenshot", tooltest.Args{"ref": `form >> button:text("Send")`})
	c.ExpectRefusal("NOT_FOUND", "page_screenshot", tooltest.Args{"ref": `text=No such words`})
	c.ExpectRefusal("AMBIGUOUS", "interact", tooltest.Args{"query": "#list .item:visible"})
}
