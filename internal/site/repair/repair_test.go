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

func replace(path, old, now string) run.Change {
	return run.Change{Op: "replace", Path: path, Old: old, New: now}
}

const saveName = "/steps/3/targets/~1ref/name"

// TestApplySeveral: the places of later changes and repairs are those of the file as it was.
func TestApplySeveral(t *testing.T) {
	t.Parallel()
	add := func(parameter, name string) []run.Change {
		return []run.Change{
			{Op: "add", Path: "/input/" + parameter, New: map[string]any{"type": "string"}},
			{Op: "add", Path: "/steps/3", New: map[string]any{"tool": "form_input", "note": name}},
		}
	}
	want := strings.Replace(file, "  name: {type", "  mail: {\"type\":\"string\"}\n  phone: {\"type\":\"string\"}\n  name: {type", 1)
	want = strings.Replace(want, "  - tool: interact\n", "  - {\"note\":\"Phone\",\"tool\":\"form_input\"}\n  - {\"note\":\"Mail\",\"tool\":\"form_input\"}\n  - tool: interact\n", 1)
	want = strings.Replace(want, `"Save"`, `"Keep"`, 1)
	out, err := repair.Apply([]byte(file), &run.Repair{Pos: "tools/a.yaml:10", Changes: append(add("phone", "Phone"), add("mail", "Mail")...)},
		&run.Repair{Pos: "tools/a.yaml:10", Changes: []run.Change{replace(saveName, "Save", "Keep")}})
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
	noInput := "name: add\nsteps:\n  - tool: a\n  - tool: b\n"
	out, err = repair.Apply([]byte(noInput), &run.Repair{Pos: "a.yaml:3", Changes: add("phone", "Phone")})
	if want := "name: add\ninput:\n  phone: {\"type\":\"string\"}\nsteps:\n  - {\"note\":\"Phone\",\"tool\":\"form_input\"}\n  - tool: a\n  - tool: b\n"; err != nil || string(out) != want {
		t.Errorf("without input: %v\n%s", err, out)
	}
	if out, err = repair.Apply([]byte(file), &run.Repair{Pos: "a.yaml:10", Changes: append(add("phone", "Phone"), replace(saveName, "Stow", "x"))}); err == nil || out != nil {
		t.Errorf("a change that does not fit leaves %q, %v", out, err)
	}
}

// TestApplyToOtherWriting: values are found as they are written, or the repair is refused.
func TestApplyToOtherWriting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, now string }{
		"letters of several bytes": {"name: a\nsteps:\n  - tool: b\n    target: {role: button, label: Größe “M”, name: Über uns, leads: GET /ü}\n", "target: {role: button, label: Größe “M”, name: \"Neu\", leads: GET /ü}"},
		"lines of Windows":         {"name: a\r\nsteps:\r\n  - tool: b\r\n    target:\r\n      role: button\r\n      name: Über uns\r\n", "      name: \"Neu\"\r\n"},
		"single quotes":            {"name: a\nsteps:\n  - tool: b\n    target: {name: 'Über uns', role: button} # Über uns\n", "target: {name: \"Neu\", role: button} # Über uns"},
		"a comment":                {"name: a\nsteps:\n  - tool: b\n    target:\n      name: Über uns # Über uns\n", "      name: \"Neu\" # Über uns"},
		"folded":                   {"name: a\nsteps:\n  - tool: b\n    target:\n      name: >-\n        Über\n        uns\n", ""},
		"two steps on a line":      {"name: a\nsteps: \n  [{tool: b, target: {name: Über uns}}, {tool: b, target: {name: Über uns}}]\n", ""},
		"an anchor":                {"name: a\nsteps:\n  - tool: b\n    target: {name: &x Über uns, text: *x}\n", ""},
	} {
		out, err := repair.Apply([]byte(c.file), &run.Repair{Pos: "a.yaml:3", Changes: []run.Change{replace("/steps/0/targets/~1ref/name", "Über uns", "Neu")}})
		if c.now == "" && (err == nil || out != nil) || c.now != "" && (err != nil || !strings.Contains(string(out), c.now) || len(out) > len(c.file)+2) {
			t.Errorf("%s: %v\n%q", name, err, out)
		}
	}
	for _, path := range []string{"", "/", "/steps", "/input"} {
		for _, op := range []string{"add", "replace", "remove"} {
			if out, err := repair.Apply([]byte(file), &run.Repair{Changes: []run.Change{{Op: op, Path: path, Old: "x", New: "y"}}}); err == nil || out != nil {
				t.Errorf("%s %s: %q", op, path, out)
			}
		}
	}
}
