package continuity_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestJournal(t *testing.T) {
	c, home := tooltest.Connect(t, toolkit.Options{}), tooltest.ServeSite(t)
	c.Expect("oc_journal", nil, "no calls")
	c.Call("navigate", tooltest.Args{"url": home + "/form.html?token=hunter2"})
	ref := tooltest.Ref(t, c.Call("read_page", nil), "textbox")
	c.Call("form_input", tooltest.Args{"ref": ref, "value": "hunter2"})
	c.ExpectRefusal("NOT_FOUND", "interact", tooltest.Args{"query": "no such thing", "waitForMs": 0})
	c.Expect("oc_journal", nil, "calls from", "1 refused", "navigate 1", "interact NOT_FOUND 1")
	recent := c.Expect("oc_journal", tooltest.Args{"action": "recent", "count": 100}, "/form.html", `"ref":"`+ref+`"`, "NOT_FOUND")
	if strings.Contains(recent, "hunter2") {
		t.Errorf("the journal keeps values:\n%s", recent)
	}
	if got := c.Call("oc_journal", tooltest.Args{"action": "recent", "tool": "navigate", "count": 1}); strings.Count(got, "\n") != 0 || !strings.Contains(got, "navigate") {
		t.Errorf("one navigate was asked for: %s", got)
	}
	c.Expect("oc_journal", tooltest.Args{"since": "2h"}, "navigate 1")
	c.Expect("oc_journal", tooltest.Args{"since": "2999-01-01T00:00:00Z"}, "no calls")
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_journal", tooltest.Args{"since": "yesterday"}, "30m, 2h, 1d")
}
