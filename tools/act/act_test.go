package act_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

type step = map[string]any

func TestActSteps(t *testing.T) {
	t.Parallel()
	c, page := tooltest.OpenActingPage(t, toolkit.Options{})
	c.Expect("act", tooltest.Args{"steps": []step{
		{"action": "set", "query": "Name", "value": "Ann"}, {"action": "set", "query": "Colour", "value": "g"},
		{"action": "type", "query": "Email", "value": "x@y.org"}, {"action": "key", "value": "Enter"},
		{"action": "wait", "value": "Sent name"}, {"action": "wait", "value": "5"}, {"action": "scroll", "value": "down"},
		{"action": "hover", "ref": tooltest.Ref(t, page, `"Hover menu"`)},
	}}, "1. set textbox \"Name\"", "4. pressed Enter", "Sent name=Ann&email=x%40y.org", "8. hovered link")
	e := c.ExpectRefusal("NOT_FOUND", "act", tooltest.Args{"steps": []step{
		{"action": "click", "query": "Toggle"}, {"action": "click", "query": "No such thing"}, {"action": "click", "query": "Unfold"},
	}}, "step 2 of 3 (click No such thing) failed", "1. clicked button", "Panel words")
	if e["step"] != float64(2) || e["done"] != float64(1) {
		t.Errorf("step %v, done %v", e["step"], e["done"])
	}
	if got := c.Call("javascript_tool", tooltest.Args{"code": "document.body.className"}); got != "open" {
		t.Errorf("after a failed step the body is %q", got)
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "act", tooltest.Args{"steps": []step{{"action": "click"}, {"action": "set", "ref": "e1"}, {"action": "scroll"}}},
		"/steps/0", "/steps/1", "/steps/2")
	c.ExpectRefusal("INVALID_ARGUMENTS", "act", tooltest.Args{"steps": []step{}})
	c.ExpectRefusal("INVALID_ARGUMENTS", "act", tooltest.Args{})
	c.ExpectRefusal("POLICY_DENIED", "act", tooltest.Args{"steps": []step{{"action": "navigate", "value": "file:///etc/passwd"}}}, "step 1 of 1")
}

func TestActSetsFields(t *testing.T) {
	t.Parallel()
	c, _ := tooltest.OpenActingPage(t, toolkit.Options{})
	c.Expect("act", tooltest.Args{"steps": []step{
		{"action": "set", "query": "Name", "value": "Ann"}, {"action": "set", "query": "Colour", "value": "Green"},
		{"action": "set", "query": "Agree", "value": "true"}, {"action": "click", "query": "Send"},
	}}, "4. clicked button \"Send\"", "name=Ann", "colour=g", "agree=yes")
}

func TestActRefusesInstruction(t *testing.T) {
	t.Parallel()
	c, _ := tooltest.OpenActingPage(t, toolkit.Options{})
	c.ExpectRefusal("INVALID_ARGUMENTS", "act", tooltest.Args{"instruction": "click Send"}, "the client is a model itself", "steps")
}
