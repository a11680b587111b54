package runner

import (
	"fmt"

	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// stepScope resolves names for one step: those of the run, and the item of the surrounding forEach.
type stepScope struct {
	*execution
	locals map[string]any
}

func (ss *stepScope) withLocals(local map[string]any) *stepScope {
	for k, v := range ss.locals {
		if _, ok := local[k]; !ok {
			local[k] = v
		}
	}
	return &stepScope{execution: ss.execution, locals: local}
}

// Lookup resolves a name in the order that package definition checks: variables, results,
// parameters.
func (ss *stepScope) Lookup(name string) (any, bool) {
	switch name {
	case "params", "inputs":
		return ss.Params, true
	case "steps":
		return ss.copyLocked(ss.results), true
	case "vars":
		return ss.copyLocked(ss.vars), true
	}
	if v, ok := ss.locals[name]; ok {
		return v, true
	}
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for _, m := range []map[string]any{ss.vars, ss.results} {
		if v, ok := m[name]; ok {
			return v, true
		}
	}
	v, ok := ss.Params[name]
	return v, ok
}

func (ss *stepScope) copyLocked(m map[string]any) map[string]any {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// conditionEnv returns the values that conditions see. A declared name without a value is nil, and
// the result of a step that did not run is skipped.
func (ss *stepScope) conditionEnv() map[string]any {
	env := map[string]any{}
	params, steps, vars := map[string]any{}, map[string]any{}, map[string]any{}
	for _, p := range ss.Workflow.Params.Properties {
		params[p.Name] = ss.Params[p.Name]
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
	declare(ss.Steps)
	declare(ss.Finally)
	for id, v := range ss.copyLocked(ss.results) {
		if r, ok := v.(*Result); ok {
			steps[id] = r.conditionEnv()
		} else {
			vars[id] = template.PlainJSON(v)
		}
	}
	for name, v := range ss.copyLocked(ss.vars) {
		vars[name] = template.PlainJSON(v)
	}
	for _, m := range []map[string]any{params, steps, vars, ss.locals} {
		for k, v := range m {
			env[k] = v
		}
	}
	env["params"], env["inputs"], env["steps"], env["vars"] = params, params, steps, vars
	return env
}

// evalValue renders a value. It omits keys and items whose value is absent.
func (ss *stepScope) evalValue(v *definition.Value) (any, bool, error) {
	switch v.Kind {
	case yamltree.MappingNode:
		out := make(map[string]any, len(v.Map))
		for _, b := range v.Map {
			item, ok, err := ss.evalValue(b.Value)
			if err != nil {
				return nil, false, fmt.Errorf("%s: %w", b.Name.Value, err)
			}
			if ok {
				out[b.Name.Value] = item
			}
		}
		return out, true, nil
	case yamltree.ListNode:
		out := make([]any, 0, len(v.List))
		for i, item := range v.List {
			one, ok, err := ss.evalValue(item)
			if err != nil {
				return nil, false, fmt.Errorf("%d: %w", i, err)
			}
			if ok {
				out = append(out, one)
			}
		}
		return out, true, nil
	case yamltree.StringLiteral:
		if v.Template.IsLiteral() {
			return v.Text.Value, true, nil
		}
		return v.Template.Eval(ss)
	case yamltree.BoolLiteral, yamltree.NumberLiteral, yamltree.NullLiteral, yamltree.OtherLiteral:
	}
	return v.Literal, true, nil
}
