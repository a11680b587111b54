package oracle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadControls(t *testing.T) {
	t.Parallel()
	const reading = `http://127.0.0.1/ "button \"x\" [e1]"
- heading "A link" level 1
- button "Save \"x\" [1]" [e2] disabled
- group:
  - link "1" [e3] current | "2" [e4] | "Next" [e5] → /next
  - combobox "Num" [e6] value "2" options "1" | "2"
- row: Person [e7] button "Sort" [e8] sorted ascending | Office [e9] | checkbox [e10]
- text: no control
`
	var got []string
	for _, c := range readControls(reading) {
		got = append(got, c.String())
	}
	want := []string{`button "Save \"x\" [1]"`, `link "1"`, `link "2"`, `link "Next"`, `combobox "Num"`, `button "Sort"`, `checkbox`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	tree := []control{
		{Role: "button", Name: "Save"}, {Role: "link", Name: "Home"}, {Role: "textbox", Name: "Mail"},
		{Role: "textbox", Name: "Long name"}, {Role: "tab", Name: "ONE"}, {Role: "slider", Name: "Hidden", Unseen: true},
	}
	reading := []control{
		{Role: "button", Name: "Save"}, {Role: "button", Name: "Home"}, {Role: "textbox", Name: "Long…"}, {Role: "tab", Name: "One"},
		{Role: "slider", Name: "Hidden"}, {Role: "clickable", Name: "Row"},
	}
	got := map[string]bool{}
	for _, d := range compare(tree, reading) {
		got[d.Cause] = d.Deliberate
	}
	want := map[string]bool{
		"another role": false, "the reading lacks a control": false, "the reading has a control that the probe calls invisible": false,
		"an element with listeners and without a role is a control for the pointer; the tree calls it generic": true,
		"capital letters that a style sheet makes are not part of a name: words are compared without case":     true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
