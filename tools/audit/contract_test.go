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

// TestRecordingsProveAudits records a budget as a step and as the contract of a skill, and plays them on the page
// with defects, where both must fail.
func TestRecordingsProveAudits(t *testing.T) {
	t.Parallel()
	home, c := serveSite(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	const budget = `{"audit":{"accessibility":{"max":0}}}`
	c.Call("oc_recording_start", tooltest.Args{"screenshots": false})
	c.Call("navigate", tooltest.Args{"url": home + "/clean"})
	c.Expect("oc_assert", tooltest.Args{"contract": budget, "timeout_ms": 0}, `"verdict":"pass"`)
	id := tooltest.RecordingID(t, c.Call("oc_recording_stop", nil))
	skill := strings.Fields(c.Call("oc_skill_record", tooltest.Args{"name": "clean", "recording": id, "parameters": []string{"page=clean"}}))[1]
	if text := tooltest.Text(c.Do("oc_skill_replay", tooltest.Args{"skill": skill})); !strings.Contains(text, "completed: 2 of 2") {
		t.Errorf("the page as recorded: %s", text)
	}
	res := c.Do("oc_skill_replay", tooltest.Args{"skill": skill, "params": []string{"page=broken"}})
	if text := tooltest.Text(res); strings.Contains(text, "contract pass") || !strings.Contains(text, "verdict fail") {
		t.Errorf("the page with defects: %s", text)
	}
}
