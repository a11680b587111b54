package repair_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/site/repair"
	"github.com/callsheet/callsheet/internal/site/run"
)

const file = `name: add_item # a comment
input:
  name: {type: string}
steps:
  - click "Menu", then click "New" # two steps
  - tool: form_input
    args: {value: "{name}"}
    target: {role: textbox, name: Name}

  - tool: interact
    target: {role: button, name: "Save", leads: POST /items}
extract:
  items:
    element: {role: row}
    list:
      price: {element: {role: cell, label: Price}}
`

func TestApply(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pos     string
		changes []run.Change
		old     string
		now     string // "" is a refusal that says old
	}{
		"a name":  {"tools/a.yaml:10", []run.Change{{Op: "replace", Path: "/steps/3/targets/~1ref/name", Old: "Save", New: "Store: all"}}, `name: "Save"`, `name: "Store: all"`},
		"leads":   {"tools/a.yaml:10", []run.Change{{Op: "replace", Path: "/steps/3/targets/~1ref/leads", Old: "POST /items", New: "POST /things"}}, "POST /items", `"POST /things"`},
		"a label": {"", []run.Change{{Op: "replace", Path: "/extract/items/list/price/element/label", Old: "Price", New: "Unit price"}}, "label: Price", `label: "Unit price"`},
		"a step and a parameter": {"tools/a.yaml:10", []run.Change{
			{Op: "add", Path: "/steps/3", New: map[string]any{"tool": "form_input"}},
		}, "  - tool: interact", "  - {\"tool\":\"form_input\"}\n  - tool: interact"},
		"a parameter":   {"tools/a.yaml:10", []run.Change{{Op: "add", Path: "/input/phone", New: map[string]any{"type": "string"}}}, "  name: {type", "  phone: {\"type\":\"string\"}\n  name: {type"},
		"changed since": {"tools/a.yaml:10", []run.Change{{Op: "replace", Path: "/steps/3/targets/~1ref/name", Old: "Stow", New: "x"}}, "not Stow", ""},
		"no such step":  {"tools/a.yaml:9", []run.Change{{Op: "replace", Path: "/steps/3/targets/~1ref/name", Old: "Save", New: "x"}}, "no such step", ""},
		"an order":      {"tools/a.yaml:5", []run.Change{{Op: "replace", Path: "/steps/0/targets/~1ref/name", Old: "Menu", New: "x"}}, `no "targets"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := repair.Apply([]byte(file), &run.Repair{Pos: c.pos, Changes: c.changes})
			if c.now == "" {
				if err == nil || !strings.Contains(err.Error(), c.old) {
					t.Errorf("want a refusal that says %q, got %v", c.old, err)
				}
				return
			}
			if want := strings.Replace(file, c.old, c.now, 1); err != nil || string(out) != want {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
