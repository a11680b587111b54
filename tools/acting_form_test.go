package tools_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// acting opens the fixture of this file and gives its reading.
func acting(t *testing.T, opt toolkit.Options) (client, string) {
	t.Helper()
	c := connect(t, opt)
	c.call("navigate", args{"url": site(t) + "/acting.html"})
	return c, c.call("read_page", args{"max_bytes": 100000})
}

func TestFillForm(t *testing.T) {
	t.Parallel()
	c, _ := acting(t, toolkit.Options{})
	type field = map[string]any
	text := c.says("fill_form", args{"fields": []field{
		{"query": "Name", "value": "Ann"}, {"query": "Email", "value": "a@b.org"}, {"query": "Secret", "value": "hunter2"},
		{"query": "Colour", "value": "Green"}, {"query": "Many", "value": "One\nThree"}, {"query": "Day", "value": "2026-02-28"},
		{"query": "At", "value": "09:30"}, {"query": "Tint", "value": "#ff8800"}, {"query": "Level", "value": "4"}, {"query": "Agree", "value": "true"},
	}, "submit": "Send"}, "set 10 of 10 fields", `textbox "Name"`, "clicked button \"Send\"",
		"name=Ann&email=a%40b.org&secret=hunter2&colour=g&many=One&many=Three&day=2026")
	const all = "name=Ann&email=a%40b.org&secret=hunter2&colour=g&many=One&many=Three&day=2026-02-28&at=09%3A30&tint=%23ff8800&level=4&agree=yes&locked=fixed"
	if got := c.call("javascript_tool", args{"code": "sent.textContent"}); got != "Sent "+all {
		t.Errorf("the page got %q", got)
	}
	if strings.Contains(strings.ReplaceAll(text, "secret=hunter2", ""), "hunter2") {
		t.Errorf("the answer shows a password: %s", text)
	}

	c.call("navigate", args{"url": site(t) + "/acting.html"})
	e := c.refused("NOT_FOUND", "fill_form", args{"fields": []field{
		{"query": "Name", "value": "Bob"}, {"query": "Shoe size", "value": "42"}, {"query": "Locked", "value": "x"}, {"query": "Day", "value": "soon"},
	}, "submit": "Send"}, "1 of 4 fields are set", "Shoe size", "read-only", "YYYY-MM-DD", "nothing was submitted")
	if set, _ := e["set"].([]any); len(set) != 1 {
		t.Errorf("set: %v", e["set"])
	}
	if problems, _ := e["problems"].([]any); len(problems) != 3 {
		t.Errorf("problems: %v", e["problems"])
	}
	if got := c.call("javascript_tool", args{"code": "form.elements.name.value + '/' + sent.textContent"}); got != "Bob/" {
		t.Errorf("after a partial fill: %q", got)
	}
	c.refused("INVALID_ARGUMENTS", "fill_form", args{"fields": []field{{"value": "x"}, {"ref": "e1", "query": "y", "value": "x"}}}, "/fields/0", "/fields/1")
	c.refused("INVALID_ARGUMENTS", "fill_form", args{"fields": []field{}})
	c.refused("NOT_FOUND", "fill_form", args{"fields": []field{{"ref": "e99999", "value": "x"}}}, "0 of 1")
}

func TestFormInputKinds(t *testing.T) {
	t.Parallel()
	c, page := acting(t, toolkit.Options{})
	set := func(name, value, js, want string) {
		t.Helper()
		c.call("form_input", args{"ref": refOf(t, page, `"`+name+`"`), "value": value})
		if got := c.call("javascript_tool", args{"code": js}); got != want {
			t.Errorf("%s set to %q is %q, want %q", name, value, got, want)
		}
	}
	set("Controlled", "typed by a person", "react.dataset.state", "typed by a person")
	set("Controlled", "", "react.dataset.state", "")
	set("Editor", "New text", "ed.innerText", "New text")
	set("Fruit", "Pear", "combo.textContent + fruits.hidden", "Peartrue")
	page = c.call("read_page", args{"max_bytes": 100000})
	c.refused("INVALID_ARGUMENTS", "form_input", args{"ref": refOf(t, page, `"Fruit"`), "value": "Plum"}, "Apple", "Pear")
	if got := c.call("javascript_tool", args{"code": "fruits.hidden"}); got != "true" {
		t.Errorf("the list stays open after a value that it does not have: %s", got)
	}
	c.refused("NOT_ACTIONABLE", "form_input", args{"ref": refOf(t, page, `"Thief"`), "value": "x"}, "focus")
	if got := c.call("javascript_tool", args{"code": "victim.value"}); got != "" {
		t.Errorf("the value went to another field: %q", got)
	}
}
