package repotest

import (
	"bytes"
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/prove"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/tools"
)

// manifestSet compiles the real manifest as far as a model.
func manifestSet(t *testing.T) *model.Toolset {
	t.Helper()
	src, err := gen.Load(".")
	if err != nil {
		t.Fatal(err)
	}
	set, diags := gen.Lint(src)
	if set == nil {
		t.Fatal(diags)
	}
	return set
}

// everything is a session that sees each tool of a scope of the real registry whose predicate
// holds.
func everything(t *testing.T, scope string) *toolkit.Session {
	t.Helper()
	registry := tools.Registry(tools.Needs{})
	opt := toolkit.Options{Scope: scope, AllTools: true}
	for _, c := range registry.Capabilities {
		if c.OptIn { // the model has what an operator can ask for
			opt.OptIn = append(opt.OptIn, c.Name)
		}
	}
	surface, err := toolkit.NewSurface(registry, opt)
	if err != nil {
		t.Fatal(err)
	}
	return surface.NewSession("s", nil)
}

// TestListedIsCallable holds, in every scope and legal state, the list against the model and the
// guard against the list.
func TestListedIsCallable(t *testing.T) {
	t.Parallel()
	set := manifestSet(t)
	space := prove.Walk(set)
	for _, scope := range set.Scopes {
		listedIsCallable(t, set, space, scope)
	}
}

func listedIsCallable(t *testing.T, set *model.Toolset, space *prove.Space, scope *model.Scope) {
	t.Helper()
	v := everything(t, scope.Name)
	for _, state := range space.Legal() {
		v.Replace(toolkit.Facts(state))
		var listed []string
		for _, tool := range space.Visible(state) {
			if slices.Contains(tool.Scopes, scope) {
				listed = append(listed, tool.Name)
			}
		}
		if got := names(t, v.List()); !slices.Equal(got, listed) {
			t.Errorf("%v: listed %v, want %v", state.Names(set.Facts), got, listed)
		}
		for _, tool := range set.Tools {
			if !slices.Contains(tool.Scopes, scope) {
				continue
			}
			code, via := refusal(t, v, tool.Name)
			if hidden := code == toolkit.ToolNotVisible; hidden == slices.Contains(listed, tool.Name) {
				t.Errorf("%v: %s is listed or refused, but not either", state.Names(set.Facts), tool.Name)
			}
			if code != toolkit.ToolNotVisible {
				continue
			}
			if len(via) == 0 && tool.Name == toolset.ToolDialog {
				continue // only a page opens a dialog
			}
			if len(via) == 0 || !slices.Contains(listed, via[0]) {
				t.Errorf("%v: %s is advised after %v, of which nothing can be called", state.Names(set.Facts), tool.Name, via)
			}
		}
	}
}

func names(t *testing.T, list []byte) (out []string) {
	t.Helper()
	var tools []struct{ Name string }
	if err := json.Unmarshal(list, &tools, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		out = append(out, tool.Name)
	}
	return out
}

// refusal calls a tool with arguments that no decoder takes: what comes back is a matter of the
// guard alone, or of what comes after it.
func refusal(t *testing.T, v *toolkit.Session, tool string) (code toolkit.Code, via []string) {
	t.Helper()
	res, err := v.Dispatch(t.Context(), toolkit.Request{Tool: tool, Args: []byte(`{"no such property":1}`)})
	if err != nil || !res.Refused {
		t.Fatalf("%s: %+v, %v", tool, res, err)
	}
	var envelope struct {
		Code toolkit.Code `json:"code"`
		Via  []string     `json:"via"`
	}
	if err := json.Unmarshal(bytes.Clone(res.Structured), &envelope); err != nil {
		t.Fatal(err)
	}
	return envelope.Code, envelope.Via
}

// transition is the predicate and the changes that a method of the generated state stands for.
type transition struct {
	when    model.Predicate
	changes model.Change
}

// open lists the facts that a method takes as parameters.
func (m transition) open(facts []*model.Fact) []*model.Fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f *model.Fact) bool {
		return !slices.Contains(m.changes.MaySet, f) && !slices.Contains(m.changes.MayClear, f)
	})
}

// after is the manifest's meaning of a step, written down anew: certain changes, then each open
// fact by its list.
func (m transition) after(s prove.State, open []*model.Fact, outcome []bool) prove.State {
	if !m.when.Holds(uint64(s)) {
		return s
	}
	next := s&^prove.StateOf(m.changes.Clears) | prove.StateOf(m.changes.Sets)
	for i, f := range open {
		bit := prove.StateOf([]*model.Fact{f})
		if outcome[i] && slices.Contains(m.changes.MaySet, f) {
			next |= bit
		}
		if !outcome[i] && slices.Contains(m.changes.MayClear, f) {
			next &^= bit
		}
	}
	return next
}

func transitions(set *model.Toolset) map[string]transition {
	out := map[string]transition{}
	for _, e := range set.Events {
		out[e.Name] = transition{e.When, e.Changes}
	}
	for _, tool := range set.Tools {
		if tool.Changes.Any() {
			out[tool.Name] = transition{tool.Visible, tool.Changes}
		}
	}
	return out
}

// TestStateIsLegal reports facts at random to the generated state: whatever is reported, the state
// is one that the manifest's invariants allow, and each change is passed on once.
func TestStateIsLegal(t *testing.T) {
	t.Parallel()
	set := manifestSet(t)
	legal := prove.Walk(set).Legal()
	rapid.Check(t, func(t *rapid.T) {
		var heard []toolkit.Facts
		state := toolset.NewState(func(f toolkit.Facts) { heard = append(heard, f) })
		for range rapid.IntRange(1, 60).Draw(t, "reports") {
			observed := toolkit.Facts(rapid.IntRange(0, 1<<len(set.Facts)-1).Draw(t, "facts"))
			before, calls := state.Facts(), len(heard)
			state.Observe(observed)
			got := state.Facts()
			switch {
			case !slices.Contains(legal, prove.State(got)):
				t.Fatalf("%b leads to %b, which is illegal", observed, got)
			case slices.Contains(legal, prove.State(observed)) && got != observed, got&^observed != 0:
				t.Fatalf("%b leads to %b", observed, got)
			}
			if changed := got != before; changed != (len(heard) == calls+1) || changed && heard[calls] != got {
				t.Fatalf("passed on: %v", heard[calls:])
			}
		}
	})
}

// TestChangesAreTheManifests holds the generated changes of tools and events against the manifest:
// each step that the manifest allows is explained, and none that only another tool makes.
func TestChangesAreTheManifests(t *testing.T) {
	t.Parallel()
	set := manifestSet(t)
	reg := tools.Registry(tools.Needs{})
	legal := prove.Walk(set).Legal()
	for name, step := range transitions(set) {
		var tools []*toolkit.Tool
		if i, ok := reg.Lookup(name); ok {
			tools = append(tools, &reg.Tools[i])
		}
		open := step.open(set.Facts)
		for _, from := range legal {
			if !step.when.Holds(uint64(from)) {
				continue
			}
			for bits := range 1 << len(open) {
				outcome := make([]bool, len(open))
				for i := range outcome {
					outcome[i] = bits>>i&1 == 1
				}
				to := step.after(from, open, outcome)
				if slices.Contains(legal, to) && !reg.Explains(toolkit.Facts(from), toolkit.Facts(to), tools...) {
					t.Errorf("%s: nothing explains %v from %v", name, to.Names(set.Facts), from.Names(set.Facts))
				}
			}
		}
	}
	resume, _ := reg.Lookup(toolset.ToolDebuggerResume)
	if reg.Explains(toolset.FactConnected, toolset.FactConnected|toolset.FactDebuggerEnabled, &reg.Tools[resume]) {
		t.Error("a tool is said to enable the debugger that does not")
	}
}

// TestDefaultListIsTheCommittedOne holds the definitions of the first tier against the list that is
// promised to every client. No generator writes that file; scripts/verify/capability-filter says how
// to write it, and compares it with what a server sends.
func TestDefaultListIsTheCommittedOne(t *testing.T) {
	t.Parallel()
	promised, err := os.ReadFile("scripts/verify/default-list.json")
	if err != nil {
		t.Fatal(err)
	}
	registry := tools.Registry(tools.Needs{})
	optIn := func(name string) bool { // a client is sent those only where the operator asks for them
		return slices.ContainsFunc(registry.Capabilities, func(c toolkit.Capability) bool { return c.Name == name && c.OptIn })
	}
	var list []string
	for i := range registry.Tools {
		if tool := &registry.Tools[i]; tool.Tier == 1 && slices.Contains(tool.Scopes, registry.Scopes[0]) && !optIn(tool.Capability) {
			list = append(list, cmp.Or(tool.StaticDefinition, tool.Definition)) // as clients without a session are sent it
		}
	}
	want := `"tools":[` + strings.Join(list, ",") + "]"
	if len(list) == 0 || !strings.Contains(strings.ReplaceAll(string(promised), "\n", ""), want) {
		t.Errorf("the definitions of %d tools in the first tier are not those of scripts/verify/default-list.json; if every client is to be sent another list, "+
			"write that file as scripts/verify/capability-filter says", len(list))
	}
}
