package scope

import (
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// TestFreezeSignsCodes freezes a set with codes and compares edited sets with the lock.
func TestFreezeSignsCodes(t *testing.T) {
	t.Parallel()
	set := func(refusals string) *model.Toolset {
		tree, diags := spec.Parse("m/tools.yaml", []spec.File{{Name: "m/tools.yaml", Data: []byte(root + refusals)}, {Name: "m/page.yaml", Data: []byte(tools)}})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		out, diags := model.Resolve("example.com/m", tree)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return out
	}
	const declared = `refusals:
  any: {fields: {step: {type: number, description: The step.}}}
  NO_TAB: {class: not_found, description: No such tab., fields: {tabs: {type: array, description: Open tabs.}}}
`
	text, err := Freeze(set(declared), nil, Entry{Who: "ann", Why: "first", When: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	lock, diags := spec.ParseLock(spec.File{Name: "lock.yaml", Data: text})
	if diags.HasErrors() || len(lock.Refusals) != 2 {
		t.Fatalf("%v\n%s", diags, text)
	}
	for refusals, want := range map[string]int{
		declared: 0,
		declared + "  NO_PAGE: {class: not_found, description: No such page.}\n":      1,
		"refusals: {any: {fields: {step: {type: number, description: The step.}}}}\n": 1,
		"refusals: {NO_TAB: {class: conflict, description: No such tab.}}\n":          2,
		"": 2,
	} {
		if diags := Check(set(refusals), lock); len(diags) != want {
			t.Errorf("%q: %v, want %d", refusals, diags, want)
		}
	}
	lock.Refusals[0].Terms.Value = "0000000000000000"
	if diags := Check(set(declared), lock); len(diags) != 1 { // edited, so that the row says nothing
		t.Errorf("an edited row: %v", diags)
	}
}
