package golang_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/emit/emittest"
	"github.com/callsheet/callsheet/gen/emit/golang"
	"github.com/callsheet/callsheet/gen/model"
)

func ptr[T any](v T) *T { return &v }

// sample is a tool set with every feature that the emitter treats differently.
func sample() *model.Toolset {
	core, extra := &model.Capability{Name: "core", Title: "Core"}, &model.Capability{Name: "extra"}
	ready := &model.Fact{Name: "ready", GoName: "FactReady", Description: "A page is there."}
	busy := &model.Fact{Name: "busy", GoName: "FactBusy", Bit: 1}
	scope := &model.Scope{Name: "default", Frozen: true}
	area := &model.Area{Name: "page", GoName: "Page", File: "manifest/tools/page.yaml"}
	action := &model.Property{Name: "action", GoName: "Action", Required: true,
		Type: &model.Type{Kind: model.String, EnumGoName: "DoItAction", Enum: []string{"left_click", "2", "key"}}}
	ref := &model.Property{Name: "ref", GoName: "Ref", Type: &model.Type{Kind: model.String, Pattern: "^e[0-9]{1,3}$"}}
	at := &model.Property{Name: "at", GoName: "At", Type: &model.Type{Kind: model.Array, MinItems: ptr(2), MaxItems: ptr(2),
		Items: &model.Type{Kind: model.Number, Minimum: ptr(0.0)}}}
	clip := &model.Object{GoName: "DoItClip", Properties: []*model.Property{
		{Name: "width", GoName: "Width", Required: true, Type: &model.Type{Kind: model.Number, Minimum: ptr(0.5)}}}}
	doIt := &model.Tool{
		Name: "do_it", GoName: "DoIt", Title: "Do", Description: "Do it.", Area: area, Capability: core, Tagged: true,
		Scopes: []*model.Scope{scope}, Tier: 1, Effects: model.Effects{Destructive: true, OpenWorld: true},
		Visible:  model.Predicate{Text: "ready && !(busy || !ready)", Expr: model.AndExpr{X: model.FactExpr{Fact: ready}, Y: model.NotExpr{X: model.OrExpr{X: model.FactExpr{Fact: busy}, Y: model.NotExpr{X: model.FactExpr{Fact: ready}}}}}},
		Surfaces: []string{"navigation"}, Was: []string{"did_it"}, ResultBytes: 4000, TimeoutMS: 30000,
		Slim: &model.Slim{Description: "Do.", Properties: []*model.Property{action}},
		Input: &model.Object{GoName: "DoItParams", Properties: []*model.Property{
			action, ref, at,
			{Name: "times", GoName: "Times", Default: &model.Value{Number: 3}, Type: &model.Type{Kind: model.Integer, Minimum: ptr(1.0), Maximum: ptr(9.0)}},
			{Name: "force", GoName: "Force", Default: &model.Value{Bool: true}, Type: &model.Type{Kind: model.Boolean}},
			{Name: "name", GoName: "Name", Default: &model.Value{String: "a`b"}, Type: &model.Type{Kind: model.String, MinLength: ptr(1), MaxLength: ptr(5)}},
			{Name: "clip", GoName: "Clip", Type: &model.Type{Kind: model.Nested, Object: clip}},
			{Name: "grid", GoName: "Grid", Type: &model.Type{Kind: model.Array, Items: &model.Type{Kind: model.Array, Items: &model.Type{Kind: model.Integer}}}},
		}},
		Requirements: []*model.Requirement{
			{When: action, Values: []string{"left_click", "2"}, Mode: model.One, Names: []*model.Property{at, ref}},
			{Mode: model.Any, Names: []*model.Property{at, ref}},
			{When: action, Values: []string{"key"}, Mode: model.All, Names: []*model.Property{ref}},
		},
	}
	look := &model.Tool{
		Name: "look", GoName: "Look", Title: "Look", Description: "Look.", Area: area, Capability: extra,
		Scopes: []*model.Scope{scope}, Tier: 2, Effects: model.Effects{ReadOnly: true}, Input: &model.Object{GoName: "LookParams"},
		Output: &model.Object{GoName: "LookResult", Properties: []*model.Property{
			{Name: "url", GoName: "URL", Required: true, Type: &model.Type{Kind: model.String}},
			{Name: "seen", GoName: "Seen", Type: &model.Type{Kind: model.Array, Items: &model.Type{Kind: model.Nested, Object: &model.Object{
				GoName: "LookResultSeen", Properties: []*model.Property{{Name: "n", GoName: "N", Type: &model.Type{Kind: model.Integer}}}}}}},
		}},
		ResultBytes: 100, TimeoutMS: 1000,
	}
	tab, shown := &model.Role{Name: "tab", Description: "A tab.", GoName: "RoleTab", Names: []string{"ref", "tabs"}}, &model.TraitValue{Name: "page", Description: "Text.", GoName: "ShowsPage"}
	spare := &model.Role{Name: "spare", Description: "Claims no name.", GoName: "RoleSpare"}
	step := &model.TraitValue{Name: "step", Description: "A step.", GoName: "RecordStep"}
	again := &model.TraitValue{Name: "again", Description: "The same call.", GoName: "ReplayAgain"}
	ref.Role, clip.Properties[0].Role = tab, spare
	doIt.Traits = model.ToolTraits{Keeps: true, Shows: shown, Record: step, Replay: again}
	doIt.Changes = model.Change{Sets: []*model.Fact{busy}, MayClear: []*model.Fact{ready}}
	look.Changes = model.Change{MaySet: []*model.Fact{ready, busy}, MayClear: []*model.Fact{busy}}
	area.Tools = []*model.Tool{doIt, look}
	contents := emittest.Toolset()
	area.Prompts, area.Resources = contents.Prompts, contents.Resources
	for _, x := range contents.Entries() {
		e := model.EntryOf(x)
		e.Area, e.Capability, e.Scopes = area, core, []*model.Scope{scope}
	}
	contents.Prompts[0].Visible = model.Predicate{Text: "busy", Expr: model.FactExpr{Fact: busy}}
	contents.Prompts[1].Tagged = false
	return &model.Toolset{
		Prompts: area.Prompts, Resources: area.Resources, Logging: true,
		Module: "example.com/x", Capabilities: []*model.Capability{core, extra}, Facts: []*model.Fact{ready, busy},
		Invariants: []*model.Invariant{
			{Text: "busy -> ready", Predicate: model.Predicate{Expr: model.OrExpr{X: model.NotExpr{X: model.FactExpr{Fact: busy}}, Y: model.FactExpr{Fact: ready}}}},
			{Text: "ready || !busy", Predicate: model.Predicate{Expr: model.OrExpr{X: model.FactExpr{Fact: ready}, Y: model.NotExpr{X: model.FactExpr{Fact: busy}}}}},
		},
		Events: []*model.Event{{Name: "page.gone", When: model.Predicate{Text: "ready", Expr: model.FactExpr{Fact: ready}},
			Changes: model.Change{Clears: []*model.Fact{ready, busy}}}},
		AddressedBy: "at",
		Traits: &model.Traits{
			Roles: []*model.Role{tab, spare}, Shows: []*model.TraitValue{shown}, Record: []*model.TraitValue{step}, Replay: []*model.TraitValue{again},
		},
		Scopes: []*model.Scope{scope}, Areas: []*model.Area{area}, Tools: area.Tools,
	}
}

func TestEmitMatchesTheGoldenFiles(t *testing.T) {
	t.Parallel()
	files, err := golang.Emit(sample())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		golden := filepath.Join("testdata", filepath.Base(f.Path)+".golden")
		if emittest.Update() {
			if err := os.WriteFile(golden, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(f.Data)); d != "" {
			t.Errorf("%s: -want +got\n%s", f.Path, d)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s does not parse: %v", f.Path, err)
		}
	}
}

func TestReleaseGateNamesUntaggedTools(t *testing.T) {
	t.Parallel()
	files, err := golang.Emit(sample())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if filepath.Base(f.Path) != "release_gate.go" {
			continue
		}
		text := string(f.Data)
		if !strings.Contains(text, "//go:build release") || !strings.Contains(text, "tool_look_has_no_capability") || !strings.Contains(text, "prompt_hello_has_no_capability") || strings.Contains(text, "do_it") {
			t.Errorf("the gate is\n%s", text)
		}
		return
	}
	t.Error("no release gate")
}
