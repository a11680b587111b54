package run

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/replay"
)

// TestRequiredFieldsHaveTheirOwnParameters: no proposed parameter has the name of another one.
func TestRequiredFieldsHaveTheirOwnParameters(t *testing.T) {
	t.Parallel()
	c := &call{Runner: &Runner{Site: &Site{Parameters: []string{"value"}}}, tool: &Tool{Parameters: []Parameter{{Name: "phone"}}, Steps: make([]Step, 1)}}
	d := c.requiredDrift(1, "x", []document.Element{{Role: "textbox", Name: "Phone"}, {Role: "textbox", Name: "Phone (home)"}, {Role: "spinbutton", Name: "Phone"}, {Role: "textbox", Name: "名"}})
	var paths []string
	for _, change := range d.Repair.Changes {
		paths = append(paths, change.Path)
	}
	want := []string{"/input/phone_2", "/steps/0", "/input/phone_home", "/steps/0", "/input/phone_3", "/steps/0", "/input/value_2", "/steps/0"}
	if len(paths) != len(want) {
		t.Fatalf("the changes are %v", paths)
	}
	for i := range want {
		if paths[i] != want[i] {
			t.Errorf("the changes are %v", paths)
		}
	}
}

// TestNoRepairMakesAPlaceholder: a page that calls something {secret:PW} gets no secret.
func TestNoRepairMakesAPlaceholder(t *testing.T) {
	t.Parallel()
	c := &call{Runner: &Runner{Site: &Site{}}, tool: &Tool{Steps: make([]Step, 1)}}
	for _, name := range []string{"Pay {secret:PW}", "Pay {name}", "{totp:example.com}"} {
		if d := c.requiredDrift(1, "x", []document.Element{{Role: "textbox", Name: name}}); d.Repair != nil {
			t.Errorf("proposed: %s", d.Repair)
		}
		if r := repairMark(mark{1, "/ref", "name"}, "Pay", name, ""); r != nil {
			t.Errorf("proposed: %s", r)
		}
		m := &misread{output: &Output{Name: "price", Element: &Element{Identity: locate.Identity{Label: "Pay"}}}, near: []string{name + " Pay"}}
		if r := m.repair(); r != nil {
			t.Errorf("proposed: %s", r)
		}
	}
}

// TestNoRepairOfWhatDoesNotDiffer: a label that holds a parameter is not replaced by what one page shows, and
// a mark is not replaced by the text that it has.
func TestNoRepairOfWhatDoesNotDiffer(t *testing.T) {
	t.Parallel()
	m := &misread{output: &Output{Name: "price", Element: &Element{Identity: locate.Identity{Label: "Price in {currency}"}}}, near: []string{"Price in EUR"}}
	if r := m.repair(); r != nil {
		t.Errorf("proposed: %s", r)
	}
	c := &call{Runner: &Runner{Site: &Site{}}, tool: &Tool{Steps: []Step{{Targets: map[string]locate.Identity{"/ref": {Role: "button", Name: "Save", Tag: "input"}}}}}}
	if r := c.repairElement(&replay.Drift{Step: 1, Argument: "/ref", Kind: string(locate.DriftGone), Similar: []string{`button "Save"`}}); r != nil {
		t.Errorf("proposed: %s", r)
	}
}

// TestNoRepairHoldsASecret: a page that shows a secret as the name of a button gets it into no file.
func TestNoRepairHoldsASecret(t *testing.T) {
	t.Parallel()
	c := &call{Runner: &Runner{Site: &Site{}, Redact: func(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret:PW]") }}, tool: &Tool{Steps: make([]Step, 1)}}
	shown := &Drift{Step: 1, Found: `button "hunter2"`, Repair: repairMark(mark{1, "/ref", "name"}, "Pay", "Pay hunter2", "")}
	if c.complete(shown); shown.Repair != nil || strings.Contains(shown.String(), "hunter2") {
		t.Errorf("the drift is %s", shown)
	}
	other := &Drift{Step: 1, Found: "nothing", Repair: repairMark(mark{1, "/ref", "name"}, "Pay", "Pay now", "")}
	if c.complete(other); other.Repair == nil {
		t.Error("a repair without a secret is left out")
	}
}
