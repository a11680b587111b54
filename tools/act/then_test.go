package act_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// openCounter serves a page with a button that adds a line, a field, and three hundred list items.
func openCounter(t *testing.T) (tooltest.Client, string) {
	t.Helper()
	var items strings.Builder
	for i := range 300 {
		fmt.Fprintf(&items, "<li><button>Item %d of the list</button></li>", i)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Counter</title><link rel=icon href=data:,><h1>Counter</h1>
<button onclick="out.append(Object.assign(document.createElement('p'), {textContent: 'Line ' + ++n}))">Add</button>
<label>Age <input id=age></label><div id=out></div><ul>`+items.String()+`</ul><script>let n = 0</script>`)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return tooltest.Connect(t, toolkit.Options{}), srv.URL
}

func TestActionsAnswerWithTheChangedPage(t *testing.T) {
	t.Parallel()
	c, home := openCounter(t)
	if got := c.Expect("navigate", tooltest.Args{"url": home, "then": "read"}, "<page ", `button "Add" [e`, "</page "); len(got) > 17000 {
		t.Errorf("the page of a navigation has %d bytes", len(got))
	}
	got := c.Expect("interact", tooltest.Args{"query": "Add", "then": "diff"}, `clicked button "Add"`, "+ - text: Line 1", "since the last reading")
	if len(got) > 1000 || strings.Contains(got, "Item 7 ") {
		t.Errorf("a diff shows the page: %s", got)
	}
	c.Expect("form_input", tooltest.Args{"query": "Age", "value": 42, "then": "diff"}, "set textbox", `<page `)
	c.Expect("act", tooltest.Args{"steps": []tooltest.Args{{"action": "click", "query": "Add"}}, "then": "diff"}, "1. clicked", "Line 2")
	if got := c.Call("interact", tooltest.Args{"query": "Add"}); strings.Contains(got, "<page") {
		t.Errorf("the page comes unasked: %s", got)
	}
	c.Expect("navigate", tooltest.Args{"url": home + "/again", "then": "diff"}, "[not a diff: there is no earlier reading", "[cut, ", " kB left; cursor ")
}

func TestStepsReadFindAndExpect(t *testing.T) {
	t.Parallel()
	c, home := openCounter(t)
	c.Call("navigate", tooltest.Args{"url": home})
	c.Expect("act", tooltest.Args{"steps": []tooltest.Args{
		{"action": "set", "query": "Age", "value": 42}, {"action": "expect", "query": "Age", "value": "42"}, {"action": "click", "query": "Add"},
		{"action": "expect", "value": "line 1"}, {"action": "find", "query": "Item 29"}, {"action": "read", "query": "Counter heading"},
	}}, "2. as expected", "4. as expected", "5. found", `"Item 29 of the list"`, "6. read\n<page ", `heading "Counter"`)
	c.ExpectRefusal("NOT_FOUND", "act", tooltest.Args{"steps": []tooltest.Args{{"action": "expect", "value": "Line 9"}, {"action": "click", "query": "Add"}}},
		"step 1 of 2", "Line 9", "is not on the page")
	c.ExpectRefusal("NOT_FOUND", "act", tooltest.Args{"steps": []tooltest.Args{{"action": "expect", "query": "Age", "value": "43"}}}, "expected", "42")
	c.ExpectRefusal("INVALID_ARGUMENTS", "act", tooltest.Args{"steps": []tooltest.Args{{"action": "expect"}, {"action": "find"}}}, "/steps/0", "/steps/1")
	if got := c.Call("read_page", tooltest.Args{"mode": "markdown"}); strings.Contains(got, "Line 2") {
		t.Error("a step after a failed expectation was performed")
	}
}

func TestRefsInBracketsAndNumbersAreAccepted(t *testing.T) {
	t.Parallel()
	c, home := openCounter(t)
	reading := c.Call("navigate", tooltest.Args{"url": home, "then": "read"})
	c.Expect("interact", tooltest.Args{"ref": "[" + tooltest.Ref(t, reading, `"Add"`) + "]"}, `clicked button "Add"`)
	c.Expect("fill_form", tooltest.Args{"fields": []tooltest.Args{{"query": "Age", "value": 7}}}, "set 1 of 1 fields")
	c.Expect("javascript_tool", tooltest.Args{"code": "age.value"}, "7")
}
