package heap_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestContractsBoundGrowth: a page that keeps 4 MB more breaks a contract of 1 MB, one that lets them
// go keeps it.
func TestContractsBoundGrowth(t *testing.T) {
	t.Parallel()
	home, c := serveLeaks(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home})
	expect := func(verdict, contract string) {
		t.Helper()
		text := c.Call("oc_assert", tooltest.Args{"contract": contract, "timeout_ms": 300})
		if !strings.Contains(text, `"verdict":"`+verdict+`"`) {
			t.Errorf("%s is not %s: %s", contract, verdict, text)
		}
	}
	expect("inconclusive", `{"heap": "< 1 MB"}`)
	expect("pass", `{"heap": {"growth": "< 1 MB", "size": "< 100 MB"}}`)
	c.ExpectScript("globalThis.kept = Array.from({ length: 1000 }, (_, i) => new Array(1000).fill(i)); 1", "1")
	expect("fail", `{"heap": "< 1 MB"}`)
	c.ExpectScript("globalThis.kept = null; churn(); 1", "1")
	expect("pass", `{"heap": "< 1 MB"}`)
	c.Call("page_reload", nil)
	expect("inconclusive", `{"not": {"heap": "< 1 MB"}}`)
	c.ExpectScript("globalThis.kept = Array.from({ length: 1000 }, (_, i) => new Array(1000).fill(i)); 1", "1")
	c.Call("heap_snapshot", nil)
	expect("pass", `{"heap": "< 1 MB"}`)
}
