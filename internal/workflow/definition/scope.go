package definition

import (
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/param"
)

// StaticType is the type of a value before the run. Nil Types means any type.
type StaticType struct {
	Types       []string
	Enum        []string // the only strings it can be; nil for any
	MayBeAbsent bool     // the value may be absent at run time

	IsParameter bool // the type is declared by a parameter, so the caller may send any value of it
}

// scope holds the names that a step can use.
type scope struct {
	params  *param.Object
	steps   map[string]bool // ID → the step may not have run
	vars    map[string]StaticType
	local   map[string]StaticType // item, index, result
	used    map[string]bool       // parameters that were referenced
	present map[string]bool       // paths that a surrounding condition checks for presence
}

// withPresent returns the scope inside of a condition on these paths.
func (s scope) withPresent(paths ...string) scope {
	if len(paths) == 0 {
		return s
	}
	s.present = maps.Clone(s.present)
	if s.present == nil {
		s.present = map[string]bool{}
	}
	for _, p := range paths {
		s.present[p] = true
	}
	return s
}

// guardedPaths lists the paths that requires and if of a step test. A parameter in the condition
// may be absent.
func guardedPaths(step *Step, params *param.Object) []string {
	var out []string
	for _, e := range step.Requires {
		out = append(out, e.Path.String())
	}
	if step.If != nil {
		for _, p := range params.Properties {
			if strings.Contains(step.If.Text.Value, p.Name) {
				out = append(out, p.Name, "params."+p.Name)
			}
		}
	}
	return out
}

func (s scope) clone() scope {
	s.steps, s.vars, s.local = maps.Clone(s.steps), maps.Clone(s.vars), maps.Clone(s.local)
	return s
}

// conditionTypes returns the types of names in conditions. A value that may be absent has any type,
// since it may be nil.
func (s scope) conditionTypes() types.Map {
	result := types.Map{"text": types.String, "isError": types.Bool, "ok": types.Bool, "skipped": types.Bool,
		"json": types.Any, "structuredContent": types.Any, "files": types.Any, "saved": types.Any}
	params, steps, vars := types.Map{}, types.Map{}, types.Map{}
	for _, p := range s.params.Properties {
		params[p.Name] = types.Any
		if p.Required || p.Default != nil {
			params[p.Name] = exprType(p.Type)
		}
	}
	for id := range s.steps {
		steps[id] = result
	}
	for name := range s.vars {
		vars[name] = types.Any
	}
	env := types.Map{"params": params, "inputs": params, "steps": steps, "vars": vars}
	for _, m := range []types.Map{params, steps, vars} {
		maps.Copy(env, m)
	}
	for name := range s.local {
		env[name] = types.Any
	}
	if _, ok := s.local["result"]; ok {
		env["result"] = result
	}
	return env
}

func exprType(t *param.Type) types.Type {
	switch t.Kind {
	case param.String:
		return types.String
	case param.Boolean:
		return types.Bool
	case param.Integer:
		return types.TypeOf(int64(0))
	case param.Number:
		return types.TypeOf(float64(0))
	case param.Array, param.Nested:
	}
	return types.Any
}

// allNames lists every unqualified name.
func (s scope) allNames() []string {
	out := slicesx.Map(s.params.Properties, func(p *param.Property) string { return p.Name })
	return append(slices.AppendSeq(slices.AppendSeq(out, maps.Keys(s.steps)), maps.Keys(s.vars)),
		slices.Collect(maps.Keys(s.local))...)
}
