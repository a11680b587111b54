package prove_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/prove"
)

// TestUpstreamRulesAreRefused runs the prover over the rules whose deletion made this package
// necessary.
func TestUpstreamRulesAreRefused(t *testing.T) {
	set, opt := load(t, "upstream.txt")
	got := prove.Check(set, opt)

	want := []string{
		"enable_debug_tools", "breakpoint", "step", "execution", "call_stack", "evaluate", "pause_on_exceptions",
	}
	if diff := cmp.Diff(asSet(want), asSet(toolsAt(set, got, "unreachable-tool"))); diff != "" {
		t.Errorf("unreachable tools (-want +got):\n%s", diff)
	}
	const locked = `tools.yaml:5:17: only "enable_debug_tools" can set "debugger_enabled", and nothing leads from the initial ` +
		"state to a state that shows it [hidden-unlocker]\n" +
		"\ttools.yaml:29:6: \"enable_debug_tools\" needs debugger_enabled && !paused\n"
	var unlockers diag.List
	for _, d := range got {
		if d.Rule == "hidden-unlocker" {
			unlockers = append(unlockers, d)
		}
	}
	if diff := cmp.Diff(locked, render(unlockers)); diff != "" {
		t.Errorf("hidden unlocker (-want +got):\n%s", diff)
	}
	if len(got) != len(want)+1 {
		t.Errorf("want nothing else reported:\n%s", render(got))
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

func toolsAt(set *model.Toolset, l diag.List, rule string) []string {
	var out []string
	for _, d := range l {
		for _, tool := range set.Tools {
			if d.Rule == rule && d.Pos == tool.Pos {
				out = append(out, tool.Name)
			}
		}
	}
	return out
}

func asSet(names []string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}
