package runner

import (
	"fmt"

	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// stepScope resolves names for one step: those of the run, and the item of the surrounding forEach.
type stepScope struct {
	*execution
	locals map[string]any
}

func (f *stepScope) withLocals(local map[string]any) *stepScope {
	for k, v := range f.locals {
		if _, ok := local[k]; !ok {
			local[k] = v
		}
	}
	return &stepScope{execution: f.execution, locals: local}
}

// Lookup resolves a name in the order that package definition checks: variables, results,
// parameters.
func (f *stepScope) Lookup(name string) (any, bool) {
	switch name {
	case "params", "inputs":
		return f.Params, true
	case "steps":
		return f.copyLocked(f.results), true
	case "vars":
		return f.copyLocked(f.vars), true
	}
	if v, ok := f.locals[name]; ok {
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

func (f *stepScope) copyLocked(m map[string]any) map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// conditionEnv returns the values that conditions see. A declared name without a value is nil, and
// the result of a step that did not run is skipped.
func (f *stepScope) conditionEnv() map[string]any {
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
					steps[id] = (*Result)(nil).conditionEnv()
				}
			}
			for _, b := range s.Set {
				vars[b.Name.Value] = nil
			}
			declare(s.Parallel)
			declare(s.Body)
		}
	}
	declare(f.Steps)
	declare(f.Finally)
	for id, v := range f.copyLocked(f.results) {
		if r, ok := v.(*Result); ok {
			steps[id] = r.conditionEnv()
		} else {
			vars[id] = template.PlainJSON(v)
		}
	}
	for name, v := range f.copyLocked(f.vars) {
		vars[name] = template.PlainJSON(v)
	}
	for _, m := range []map[string]any{params, steps, vars, f.locals} {
		for k, v := range m {
			env[k] = v
		}
	}
	env["params"], env["inputs"], env["steps"], env["vars"] = params, params, steps, vars
	return env
}

// evalValue renders a value. It omits keys and items whose value is absent.
func (f *stepScope) evalValue(v *definition.Value) (any, bool, error) {
	switch v.Kind {
	case spec.MappingNode:
		out := make(map[string]any, len(v.Map))
		for _, b := range v.Map {
			item, ok, err := f.evalValue(b.Value)
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
			one, ok, err := f.evalValue(item)
			if err != nil {
				return nil, false, fmt.Errorf("%d: %w", i, err)
			}
			if ok {
				out = append(out, one)
			}
		}
		return out, true, nil
	case spec.StringLiteral:
		if v.Template.IsLiteral() {
			return v.Text.Value, true, nil
		}
		return v.Template.Eval(f)
	case spec.BoolLiteral, spec.NumberLiteral, spec.NullLiteral, spec.OtherLiteral:
	}
	return v.Literal, true, nil
}
