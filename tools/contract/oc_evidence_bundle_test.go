package contract_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestEvidenceBundle: everything of a tab in an archive, without passwords and tokens.
func TestEvidenceBundle(t *testing.T) {
	t.Parallel()
	c, _ := openContractPage(t)
	expectVerdict(c, "pass", tooltest.Args{"timeout_ms": 15000}, `{"network":{"contains":"/missing","status":404}}`)
	parts, answer := c.EvidenceBundle(nil)
	for name, want := range map[string]string{
		"dom.html": "Order received", "screenshot.png": "\x89PNG", "network.json": "/missing?token=REDACTED", "console.json": "the page is ready", "phash.txt": "",
	} {
		if text, ok := parts[name]; !ok || !strings.Contains(text, want) {
			t.Errorf("%s lacks %q: %.300s", name, want, text)
		}
	}
	for name, text := range parts {
		if strings.Contains(text, "correct horse") || name != "dom.html" && strings.Contains(text, "abcdef") { // the page's own script has it
			t.Errorf("%s tells a secret", name)
		}
	}
	if len(answer["parts"].([]any)) != 5 || len(answer["phash"].(string)) != 16 {
		t.Errorf("%v", answer)
	}
	parts, _ = c.EvidenceBundle(tooltest.Args{"include": []string{"network"}, "network_window_ms": 0})
	if len(parts) != 1 || strings.TrimSpace(parts["network.json"]) != "[]" {
		t.Errorf("%v", parts)
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", toolset.ToolOcEvidenceBundle, tooltest.Args{"class": "../x"}, "/class")
}
