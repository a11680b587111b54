package policy_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/policy"
)

// TestAPersonIsAskedAboutToolsOfPages decides about the one power that is not allowed by default: a decision of
// the file wins, and another power of the call does not.
func TestAPersonIsAskedAboutToolsOfPages(t *testing.T) {
	t.Parallel()
	none := policy.Default()
	if d := none.Call(policy.Call{Tool: "page_tool", Powers: []string{"webmcp"}}); d.Verdict != policy.Ask || !d.Rule.IsDefault() || !strings.Contains(d.Remedy, "--policy FILE") {
		t.Errorf("without a file: %+v", d)
	}
	if d := none.Call(policy.Call{Tool: "evaluate", Powers: []string{"script"}}); d.Verdict != policy.Allow {
		t.Errorf("another power: %+v", d)
	}
	if none.DecidesCalls([]string{"script"}) || !none.DecidesCalls([]string{"script", "webmcp"}) {
		t.Error("without a file, calls with the power alone are decided about")
	}
	text := "version: 1\ndecisions:\n  - {power: webmcp, origin: https://shop.example, decision: allow}\n  - {power: script, decision: allow}\n"
	file := policy.Parse("p.yaml", []byte(text), policy.Vocabulary{Powers: []string{"webmcp", "script"}})
	if err := file.Err(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		powers []string
		origin string
		want   policy.Verdict
		line   int
	}{
		{[]string{"webmcp"}, "https://shop.example", policy.Allow, 3}, {[]string{"webmcp"}, "https://evil.example", policy.Ask, 0},
		{[]string{"script", "webmcp"}, "https://evil.example", policy.Ask, 0}, {[]string{"webmcp", "script"}, "https://evil.example", policy.Ask, 0},
		{[]string{"webmcp", "script"}, "https://shop.example", policy.Allow, 3},
	} {
		if d := file.Policy.Call(policy.Call{Tool: "page_tool", Powers: c.powers, Origin: c.origin}); d.Verdict != c.want || d.Rule.Pos.Line != c.line {
			t.Errorf("%v on %s: %s by %s, want %s by line %d", c.powers, c.origin, d.Verdict, d.Rule, c.want, c.line)
		}
	}
}
