package act_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestFillForm(t *testing.T) {
	t.Parallel()
	c, _ := tooltest.OpenActingPage(t, toolkit.Options{})
	type field = map[string]any
	text := c.Expect("fill_form", tooltest.Args{"fields": []field{
		{"query": "Name", "value": "Ann"}, {"query": "Email", "value": "a@b.org"}, {"query": "Secret", "value": "hunter2"},
		{"query": "Colour", "value": "Green"}, {"query": "Many", "value": "One\nThree"}, {"query": "Day", "value": "2026-02-28"},
		{"query": "At", "value": "09:30"}, {"query": "Tint", "value": "#ff8800"}, {"query": "Level", "value": "4"}, {"query": "Agree", "value": "true"},
	}, "submit": "Send"}, "set 10 of 10 fields", `textbox "Name"`, "clicked button \"Send\"",
		"name=Ann&email=a%40b.org&secret=hunter2&colour=g&many=One&many=Three&day=2026")
	const all = "name=Ann&email=a%40b.org&secret=hunter2&colour=g&many=One&many=Three&day=2026-02-28&at=09%3A30&tint=%23ff8800&level=4&agree=yes&locked=fixed"
	if got := c.Call("javascript_tool", tooltest.Args{"code": "sent.textContent"}); got != "Sent "+all {
		t.Errorf("the page got %q", got)
	}
	if strings.Contains(strings.ReplaceAll(text, "secret=hunter2", ""), "hunter2") {
		t.Errorf("the answer shows a password: %s", text)
	}

	c.Call("navigate", tooltest.Args{"url": tooltest.ServeSite(t) + "/acting.html"})
	e := c.ExpectRefusal("NOT_FOUND", "fill_form", tooltest.Args{"fields": []field{
		{"query": "Name", "value": "Bob"}, {"query": "Shoe size", "value": "42"}, {"query": "Locked", "value": "x"}, {"query": "Day", "value": "soon"},
	}, "submit": "Send"}, "1 of 4 fields are set", "Shoe size", "read-only", "YYYY-MM-DD", "nothing was submitted")
	if set, _ := e["set"].([]any); len(set) != 1 {
		t.Errorf("set: %v", e["set"])
	}
	if problems, _ := e["problems"].([]any); len(problems) != 3 {
		t.Errorf("problems: %v", e["problems"])
	}
	if got := c.Call("javascript_tool", tooltest.Args{"code": "form.elements.name.value + '/' + sent.textContent"}); got != "Bob/" {
		t.Errorf("after a partial fill: %q", got)
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "fill_form", tooltest.Args{"fields": []field{{"value": "x"}, {"ref": "e1", "query": "y", "value": "x"}}}, "/fields/0", "/fields/1")
	c.ExpectRefusal("INVALID_ARGUMENTS", "fill_form", tooltest.Args{"fields": []field{}})
	c.ExpectRefusal("NOT_FOUND", "fill_form", tooltest.Args{"fields": []field{{"ref": "e99999", "value": "x"}}}, "0 of 1")
}
