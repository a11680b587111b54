package page_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestPageContent(t *testing.T) {
	c, _ := openReading(t)
	c.Expect("page_content", tooltest.Args{"selector": "caption"}, "<caption>Parts</caption>")
	if text := tooltest.Unfenced(c.Call("page_content", tooltest.Args{"selector": "caption", "outerHTML": false})); text != "Parts" {
		t.Errorf("inner markup: %q", text)
	}
	expectNone(t, c.Expect("page_content", tooltest.Args{}, "<h1>", "••••"), "hunter2")
	c.Expect("page_content", tooltest.Args{"max_bytes": 100}, "cursor")
	c.ExpectRefusal("NOT_FOUND", "page_content", tooltest.Args{"selector": "#nowhere"})
	c.ExpectRefusal("INVALID_ARGUMENTS", "page_content", tooltest.Args{"outerHTML": 1}, "/outerHTML")
}
