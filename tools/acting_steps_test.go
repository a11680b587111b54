package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

func sscan(text string, into ...any) (int, error) { return fmt.Sscan(text, into...) }

func TestActSteps(t *testing.T) {
	t.Parallel()
	c, page := acting(t, toolkit.Options{})
	type step = map[string]any
	c.says("act", args{"steps": []step{
		{"action": "set", "query": "Name", "value": "Ann"}, {"action": "set", "query": "Colour", "value": "g"},
		{"action": "type", "query": "Email", "value": "x@y.org"}, {"action": "key", "value": "Enter"},
		{"action": "wait", "value": "Sent name"}, {"action": "wait", "value": "5"}, {"action": "scroll", "value": "down"},
		{"action": "hover", "ref": refOf(t, page, `"Hover menu"`)},
	}}, "1. set textbox \"Name\"", "4. pressed Enter", "Sent name=Ann&email=x%40y.org", "8. hovered link")
	e := c.refused("NOT_FOUND", "act", args{"steps": []step{
		{"action": "click", "query": "Toggle"}, {"action": "click", "query": "No such thing"}, {"action": "click", "query": "Unfold"},
	}}, "step 2 of 3 (click No such thing) failed", "1. clicked button", "Panel words")
	if e["step"] != float64(2) || e["done"] != float64(1) {
		t.Errorf("step %v, done %v", e["step"], e["done"])
	}
	if got := c.call("javascript_tool", args{"code": "document.body.className"}); got != "open" {
		t.Errorf("after a failed step the body is %q", got)
	}
	c.refused("INVALID_ARGUMENTS", "act", args{"steps": []step{{"action": "click"}, {"action": "set", "ref": "e1"}, {"action": "scroll"}}},
		"/steps/0", "/steps/1", "/steps/2")
	c.refused("INVALID_ARGUMENTS", "act", args{"steps": []step{}})
	c.refused("INVALID_ARGUMENTS", "act", args{})
	c.refused("POLICY_DENIED", "act", args{"steps": []step{{"action": "navigate", "value": "file:///etc/passwd"}}}, "step 1 of 1")
}

func TestActInstruction(t *testing.T) {
	t.Parallel()
	c, _ := acting(t, toolkit.Options{})
	c.says("act", args{"instruction": `type "Ann" in Name, select "Green" from Colour and check Agree, then click Send`},
		"4. clicked button \"Send\"", "name=Ann", "colour=g", "agree=yes")
	c.refused("INVALID_ARGUMENTS", "act", args{"instruction": "click Send, then dance"}, "dance")
}

func TestScriptWithElements(t *testing.T) {
	t.Parallel()
	c, page := acting(t, toolkit.Options{})
	name, toggle := refOf(t, page, `textbox "Name"`), refOf(t, page, `"Toggle"`)
	c.says("javascript_tool", args{"code": "els.map(e => e.tagName).join()", "refs": []string{name, toggle}}, "INPUT,BUTTON")
	c.says("javascript_tool", args{"code": "els[0].value = 'set'; return await Promise.resolve(els[0] === form.elements.name)", "refs": []string{name}}, "true")
	c.refused("SCRIPT_FAILED", "javascript_tool", args{"code": "els[0].nothing()", "refs": []string{name}}, "not a function")
	c.refused("NOT_FOUND", "javascript_tool", args{"code": "1", "refs": []string{"e99999"}})
	if got := c.call("javascript_tool", args{"code": "'x'.repeat(200000)"}); len(got) > 51000 {
		t.Errorf("an answer of %d bytes", len(got))
	}
	c.call("javascript_tool", args{"code": "document.querySelector('#form input').remove()"})
	c.refused("STALE_REF", "javascript_tool", args{"code": "1", "refs": []string{name}})
}

func TestNoEvaluate(t *testing.T) {
	t.Parallel()
	c, _ := acting(t, toolkit.Options{NoEvaluate: true})
	for _, tool := range []string{"javascript_tool", "debugger_evaluate"} {
		if res, err := c.CallTool(t.Context(), params(tool, args{"code": "1", "expression": "1"})); err == nil && !res.IsError {
			t.Errorf("%s works without script", tool)
		}
	}
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.Name == "javascript_tool" {
			t.Error("javascript_tool is listed")
		}
	}
	c.refused("POLICY_DENIED", "wait_for", args{"type": "function", "value": "true"}, "no-evaluate")
	c.call("wait_for", args{"type": "text", "value": "Sticky head"})
}

func TestWaitForTraffic(t *testing.T) {
	t.Parallel()
	c, _ := acting(t, toolkit.Options{})
	c.says("wait_for", args{"type": "navigation"}, "navigation after") // the page itself
	c.says("wait_for", args{"type": "network_idle"}, "network_idle after")
	c.call("javascript_tool", args{"code": "fetch('/slow?ms=700').then(() => window.answered = true); 1"})
	c.call("wait_for", args{"type": "network_idle"})
	c.says("javascript_tool", args{"code": "window.answered"}, "true")
	c.call("interact", args{"query": "Toggle"})
	c.refused("TIMEOUT", "wait_for", args{"type": "navigation", "timeout": 600}, "there was none")
	c.call("interact", args{"query": "Hover menu"}) // moves within the document
	c.call("wait_for", args{"type": "navigation", "timeout": 5000})
	c.call("interact", args{"query": "Toggle"})
	c.call("javascript_tool", args{"code": "setTimeout(() => location.href = '/second.html', 300); 1"})
	c.call("wait_for", args{"type": "navigation", "timeout": 20000})
	if got := c.call("javascript_tool", args{"code": "location.pathname"}); !strings.HasSuffix(got, "second.html") {
		t.Errorf("a navigation was waited for, and the page is %s", got)
	}
	c.call("wait_for", args{"type": "navigation", "timeout": 5000}) // it has happened already
	c.refused("TIMEOUT", "wait_for", args{"type": "navigation", "value": "/nowhere", "timeout": 500})
}
