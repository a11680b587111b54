package codegen_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/codegen"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// Elements that a step names by words, or inside of a list, are written; each step that is not is said.
func TestWorkflowDescribesEveryElement(t *testing.T) {
	t.Parallel()
	words := step(1, "form_input", `{"query":"Amount","value":"5"}`, "/query")
	words.Targets["/query"] = locate.Identity{Role: "textbox", Name: "Amount"}
	form := step(2, "fill_form", `{"fields":[{"query":"Name","value":"Ada"},{"ref":"e2","value":"London"}]}`, "/fields/0/query", "/fields/1/ref")
	form.Targets["/fields/1/ref"] = locate.Identity{Role: "textbox", Name: "City"}
	several := step(3, "act", `{"steps":[{"action":"click","ref":"e3"}]}`, "/steps/0/ref")
	several.Targets["/steps/0/ref"] = locate.Identity{Role: "button", Name: "Save"}
	drag := step(4, "drag_drop", `{"query":"Card","target_ref":"e9"}`, "/query", "/target_ref")
	drag.Targets["/target_ref"] = locate.Identity{Role: "list", Name: "Done"}
	refused := step(5, "interact", `{"query":"Gone"}`)
	refused.Outcome = "NOT_FOUND"
	hover := step(6, "interact", `{"query":"Help for Ann","action":"hover"}`, "/query")
	hover.Targets["/query"] = locate.Identity{Role: "button", Name: "Help", Label: "Ann"}
	upload := step(7, "file_upload", `{"query":"Photo","filePaths":["a.png"]}`, "/query")
	upload.Targets["/query"] = locate.Identity{Role: "button", Name: "Photo"}
	inside := step(8, "fill_form", `{"fields":[{"query":"City in Work address","value":"Oslo"}]}`, "/fields/0/query")
	out, err := codegen.Workflow(recorder.Recording{ID: "rec-1"}, []recorder.Step{words, form, several, drag, refused, hover, upload, inside})
	if err != nil {
		t.Fatal(err)
	}
	has(t, string(out), "query: Amount", "query: Name", "query: City", "query: Save button", "query: Card", "target_query: Done", "default: \"5\"", "action: hover", "query: Photo", "query: City in Work address")
	if got := codegen.LeftOut(out); len(got) != 1 || got[0] != "step 5, interact: it was refused: NOT_FOUND" || strings.Contains(string(out), "ref: ") {
		t.Errorf("left out %q of\n%s", got, out)
	}
}

// TestWorkflow writes a workflow: values are parameters, elements are described, tabs are variables, and
// what cannot be written is listed.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	masked := step(3, "form_input", `{"ref":"e1","value":"[masked]"}`, "/ref")
	masked.Targets["/ref"] = locate.Identity{Role: "textbox", Name: "Password"}
	masked.MaskedPointers = []string{"/value"}
	opening := step(4, "interact", `{"ref":"e2"}`, "/ref")
	opening.Targets["/ref"], opening.OpenedTabs = locate.Identity{Role: "link", Name: "Terms", Label: "Row 1"}, []string{"t2"}
	there := step(5, "interact", `{"ref":"e2","action":"hover"}`, "/ref")
	there.Tab = "t2"
	nameless := step(6, "interact", `{"ref":"e3"}`, "/ref")
	nameless.Targets["/ref"] = locate.Identity{Role: "button"}
	judged := step(7, "oc_assert", `{"contract":"{\"url\":\"/done\"}","timeout_ms":5000}`)
	judged.Verdict = json.RawMessage(`{"verdict":"pass"}`)
	out, err := codegen.Workflow(recorder.Recording{ID: "rec-1", Label: "Order, now!"}, []recorder.Step{
		step(1, "navigate", `{"url":"https://a.example/x"}`), step(2, "form_input", `{"ref":"e1","value":"Ada {{ x }}"}`, "/ref"), masked, opening, there, nameless, judged,
	})
	if err != nil {
		t.Fatal(err)
	}
	has(t, string(out), "default: Ada {{ x }}", "# Left out: step 6, interact: its element has no name", "order_now:",
		"required: true", "default: https://a.example/x", `url: "{{ url }}"`, `value: "{{ password }}"`, "query: Terms Row 1", `regex(\"opened tab (t[0-9]+)\")`,
		`tabId: "{{ t2 }}"`, "call: callsheet:oc_assert", "timeout_ms: 5000\n", `result.structuredContent.verdict == "pass"`)
	if strings.Contains(string(out), "ref: ") {
		t.Errorf("a ref is in %s", out)
	}
	out, err = codegen.Workflow(recorder.Recording{ID: "rec-2", Label: "Login"}, nil) // a tool has this name
	if err != nil {
		t.Fatal(err)
	}
	has(t, string(out), "workflow run recorded_login", "\nrecorded_login:")
}
