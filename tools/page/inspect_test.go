package page_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestInspect(t *testing.T) {
	c, _ := openReading(t)
	errs := c.Expect("inspect", tooltest.Args{"query": "any errors?"}, "Errors:", "Out of lamps soon")
	expectNone(t, errs, "Headings:")
	c.Expect("inspect", tooltest.Args{"query": "xyzzy"}, "Headings:", "Form fields:", "Page:", "Focused:\n  nothing")
	expectNone(t, c.Expect("inspect", tooltest.Args{"query": "form fields"}, `textbox "Mail"`), "hunter2", "ada@")
	c.ExpectRefusal("INVALID_ARGUMENTS", "inspect", tooltest.Args{}, "/query")
	c.ExpectRefusal("INVALID_ARGUMENTS", "inspect", tooltest.Args{"query": "x", "scope": "most"}, "/scope")
}
