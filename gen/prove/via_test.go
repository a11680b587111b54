package prove_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/prove"
)

func TestVia(t *testing.T) {
	set, _ := load(t, "seed.txt")
	space := prove.Walk(set)
	for _, c := range []struct{ tool, from, want string }{
		{"debugger_resume", "", "chrome_connect > debugger_enable > debugger_pause"},
		{"debugger_resume", "connected", "debugger_enable > debugger_pause"},
		{"debugger_resume", "connected debugger_enabled", "debugger_pause"},
		{"debugger_resume", "connected debugger_enabled paused", ""},
		{"debugger_pause", "connected debugger_enabled paused", "debugger_resume"},
		{"debugger_enable", "connected debugger_enabled", "switch_target"}, // sure, where chrome_disconnect only may
		{"chrome_switch_connection", "", "chrome_connect"},
		{"navigate", "", "chrome_connect"},
		{"chrome_connect", "", ""},
	} {
		got := space.Via(tool(t, set, c.tool), state(t, set, c.from)).String()
		if got != c.want {
			t.Errorf("%s from {%s}: via %q, want %q", c.tool, c.from, got, c.want)
		}
	}
}

// TestViaAvoidsEvents: a client can call a tool and can only wait for an event.
func TestViaAvoidsEvents(t *testing.T) {
	set, _ := parse(t, `
facts a b ready
event luck: !ready | sets ready
tool first: !a | sets a
tool second: a && !b | sets b
tool third: b && !ready | sets ready
tool clear: ready | clears a b ready
tool goal: ready
tool alone: ready && !a
`)
	space := prove.Walk(set)
	if got := space.Via(tool(t, set, "goal"), prove.Initial).String(); got != "first > second > third" {
		t.Errorf("via %q, want three calls rather than one event", got)
	}
	if got := space.Via(tool(t, set, "alone"), prove.Initial).String(); got != "[luck]" {
		t.Errorf("via %q, want the event where there is no other way", got)
	}
}

// TestViaPrefersSureCalls: of two equally short ways the one that cannot fail, and of two sure ones
// the first by name, whatever stands beside them.
func TestViaPrefersSureCalls(t *testing.T) {
	set, _ := parse(t, `
facts x y
tool a: !x | may_set x
tool b: !y | sets y
tool c: !x | sets x
tool clear: x || y | clears x y
tool goal: x
tool either: x || y
`)
	space := prove.Walk(set)
	if got := space.Via(tool(t, set, "goal"), prove.Initial).String(); got != "c" {
		t.Errorf("via %q, want the sure call", got)
	}
	if got := space.Via(tool(t, set, "either"), prove.Initial).String(); got != "b" {
		t.Errorf("via %q, want the first sure call by name", got)
	}
}

func TestViaTable(t *testing.T) {
	set, _ := load(t, "seed.txt")
	table := prove.Walk(set).ViaTable()
	type row struct {
		Predicate string
		Tools     int
		Mask      []string
		Entries   int
	}
	var got []row
	for _, r := range table.Rows {
		got = append(got, row{r.Predicate.Text, len(r.Tools), r.Mask.Names(set.Facts), len(r.Entries)})
	}
	want := []row{
		{"connected", 8, nil, 1},
		{"multiple_connections", 1, nil, 1},
		{"connected && !debugger_enabled", 1, []string{"debugger_enabled"}, 2},
		{"paused", 6, []string{"connected", "debugger_enabled"}, 3},
		{"debugger_enabled && !paused", 1, []string{"connected", "paused"}, 3},
		{"debugger_enabled", 3, []string{"connected"}, 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	var paths []string
	for _, p := range table.Paths {
		paths = append(paths, p.String())
	}
	wantPaths := []string{
		"chrome_connect", "debugger_enable", "debugger_pause", "debugger_resume", "switch_target",
		"chrome_connect > debugger_enable", "debugger_enable > debugger_pause",
		"chrome_connect > debugger_enable > debugger_pause",
	}
	if diff := cmp.Diff(wantPaths, paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

func TestNothingToWalk(t *testing.T) {
	set, _ := parse(t, "facts a\ninvariant a\ntool look: a | sets a\n")
	space := prove.Walk(set)
	if n := len(space.States()); n != 0 {
		t.Errorf("%d states in a space without a beginning", n)
	}
	if space.Has(prove.Initial) || space.Witness(prove.Initial) != nil || space.Via(set.Tools[0], prove.Initial) != nil {
		t.Error("an empty space reaches something")
	}
	if table := space.ViaTable(); len(table.Rows)+len(table.Paths) != 0 {
		t.Errorf("an empty space gives advice: %+v", table)
	}
}

// TestViaIsBest: every path leads to a state that shows the tool, no other has fewer events or,
// with as few, fewer steps, and the table says the same as the search.
func TestViaIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := toolset(t)
		n, space := naive{set}, prove.Walk(set)
		table := space.ViaTable()
		reached := n.distances(prove.Initial)
		for _, tool := range set.Tools {
			best := n.prices(reached, tool.Visible)
			for s := range reached {
				path := space.Via(tool, s)
				if want := best[s]; want != priceOf(path) {
					t.Fatalf("via %q costs %+v, want %+v", path, priceOf(path), want)
				}
				if tool.Visible.Holds(uint64(s)) {
					continue
				}
				if diff := cmp.Diff(path.String(), table.Lookup(tool, s).String()); diff != "" {
					t.Fatalf("table for %s in %v (-via +table):\n%s", tool.Name, s.Names(set.Facts), diff)
				}
				if len(path) > 0 && !n.shows(tool, n.follow(s, path)) {
					t.Fatalf("via %q from %v does not show %s", path, s.Names(set.Facts), tool.Name)
				}
			}
		}
	})
}

func (n naive) shows(tool *model.Tool, at states) bool {
	for s := range at {
		if tool.Visible.Holds(uint64(s)) {
			return true
		}
	}
	return false
}

func priceOf(p prove.Path) price {
	out := price{steps: len(p)}
	for _, s := range p {
		if s.Event != nil {
			out.events++
		}
	}
	return out
}

func TestViaTableIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := toolset(t)
		a, b := fmt.Sprint(prove.Walk(set).ViaTable()), fmt.Sprint(prove.Walk(set).ViaTable())
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("two tables differ:\n%s", diff)
		}
	})
}

func BenchmarkViaTable(b *testing.B) {
	space := prove.Walk(large(12, 60))
	for b.Loop() {
		space.ViaTable()
	}
}
