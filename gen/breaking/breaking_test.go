package breaking

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/emit/emittest"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

func never(string, string) (bool, error) { return false, nil }

func rules(changes []Change) []string {
	var out []string
	for _, c := range changes {
		out = append(out, c.Rule)
	}
	return out
}

// A record reads back as it was written, and nothing has changed since.
func TestRecordIsStable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		frozen := []*model.Scope{{Name: "default", Frozen: true}}
		set := &model.Toolset{Scopes: frozen, Tools: rapid.SliceOfNDistinct(emittest.Tool(), 0, 4, func(t *model.Tool) string { return t.Name }).Draw(rt, "tools")}
		for _, t := range set.Tools {
			t.Scopes, t.Was = frozen, nil
		}
		was := Record(set, "1")
		text, err := was.Encode()
		if err != nil {
			rt.Fatal(err)
		}
		read, err := Decode(text)
		if err != nil {
			rt.Fatal(err)
		}
		if changes := Compare(read, was, nil, never); len(changes) > 0 {
			rt.Fatalf("%+v", changes)
		}
		if again, err := read.Encode(); err != nil || string(again) != string(text) {
			rt.Fatalf("%v\n%s\n%s", err, text, again)
		}
	})
}

func one(kind string, change func(*Type)) Type {
	t := Type{Kind: kind}
	if change != nil {
		change(&t)
	}
	return t
}

func most(n float64) func(*Type)  { return func(t *Type) { t.Maximum = &n } }
func least(n float64) func(*Type) { return func(t *Type) { t.MinLength = &n } }

func numbers(values ...int) Type {
	t := Type{Kind: "integer", Numbers: map[string]int{}}
	for _, v := range values {
		t.Numbers[fmt.Sprint("n", v)] = v
	}
	return t
}

func dict(values Type, most *float64) Type {
	return Type{Kind: mapObject, Values: &values, MaxProperties: most}
}

func union(tag string, variants ...string) Type {
	t := Type{Kind: unionObject, Tag: tag}
	for _, v := range variants {
		t.Variants = append(t.Variants, Variant{v, []Property{{Name: tag, Required: true, Type: Type{Kind: "string", Enum: []string{v}}}}})
	}
	return t
}

// A result may lose values, and a reader of the old ones must know each that is left.
func TestResultTypes(t *testing.T) {
	for _, c := range []struct {
		was, now Type
		breaks   bool
	}{
		{one("string", nil), Type{Kind: "string", Nullable: true}, true},
		{Type{Kind: "string", Nullable: true}, one("string", nil), false},
		{Type{Kind: "string", Format: "date"}, one("string", nil), true},
		{one("string", nil), Type{Kind: "string", Format: "date"}, false},
		{numbers(1), numbers(1, 2), true},
		{numbers(1, 2), numbers(1), false},
		{Type{Kind: "string", Enum: []string{"a"}}, Type{Kind: "string", Enum: []string{"a", "b"}}, true},
		{union("kind", "a"), union("kind", "a", "b"), true},
		{union("kind", "a", "b"), union("kind", "a"), false},
		{dict(one("string", nil), nil), dict(one("integer", nil), nil), true},
		{one("any", nil), one("string", nil), false},
		{one("string", nil), one("any", nil), true},
		{one(openObject, nil), dict(one("string", nil), nil), false},
	} {
		surface := func(t Type) Surface {
			return Surface{Tools: []Tool{{Name: "a", Visible: always, Output: []Property{{Name: "p", Type: t}}}}}
		}
		got := rules(Compare(surface(c.was), surface(c.now), nil, never))
		if slices.Contains(got, resultNoNarrow) != c.breaks || !c.breaks && len(got) > 0 {
			t.Errorf("%+v → %+v: %v", c.was, c.now, got)
		}
	}
}

// Widening is never reported, narrowing always is, and each by its rule.
func TestTypes(t *testing.T) {
	list := func(items Type) Type { return Type{Kind: "array", Items: &items} }
	nested := func(p ...Property) Type { return Type{Kind: "object", Properties: p} }
	for _, c := range []struct {
		was, now Type
		forth    []string // was → now
		back     []string // now → was
	}{
		{one("string", nil), one("string", nil), nil, nil},
		{one("integer", nil), one("number", nil), nil, []string{paramSameType}},
		{one("string", nil), one("boolean", nil), []string{paramSameType}, []string{paramSameType}},
		{one("integer", most(3)), one("integer", most(9)), nil, []string{paramBoundsNarrow}},
		{one("integer", most(3)), one("integer", nil), nil, []string{paramBoundsNarrow}},
		{one("string", least(3)), one("string", least(1)), nil, []string{paramBoundsNarrow}},
		{Type{Kind: "string", Enum: []string{"a"}}, Type{Kind: "string", Enum: []string{"b", "a"}}, nil, []string{paramEnumNoNarrow}},
		{Type{Kind: "string", Enum: []string{"a"}}, one("string", nil), nil, []string{paramEnumNoNarrow}},
		{Type{Kind: "string", Pattern: "a"}, one("string", nil), nil, []string{paramBoundsNarrow}},
		{Type{Kind: "string", Pattern: "a"}, Type{Kind: "string", Pattern: "b"}, []string{paramBoundsNarrow}, []string{paramBoundsNarrow}},
		{list(one("integer", most(3))), list(one("integer", most(9))), nil, []string{paramBoundsNarrow}},
		{nested(Property{Name: "x", Type: one("string", nil)}), nested(), []string{paramNoDelete}, nil},
		{nested(), nested(Property{Name: "x", Required: true, Type: one("string", nil)}), []string{paramNoNewRequired}, []string{paramNoDelete}},
		{nested(Property{Name: "x", Type: one("string", nil)}), one(openObject, nil), nil, []string{paramSameType}},
		{Type{Kind: "string", Format: "date"}, one("string", nil), nil, []string{paramBoundsNarrow}},
		{Type{Kind: "string", Format: "date"}, Type{Kind: "string", Format: "time"}, []string{paramBoundsNarrow}, []string{paramBoundsNarrow}},
		{one("string", nil), Type{Kind: "string", Nullable: true}, nil, []string{paramSameType}},
		{one("boolean", nil), one("any", nil), nil, []string{paramSameType}},
		{numbers(1), numbers(1, 2), nil, []string{paramEnumNoNarrow}},
		{numbers(1), one("integer", nil), nil, []string{paramEnumNoNarrow}},
		{dict(one("integer", most(3)), nil), dict(one("integer", most(9)), nil), nil, []string{paramBoundsNarrow}},
		{dict(one("string", nil), new(2.0)), dict(one("string", nil), new(3.0)), nil, []string{paramBoundsNarrow}},
		{dict(one("string", nil), nil), one(openObject, nil), nil, []string{paramSameType}},
		{dict(one("string", nil), nil), nested(), []string{paramSameType}, []string{paramSameType}},
		{union("kind", "a"), union("kind", "a", "b"), nil, []string{paramSameType}},
		{union("kind", "a"), union("type", "a"), []string{paramSameType}, []string{paramSameType}},
		{union("kind", "a"), one(openObject, nil), nil, []string{paramSameType}},
	} {
		surface := func(t Type) Surface {
			return Surface{Tools: []Tool{{Name: "a", Visible: always, Input: []Property{{Name: "p", Type: t}}}}}
		}
		if d := cmp.Diff(c.forth, rules(Compare(surface(c.was), surface(c.now), nil, never))); d != "" {
			t.Errorf("%+v → %+v: %s", c.was, c.now, d)
		}
		if d := cmp.Diff(c.back, rules(Compare(surface(c.now), surface(c.was), nil, never))); d != "" {
			t.Errorf("%+v ← %+v: %s", c.was, c.now, d)
		}
	}
}

// A conditional demand may be dropped or loosened, not added.
func TestRequirements(t *testing.T) {
	input := []Property{{Name: "m", Type: Type{Kind: "string", Enum: []string{"x", "y"}}}, {Name: "a"}, {Name: "b"}, {Name: "c"}}
	q := func(mode string, values []string, names ...string) []Requirement {
		r := Requirement{Mode: mode, Names: names, Values: values}
		if values != nil {
			r.When = "m"
		}
		return []Requirement{r}
	}
	for _, c := range []struct {
		was, now []Requirement
		breaks   bool
	}{
		{nil, q("any", nil, "a", "b"), true},
		{q("any", nil, "a", "b"), nil, false},
		{q("any", nil, "a", "b"), q("any", nil, "a", "b", "c"), false},
		{q("any", nil, "a", "b", "c"), q("any", nil, "a", "b"), true},
		{q("one", nil, "a", "b"), q("any", nil, "a", "b"), false},
		{q("any", nil, "a", "b"), q("one", nil, "a", "b"), true},
		{q("one", nil, "a", "b"), q("one", nil, "a", "b", "c"), true},      // c could be given beside a
		{q("one", nil, "a", "b"), q("one", nil, "a", "b", "later"), false}, // no earlier call has it
		{q("one", nil, "a", "b", "c"), q("one", nil, "a", "b"), true},
		{q("all", nil, "a", "b"), q("all", nil, "a"), false},
		{q("all", nil, "a"), q("all", nil, "a", "b"), true},
		{q("all", nil, "a"), q("any", nil, "a", "b"), false},
		{q("all", nil, "a"), q("all", []string{"x"}, "a"), false},
		{q("all", []string{"x"}, "a"), q("all", nil, "a"), true},
		{q("all", []string{"x"}, "a"), q("all", []string{"x", "y"}, "a"), true},
		{nil, q("none", []string{"x"}, "a"), true},
		{nil, q("none", []string{"x"}, "later"), false},
		{q("none", []string{"x", "y"}, "a"), q("none", []string{"x"}, "a"), false},
		{q("none", []string{"x"}, "a"), q("none", []string{"x", "y"}, "a"), true},
		{nil, q("all", []string{"z"}, "a"), false}, // a value that no earlier call has
	} {
		was, now := Tool{Name: "t", Visible: always, Input: input, Requirements: c.was}, Tool{Name: "t", Visible: always, Input: input, Requirements: c.now}
		changes := Compare(Surface{Tools: []Tool{was}}, Surface{Tools: []Tool{now}}, nil, never)
		if got := slices.Contains(rules(changes), paramNoNewRequired); got != c.breaks {
			t.Errorf("%+v → %+v: breaks is %v", c.was, c.now, got)
		}
	}
}

// A required parameter may become one of several, the others of which no earlier call has.
func TestRequiredBecomesOneOf(t *testing.T) {
	was := Tool{Name: "t", Visible: always, Input: []Property{{Name: "a", Required: true}, {Name: "b"}}}
	for other, breaks := range map[string]bool{"later": false, "b": true} {
		now := Tool{Name: "t", Visible: always, Input: []Property{{Name: "a"}, {Name: "b"}, {Name: "later"}}}
		now.Requirements = []Requirement{{Mode: "one", Names: []string{"a", other}}}
		changes := Compare(Surface{Tools: []Tool{was}}, Surface{Tools: []Tool{now}}, nil, never)
		if got := slices.Contains(rules(changes), paramNoNewRequired); got != breaks {
			t.Errorf("one of a and %s: breaks is %v", other, got)
		}
	}
}

// What must be asked for is not there for who does not ask, nor for who asks by another name.
// A parameter that keeps its older name may have another one, and its demands go with it.
func TestOlderNamesOfParameters(t *testing.T) {
	was := Tool{Name: "t", Visible: always, Input: []Property{{Name: "a", Was: []string{"z"}}, {Name: "b"}}, Requirements: []Requirement{{Mode: "any", Names: []string{"a", "b"}}}}
	now := func(older ...string) Tool {
		return Tool{Name: "t", Visible: always, Input: []Property{{Name: "c", Was: older}, {Name: "b"}}, Requirements: []Requirement{{Mode: "any", Names: []string{"c", "b"}}}}
	}
	for _, c := range []struct {
		now  Tool
		want []string
	}{
		{now("a", "z"), nil},
		{now("a"), []string{paramNoDelete}},
		{now("z"), []string{paramNoDelete, paramNoNewRequired}},
	} {
		if d := cmp.Diff(c.want, rules(Compare(Surface{Tools: []Tool{was}}, Surface{Tools: []Tool{c.now}}, nil, never))); d != "" {
			t.Errorf("%v: %s", c.now.Input, d)
		}
	}
}

func TestOptIn(t *testing.T) {
	surface := func(capability string) Surface {
		return Surface{Tools: []Tool{{Name: "a", Visible: always, OptIn: capability}}}
	}
	for _, c := range []struct {
		was, now string
		breaks   bool
	}{{"", "", false}, {"", "pilot", true}, {"pilot", "", false}, {"pilot", "pilot", false}, {"pilot", "expert", true}} {
		changes := rules(Compare(surface(c.was), surface(c.now), nil, never))
		if got := slices.Contains(changes, toolNoOptIn); got != c.breaks || len(changes) > 1 {
			t.Errorf("%q → %q: %v", c.was, c.now, changes)
		}
	}
	set := emittest.Toolset()
	set.Tools[0].Capability.OptIn, set.Tools[0].Scopes[0].Frozen = true, true
	if got := Record(set, "1").Tools; len(got) == 0 || got[0].OptIn != set.Tools[0].Capability.Name {
		t.Errorf("recorded as %+v", got)
	}
}

func TestVisibility(t *testing.T) {
	surface := func(visible string) Surface { return Surface{Tools: []Tool{{Name: "a", Visible: visible}}} }
	set := emittest.Toolset()
	decide := Implies(set.Facts, []uint64{0, 1, 3}) // paused implies connected
	for _, c := range []struct {
		was, now string
		breaks   bool
	}{
		{"always", "connected", true}, {"connected", "always", false}, {"paused", "connected", false}, {"connected", "paused", true},
		{"paused", "connected && paused", false}, {"gone", "always", true}, {"always", "!paused || connected", false},
	} {
		if got := len(Compare(surface(c.was), surface(c.now), nil, decide)) > 0; got != c.breaks {
			t.Errorf("%s → %s: breaks is %v", c.was, c.now, got)
		}
	}
	broken := func(string, string) (bool, error) { return false, errors.New("no such fact") }
	if got := rules(Compare(surface("a"), surface("b"), nil, broken)); !slices.Equal(got, []string{visibilityNoNarrow}) {
		t.Errorf("what cannot be compared gives %v", got)
	}
}

// An allowance is for one rule and one tool, has a reason, and is not left lying about.
func TestJudge(t *testing.T) {
	text := func(s string) spec.Text { return spec.Text{Value: s, Pos: diag.Pos{File: "a", Line: 1, Col: 1}} }
	changes := []Change{{Rule: effectSame, Tool: "a"}, {Rule: effectSame, Tool: "b"}, {Rule: toolNoDelete, Tool: "a"}}
	judged, diags := Judge(changes, []spec.Allowance{
		{Rule: text(effectSame), Tool: text("a"), Why: text("meant")},
		{Rule: text(toolNoDelete), Tool: text("b"), Why: text("idle")},
		{Rule: text(toolNoDelete), Tool: text("a"), Why: text(" ")},
		{Rule: text("TOOL_DELETE"), Tool: text("a"), Why: text("x")},
	}, func(Change) (diag.Pos, *diag.Fix) { return diag.Pos{}, nil })
	var got []string
	for _, d := range diags {
		got = append(got, d.Rule)
	}
	if d := cmp.Diff([]string{effectSame, toolNoDelete, ruleUnused, ruleBadAllow, ruleBadAllow}, got); d != "" {
		t.Error(d)
	}
	if judged[0].Allowed != "meant" || judged[1].Allowed != "" || changes[0].Allowed != "" {
		t.Errorf("%+v", judged)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version":"1","tools":[{"name":"a","scopes":["x"],"effects":{},"visible":"always","input":[{"name":"p","type":{"kind":"array","items":{"kind":"string"}}}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Decode(text)
		if err != nil {
			return
		}
		if changes := Compare(s, s, nil, never); len(changes) > 0 && !twice(s) {
			t.Errorf("%+v", changes)
		}
	})
}

// twice reports a name that occurs more than once, of which only the first counts.
func twice(s Surface) bool {
	seen := map[string]bool{}
	for _, t := range s.Tools {
		for _, name := range append([]string{t.Name}, t.Was...) {
			if seen[name] {
				return true
			}
			seen[name] = true
		}
		if repeated(t.Input) || repeated(t.Output) {
			return true
		}
	}
	return false
}

func repeated(in []Property) bool {
	seen := map[string]bool{}
	for _, p := range in {
		if seen[p.Name] || repeated(p.Type.Properties) || p.Type.Items != nil && repeated(p.Type.Items.Properties) {
			return true
		}
		seen[p.Name] = true
	}
	return false
}
