package paramspec

import (
	"slices"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

func TestRead(t *testing.T) {
	src := "one:\n  parameters: {n: {type: integer}, s: {typ: string}}\n"
	d, diags := yamltree.ReadDocument(yamltree.File{Name: "w.yaml", Data: []byte(src)}, Grammar("a file"))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	o, diags := Read(d, d.Root.Member("one").Member("parameters"))
	if o == nil || len(o.Properties) != 2 || o.Properties[0].Schema.Type.Value != "integer" {
		t.Errorf("object: %+v", o)
	}
	if len(diags) != 1 || diags[0].Pos.String() != "w.yaml:2:40" || diags[0].Hint != `did you mean "type"?` || diags[0].Fix != nil {
		t.Errorf("diagnostics: %v", diags)
	}
}

func TestResolve(t *testing.T) {
	src := "a: {type: string, default: x}\nb: {type: strin}\nc: {type: string, role: url}\nd: {type: string, nullable: true}\n"
	d, _ := yamltree.ReadDocument(yamltree.File{Name: "w.yaml", Data: []byte(src)}, Grammar("a file"))
	in, _ := Read(d, d.Root)
	o, diags := Resolve("Params", in)
	var rules []string
	for _, d := range diags {
		rules = append(rules, d.Rule)
	}
	if !slices.Equal(rules, []string{RuleUnknownType, RuleUnknownTrait, RuleKeyMisplaced}) || o.Properties[0].Default.String != "x" {
		t.Errorf("%+v, %v", o, diags)
	}
}
