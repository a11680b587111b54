package viewtest_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

// open shows a part of the ui, and waits until it is there.
func open(person tooltest.Client, address, ready string) {
	person.T.Helper()
	person.Call("javascript_tool", tooltest.Args{"code": "location.hash = '" + address + "'; 0"})
	person.WaitScript(ready)
}

// click clicks the element that a query of a person's tab means.
func click(person tooltest.Client, query string) {
	person.T.Helper()
	person.Call("interact", tooltest.Args{"query": query})
}

// text is an expression: whether the texts of the elements that match a selector contain a text.
func text(selector, want string) string {
	return "[...document.querySelectorAll(" + quote(selector) + ")].some((e) => e.textContent.includes(" + quote(want) + "))"
}
