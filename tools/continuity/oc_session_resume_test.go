package continuity_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestResumeReopensTabs closes one of two tabs, resumes, and finds it open again, and the right one
// current.
func TestResumeReopensTabs(t *testing.T) {
	c, home := tooltest.Connect(t, toolkit.Options{}), tooltest.ServeSite(t)
	first, _, _ := strings.Cut(c.Call("navigate", tooltest.Args{"url": home + "/index.html"}), " ")
	second, _, _ := strings.Cut(c.Call("tabs_create", tooltest.Args{"url": home + "/second.html"}), " ")
	text := c.Expect("oc_session_snapshot", tooltest.Args{
		"objective": "compare two pages", "currentStep": "reading", "nextActions": []string{"decide"}, "label": "half way",
	}, "tabs 2")
	id := strings.TrimSuffix(strings.Fields(text)[1], ",")
	c.Call("tabs_close", tooltest.Args{"tabId": second})
	resumed := c.Expect("oc_session_resume", nil, "task: compare two pages", "label: half way", "tab "+first+" is open: ", "tab "+second+" was opened again as ")
	_, rest, _ := strings.Cut(resumed, "opened again as ")
	third, address, _ := strings.Cut(rest, ": ")
	if !strings.HasPrefix(address, home+"/second.html") {
		t.Errorf("opened again: %q", address)
	}
	c.Expect("tabs_context", nil, `"current":"`+third+`"`, `"tabCount":2`)
	c.Expect("read_page", nil, "Second")
	c.Expect("oc_session_resume", tooltest.Args{"snapshotId": id}, "tab "+second+" is open as "+third)
	c.Expect("tabs_context", nil, `"tabCount":2`)
	c.ExpectRefusal("NOT_FOUND", "oc_session_resume", tooltest.Args{"snapshotId": "nope"})
}
