package prove_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/prove"
)

// toolset draws a small tool set. Each thing has a line of its own, so that a diagnostic's position
// says what it is about: tools stand on lines 1 to 99, facts from 100, events from 200.
func toolset(t *rapid.T) *model.Toolset {
	set := &model.Toolset{}
	for i := range rapid.IntRange(1, 5).Draw(t, "facts") {
		set.Facts = append(set.Facts, &model.Fact{Name: string(rune('a' + i)), Bit: i, Pos: line(100 + i)})
	}
	for range rapid.IntRange(0, 2).Draw(t, "invariants") {
		p := invariant(t, set.Facts)
		set.Invariants = append(set.Invariants, &model.Invariant{Text: p.Text, Predicate: p})
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "tools") {
		set.Tools = append(set.Tools, &model.Tool{Name: fmt.Sprintf("t%d", i), Visible: predicate(t, set.Facts),
			Changes: change(t, set.Facts), Pos: line(1 + i)})
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "events") {
		set.Events = append(set.Events, &model.Event{Name: fmt.Sprintf("e%d", i), When: predicate(t, set.Facts),
			Changes: change(t, set.Facts), Pos: line(200 + i)})
	}
	return set
}

func line(n int) diag.Pos { return diag.Pos{File: "tools.yaml", Line: n, Col: 1} }

func predicate(t *rapid.T, facts []*model.Fact) model.Predicate {
	if rapid.IntRange(0, 4).Draw(t, "always") == 0 {
		return model.Predicate{}
	}
	e := expression(t, facts, 2)
	return model.Predicate{Text: text(e), Expr: e}
}

// invariant draws an implication, which is true in the initial state, or now and then anything.
func invariant(t *rapid.T, facts []*model.Fact) model.Predicate {
	if rapid.IntRange(0, 9).Draw(t, "odd") == 9 {
		return predicate(t, facts)
	}
	e := model.OrExpr{X: model.NotExpr{X: expression(t, facts, 0)}, Y: expression(t, facts, 1)}
	return model.Predicate{Text: text(e), Expr: e}
}

func expression(t *rapid.T, facts []*model.Fact, depth int) model.Expr {
	shape := 0
	if depth > 0 {
		shape = rapid.IntRange(0, 4).Draw(t, "shape")
	}
	switch shape {
	case 2:
		return model.NotExpr{X: expression(t, facts, depth-1)}
	case 3:
		return model.AndExpr{X: expression(t, facts, depth-1), Y: expression(t, facts, depth-1)}
	case 4:
		return model.OrExpr{X: expression(t, facts, depth-1), Y: expression(t, facts, depth-1)}
	}
	return model.FactExpr{Fact: rapid.SampledFrom(facts).Draw(t, "fact")}
}

func text(e model.Expr) string {
	switch e := e.(type) {
	case model.FactExpr:
		return e.Fact.Name
	case model.NotExpr:
		return "!" + text(e.X)
	case model.AndExpr:
		return "(" + text(e.X) + " && " + text(e.Y) + ")"
	case model.OrExpr:
		return "(" + text(e.X) + " || " + text(e.Y) + ")"
	}
	return "always"
}

// change draws a change in which a fact stands in one list at most, or may be either; most facts
// stand in none.
func change(t *rapid.T, facts []*model.Fact) model.Change {
	var c model.Change
	for _, f := range facts {
		switch rapid.IntRange(0, 8).Draw(t, "effect") {
		case 4:
			c.Sets = append(c.Sets, f)
		case 5:
			c.Clears = append(c.Clears, f)
		case 6:
			c.MaySet = append(c.MaySet, f)
		case 7:
			c.MayClear = append(c.MayClear, f)
		case 8:
			c.MaySet, c.MayClear = append(c.MaySet, f), append(c.MayClear, f)
		}
	}
	return c
}

func TestWalkIsTheFixpoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := toolset(t)
		n, space := naive{set}, prove.Walk(set)
		want := n.distances(prove.Initial)
		got := map[prove.State]int{}
		for i, s := range space.States() {
			path := space.Witness(s)
			got[s] = len(path)
			if !n.follow(prove.Initial, path)[s] {
				t.Fatalf("witness %q does not lead to %v", path, s.Names(set.Facts))
			}
			if i > 0 && len(path) < len(space.Witness(space.States()[i-1])) {
				t.Fatalf("states are not in order of distance")
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("reachable states and distances (-want +got):\n%s", diff)
		}
		for s := range prove.State(1) << len(set.Facts) {
			if _, ok := want[s]; ok != space.Has(s) || n.legal(s) != slices.Contains(space.Legal(), s) {
				t.Fatalf("Has or Legal is wrong about %v", s.Names(set.Facts))
			}
		}
	})
}

// TestVerdicts confirms by brute force each verdict about the walk, and each silence: what is not
// reported is no problem, or follows from one that is.
func TestVerdicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := toolset(t)
		n := naive{set}
		if !n.legal(prove.Initial) {
			t.Skip("nothing to walk")
		}
		reached := n.distances(prove.Initial)
		got, roots := map[string]bool{}, 0
		for _, d := range prove.Check(set, prove.Options{}) {
			for _, at := range append([]diag.Pos{d.Pos}, d.Also...) {
				switch d.Rule {
				case "unreachable-tool", "never-true":
					roots++
					if at.Line < 200 {
						got[fmt.Sprint("hidden ", at.Line)] = true
					}
				case "hidden-unlocker": // its state is a trap
					got[fmt.Sprint("unlocker ", at.Line)] = true
					got["trap"] = true
				case "trap-state":
					got["trap"] = true
				case "invariant-broken":
					roots++
					got[fmt.Sprint("broken ", at.Line)] = true
				case "unset-fact":
					roots++
				}
			}
		}
		want := n.verdicts(reached)
		for verdict := range want {
			if !got[verdict] && n.follows(verdict, reached) {
				if delete(want, verdict); roots == 0 {
					t.Fatalf("%s, and no root is reported", verdict)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("verdicts (-want +got):\n%s", diff)
		}
	})
}

// follows reports whether a verdict is about a tool that only states with an absent fact show, or
// about an absent fact: one that is true in no state that is reached.
func (n naive) follows(verdict string, reached map[prove.State]int) bool {
	var seen prove.State
	for s := range reached {
		seen |= s
	}
	for _, f := range n.set.Facts {
		if verdict == fmt.Sprint("unlocker ", f.Pos.Line) {
			return !seen.Has(f)
		}
	}
	for _, tool := range n.set.Tools {
		if verdict != fmt.Sprint("hidden ", tool.Pos.Line) {
			continue
		}
		for s := range prove.State(1) << len(n.set.Facts) {
			if n.legal(s) && s&^seen == 0 && tool.Visible.Holds(uint64(s)) {
				return false
			}
		}
		return true
	}
	return false
}

func (n naive) verdicts(reached map[prove.State]int) map[string]bool {
	want := map[string]bool{}
	for _, tool := range n.set.Tools {
		if len(where(reached, tool.Visible)) == 0 {
			want[fmt.Sprint("hidden ", tool.Pos.Line)] = true
		}
	}
	for s := range reached {
		beyond := n.distances(s)
		if _, back := beyond[prove.Initial]; !back {
			want["trap"] = true
		}
		for _, step := range n.steps() {
			if n.breaks(s, step) {
				want[fmt.Sprint("broken ", position(step))] = true
			}
		}
		for _, f := range n.set.Facts {
			if n.lockedOut(f, beyond) {
				want[fmt.Sprint("unlocker ", f.Pos.Line)] = true
			}
		}
	}
	return want
}

// lockedOut reports whether only tools ever set the fact, and neither it nor one of them is ever
// seen from s on.
func (n naive) lockedOut(f *model.Fact, beyond map[prove.State]int) bool {
	var shown []prove.State
	can := 0
	for _, step := range n.steps() {
		if c := step.Changes(); !slices.Contains(c.Sets, f) && (!slices.Contains(c.MaySet, f) || slices.Contains(c.MayClear, f)) {
			continue
		}
		if can++; step.Event != nil {
			return false
		}
		shown = append(shown, where(beyond, step.When())...)
	}
	for t := range beyond {
		if t.Has(f) {
			return false
		}
	}
	return can > 0 && len(shown) == 0
}

func where(reached map[prove.State]int, p model.Predicate) []prove.State {
	var out []prove.State
	for s := range reached {
		if p.Holds(uint64(s)) {
			out = append(out, s)
		}
	}
	return out
}

func position(s prove.Step) int {
	if s.Tool != nil {
		return s.Tool.Pos.Line
	}
	return s.Event.Pos.Line
}

func TestCheckIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := toolset(t)
		if diff := cmp.Diff(prove.Check(set, prove.Options{}), prove.Check(set, prove.Options{})); diff != "" {
			t.Fatalf("two checks differ:\n%s", diff)
		}
	})
}
