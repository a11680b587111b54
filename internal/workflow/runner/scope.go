package runner

import (
	"fmt"

	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// frame is what one step sees: what all see, and the item of the list it is repeated for.
type frame struct {
	*runner
	local map[string]any
}

func (f *frame) with(local map[string]any) *frame {
	for k, v := range f.local {
		if _, ok := local[k]; !ok {
			local[k] = v
		}
	}
	return &frame{runner: f.runner, local: local}
}

// Lookup finds a name as the checker did: variables hide results, and results parameters.
func (f *frame) Lookup(name string) (any, bool) {
	switch name {
	case "params", "inputs":
		return f.Params, true
	case "steps":
		return f.snapshot(f.results), true
	case "vars":
		return f.snapshot(f.vars), true
	}
	if v, ok := f.local[name]; ok {
		return v, true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range []map[string]any{f.vars, f.results} {
		if v, ok := m[name]; ok {
			return v, true
		}
	}
	v, ok := f.Params[name]
	return v, ok
}

func (f *frame) snapshot(m map[string]any) map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// env is what conditions see. Whatever was declared and has no value is nil, and a step that has not run is skipped.
func (f *frame) env() map[string]any {
	env := map[string]any{}
	params, steps, vars := map[string]any{}, map[string]any{}, map[string]any{}
	for _, p := range f.Workflow.Params.Properties {
		params[p.Name] = f.Params[p.Name]
	}
	var declare func(list []*definition.Step)
	declare = func(list []*definition.Step) {
		for _, s := range list {
			for _, id := range []string{s.ID, s.SaveAs} {
				switch {
				case id == "":
				case s.ForEach != nil:
					vars[id] = nil
				default:
					steps[id] = (*Result)(nil).env()
				}
			}
			for _, b := range s.Set {
				vars[b.Name.Value] = nil
			}
			declare(s.Parallel)
			declare(s.Group)
		}
	}
	declare(f.Steps)
	declare(f.Finally)
	for id, v := range f.snapshot(f.results) {
		if r, ok := v.(*Result); ok {
			steps[id] = r.env()
		} else {
			vars[id] = template.Plain(v)
		}
	}
	for name, v := range f.snapshot(f.vars) {
		vars[name] = template.Plain(v)
	}
	for _, m := range []map[string]any{params, steps, vars, f.local} {
		for k, v := range m {
			env[k] = v
		}
	}
	env["params"], env["inputs"], env["steps"], env["vars"] = params, params, steps, vars
	return env
}

// value works a value out. Keys and items whose value is absent are left out.
func (f *frame) value(v *definition.Value) (any, bool, error) {
	switch v.Kind {
	case spec.MappingNode:
		out := make(map[string]any, len(v.Map))
		for _, b := range v.Map {
			item, ok, err := f.value(b.Value)
			if err != nil {
				return nil, false, fmt.Errorf("%s: %w", b.Name.Value, err)
			}
			if ok {
				out[b.Name.Value] = item
			}
		}
		return out, true, nil
	case spec.ListNode:
		out := make([]any, 0, len(v.List))
		for i, item := range v.List {
			one, ok, err := f.value(item)
			if err != nil {
				return nil, false, fmt.Errorf("%d: %w", i, err)
			}
			if ok {
				out = append(out, one)
			}
		}
		return out, true, nil
	case spec.StringLiteral:
		if v.Template.Plain() {
			return v.Text.Value, true, nil
		}
		return v.Template.Eval(f)
	case spec.BoolLiteral, spec.NumberLiteral, spec.NullLiteral, spec.OtherLiteral:
	}
	return v.Literal, true, nil
}
