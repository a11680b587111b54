package webmcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// What the specification and its declarative draft show: functions with and without a schema, a signal that ends
// a registration, forms that a call submits or a person, and the events of a page.
func TestSpecificationExamples(t *testing.T) {
	t.Parallel()
	url := testPages(t)
	inBothEras(t, allowing(t), func(t *testing.T, c tooltest.Client, listed bool) {
		openPage(t, c, url+"/specification")
		h := offered(t, c, "clear-todos")
		for _, name := range []string{"add-todo", "list-todos", "clear-todos", "search-cars", "book-table", "subscribe"} {
			if h[name] == "" {
				t.Errorf("%s is not offered: %v", name, h)
			}
		}
		if got := len(entries(t, c)); listed && got != 6 || !listed && got != 0 {
			t.Errorf("the list has %d tools of the page", got)
		}
		c.Expect("page_tool", call(h["add-todo"], tooltest.Args{"text": "buy milk"}), `Added "buy milk". 1 to-dos in all.`)
		c.ExpectRefusal("INVALID_ARGUMENTS", "page_tool", call(h["add-todo"], tooltest.Args{}), "text")
		c.ExpectRefusal("INVALID_ARGUMENTS", "page_tool", call(h["add-todo"], tooltest.Args{"text": ""}), "minLength")
		c.Expect("page_tool", call(h["list-todos"], nil), `{"items":["buy milk"]}`)

		c.Expect("page_tool", call(h["search-cars"], tooltest.Args{"make": "BMW", "model": "330i", "drive": "all"}), "Found 2 of BMW 330i, drive all")
		c.ExpectRefusal("INVALID_ARGUMENTS", "page_tool", call(h["search-cars"], tooltest.Args{"make": "BMW"}), "model")
		if log := evaluate(c, "log.join()"); !strings.Contains(log, "activated search-cars") || !strings.Contains(log, "submit true") {
			t.Errorf("the events of the page: %s", log)
		}
		if text := c.Call("page_tool", nil); !strings.Contains(text, "a form that somebody must submit") || !strings.Contains(text, "make: The vehicle's make, such as BMW") {
			t.Errorf("the list does not describe the forms:\n%s", text)
		}
		attended(t, c, h["book-table"])

		evaluate(c, "route.abort()")
		tooltest.Eventually(t, "the tool of the signal is gone", func() bool { return handles(t, c)["clear-todos"] == "" })
		c.ExpectRefusal("PAGE_TOOL_GONE", "page_tool", call(h["clear-todos"], nil))
		c.Expect("page_tool", call(h["subscribe"], tooltest.Args{"address": "a@b.example"}), "another document", "/plain?address=a%40b.example")
		tooltest.Eventually(t, "the tools are gone with the page", func() bool { return len(handles(t, c)) == 0 })
	})
}

// attended calls a form that somebody else submits: while the call waits, the form is filled in and other calls
// work. A call that ends first is cancelled in the page.
func attended(t *testing.T, c tooltest.Client, handle string) {
	t.Helper()
	fill := func(ctx context.Context, guests string) <-chan string {
		done := make(chan string, 1)
		go func() {
			res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "page_tool", Arguments: call(handle, tooltest.Args{"guests": json.Number(guests)})})
			if err != nil {
				done <- err.Error()
				return
			}
			done <- tooltest.Text(res)
		}()
		tooltest.Eventually(t, "the form is filled in", func() bool { return strings.Contains(evaluate(c, "table.guests.value"), guests) })
		return done
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := fill(ctx, "4")
	cancel()
	<-done
	tooltest.Eventually(t, "the page hears toolcancel", func() bool { return strings.Contains(evaluate(c, "log.join()"), "cancel book-table") })
	done = fill(t.Context(), "7")
	evaluate(c, "table.requestSubmit(), 'submitted'")
	if answer := <-done; !strings.Contains(answer, "A table for 7") {
		t.Errorf("the form answers %s", answer)
	}
}
