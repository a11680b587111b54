package audit_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestContractsBoundAudits judges a page by budgets of an audit.
func TestContractsBoundAudits(t *testing.T) {
	t.Parallel()
	home, c := serveSite(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	verdict := func(contract string) string {
		t.Helper()
		return c.Call("oc_assert", tooltest.Args{"contract": contract, "timeout_ms": 0})
	}
	c.Call("navigate", tooltest.Args{"url": home + "/clean"})
	if text := verdict(`{"audit":{"accessibility":{"max":0},"seo":0,"best_practices":0,"security":0}}`); !strings.Contains(text, `"pass"`) {
		t.Errorf("the clean page: %s", text)
	}
	c.Call("navigate", tooltest.Args{"url": home + "/broken"})
	if text := verdict(`{"audit":{"accessibility":{"max":0}}}`); !strings.Contains(text, `"fail"`) || !strings.Contains(text, "image-alt ×2") {
		t.Errorf("the page with defects: %s", text)
	}
	if text := verdict(`{"audit":{"seo":{"max":0,"rules":["title"]}}}`); !strings.Contains(text, `"pass"`) {
		t.Errorf("the title of the page with defects: %s", text)
	}
	for _, contract := range []string{`{"audit":{"seo":{"max":0,"rules":["titel"]}}}`, `{"audit":{"seo":{"max":0,"rules":["doctype"]}}}`} {
		if text := verdict(contract); !strings.Contains(text, `"inconclusive"`) {
			t.Errorf("%s: %s", contract, text)
		}
	}
	c.Call("navigate", tooltest.Args{"url": home + "/square.png"})
	if text := verdict(`{"audit":{"accessibility":{"max":0}}}`); !strings.Contains(text, `"inconclusive"`) {
		t.Errorf("a picture: %s", text)
	}
}
