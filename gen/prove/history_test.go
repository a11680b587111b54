package prove_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/prove"
)

// TestUpstreamRulesAreRefused runs the prover over the rules whose deletion made this package
// necessary.
func TestUpstreamRulesAreRefused(t *testing.T) {
	set, opt := load(t, "upstream.txt")
	got := prove.Check(set, opt)

	// Six more tools are hidden, and the fact can never come true: all of that follows from one predicate.
	const want = `tools.yaml:29:6: tool "enable_debug_tools" is visible in no reachable state: it needs debugger_enabled && !paused [unreachable-tool]
	hint: debugger_enabled is true in no reachable state: only "enable_debug_tools" can set it, and that needs a state that is never reached; so "breakpoint", "call_stack", "evaluate", "execution" and 2 more are visible in no reachable state
`
	if diff := cmp.Diff(want, render(got)); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}

	counts := map[string]int{"": 2, "connected": 12, "connected debugger_enabled": 16, "connected debugger_enabled paused": 5}
	for names, n := range counts {
		if got := len(prove.Walk(set).Visible(state(t, set, names))); got != n {
			t.Errorf("{%s}: %d tools, want %d as shipped", names, got, n)
		}
	}
}

// TestUpstreamRulesMended shows that the one-word repair is enough.
func TestUpstreamRulesMended(t *testing.T) {
	set, opt := load(t, "upstream.txt")
	tool(t, set, "enable_debug_tools").Visible = tool(t, set, "target").Visible
	if got := prove.Check(set, opt); len(got) > 0 {
		t.Errorf("refused:\n%s", render(got))
	}
}

// TestSeedRules holds the founding rule table against the measured sizes of its lists, in tools and
// in bytes.
func TestSeedRules(t *testing.T) {
	set, opt := load(t, "seed.txt")
	if got := prove.Check(set, opt); len(got) > 0 {
		t.Errorf("refused:\n%s", render(got))
	}
	space := prove.Walk(set)
	if got := len(space.Legal()); got != 7 {
		t.Errorf("%d legal states, want 7", got)
	}
	if got := len(space.States()); got != 7 {
		t.Errorf("%d reachable states, want 7", got)
	}
	for _, want := range []struct {
		facts        string
		tools, bytes int
	}{
		{"", 3, 1382},
		{"connected", 12, 6104},
		{"connected multiple_connections", 13, 6397},
		{"connected debugger_enabled", 15, 7558},
		{"connected debugger_enabled paused", 20, 9076},
		{"connected debugger_enabled paused multiple_connections", 21, 9369},
	} {
		listed := space.Visible(state(t, set, want.facts))
		bytes := 1 + len(listed) // brackets and commas
		for _, tool := range listed {
			bytes += opt.Sizes(tool)
		}
		if len(listed) != want.tools || bytes != want.bytes {
			t.Errorf("{%s}: %d tools in %d bytes, want %d in %d", want.facts, len(listed), bytes, want.tools, want.bytes)
		}
	}
	opt.ListBytes-- // the fixture's budget is exactly the largest list
	if got := prove.Check(set, opt); len(got) != 1 || got[0].Rule != "list-budget" {
		t.Errorf("want one list-budget, got:\n%s", render(got))
	}
}
