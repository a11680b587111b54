package scope

import (
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// TestFreezeSignsCodes freezes a set with codes and compares edited sets with the lock.
func TestFreezeSignsCodes(t *testing.T) {
	t.Parallel()
	set := func(refusals string) *model.Toolset { return resolveWith(t, root+refusals, tools) }
	const declared = `refusals:
  any: {fields: {step: {type: number, description: The step.}}}
  NO_TAB: {class: not_found, description: No such tab., fields: {tabs: {type: array, description: Open tabs.}}}
`
	text, err := Freeze(set(declared), nil, Entry{Who: "ann", Why: "first", When: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	lock, diags := spec.ParseLock(spec.File{Name: "lock.yaml", Data: text})
	if diags.HasErrors() || len(lock.Declared) < 2 {
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
	lock.Declared[0].Terms.Value = "0000000000000000"
	if diags := Check(set(declared), lock); len(diags) != 1 { // edited, so that the row says nothing
		t.Errorf("an edited row: %v", diags)
	}
}

// TestFreezeSignsParts changes what no contract and no term has.
func TestFreezeSignsParts(t *testing.T) {
	t.Parallel()
	root := strings.Replace(root, "active.}", "active., open: A door is open.}", 1) +
		"invariants: [open -> connected]\nevents: {door.opened: {when: connected && !open, sets: [open]}, gone: {when: connected, clears: [connected, open]}}\n"
	tools := tools + "    budget: {result_bytes: 4000, timeout_ms: 1000}\n    changes: {may_set: [connected]}\n"
	text, err := Freeze(resolveWith(t, root, tools), nil, Entry{Who: "ann", Why: "first", When: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	lock, diags := spec.ParseLock(spec.File{Name: "lock.yaml", Data: text})
	if diags.HasErrors() || len(Check(resolveWith(t, root, tools), lock)) > 0 {
		t.Fatalf("%v\n%s", diags, text)
	}
	for from, to := range map[string]string{
		"result_bytes: 4000": "result_bytes: 400000", "timeout_ms: 1000": "timeout_ms: 10000", "may_set: [connected]": "may_set: []",
		"A door is open.": "A window is open.", "invariants: [open -> connected]": "", "sets: [open]": "may_set: [open]",
		"clears: [connected, open]": "clears: [connected]", `status: frozen, since: "2"`: `status: frozen, since: "1"`,
	} {
		diags := Check(resolveWith(t, strings.Replace(root, from, to, 1), strings.Replace(tools, from, to, 1)), lock)
		if len(diags) != 1 || diags[0].Rule != "part-changed" {
			t.Errorf("%s: %v", from, diags)
		}
	}
	before, rest, _ := strings.Cut(string(text), "\nparts:")
	_, after, _ := strings.Cut(rest, "\nremembered:")
	cut, _ := spec.ParseLock(spec.File{Name: "lock.yaml", Data: []byte(before + "\nremembered:" + after)})
	if diags := Check(resolveWith(t, root, tools), cut); len(diags) == 0 || diags[0].Rule != ruleEdited {
		t.Errorf("without the rows: %v", diags)
	}
}
