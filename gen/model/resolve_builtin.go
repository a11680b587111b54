package model

import (
	"maps"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// BuiltinExpand is the handler of the toolkit that reveals tools which are not listed.
const BuiltinExpand = "expand"

// builtins are the handlers of the toolkit with the parameters that each may take. Those with values must
// have an enum of some of them.
func builtins() map[string]map[string][]string {
	return map[string]map[string][]string{
		BuiltinExpand: {"name": nil, "query": nil, "capability": nil, "tier": {"2", "3"}},
	}
}

// builtin sets the handler of the toolkit that runs the tool.
func (r toolResolver) builtin(in *spec.Tool, t *Tool) {
	if !in.Builtin.Set() {
		return
	}
	known := slices.Sorted(maps.Keys(builtins()))
	parameters, ok := builtins()[in.Builtin.Value]
	if !ok {
		r.errorf(in.Builtin.Pos, ruleBadBuiltin, "the toolkit has no handler %q", in.Builtin.Value).Misspelt(in.Builtin.Pos, in.Builtin.Value, known)
		return
	}
	t.Builtin = in.Builtin.Value
	if t.Output != nil || len(t.Powers) > 0 {
		r.errorf(in.Builtin.Pos, ruleBadBuiltin, "%q is run by the toolkit, which returns text and takes no powers", t.Name).Hint = "delete output and powers"
	}
	for _, p := range t.Input.Properties {
		values, ok := parameters[p.Name]
		switch {
		case !ok:
			d := r.errorf(p.Pos, ruleBadBuiltin, "the handler %s takes no parameter %q", t.Builtin, p.Name)
			d.Hint = diag.DidYouMean(p.Name, slices.Sorted(maps.Keys(parameters)))
		case p.Type == nil: // reported where the type is written
		case p.Type.Kind != String || p.Type.Nullable || p.Required || p.Default != nil:
			r.errorf(p.Pos, ruleBadBuiltin, "the parameter %q of the handler %s is an optional string without a default", p.Name, t.Builtin)
		case values != nil && (len(p.Type.Enum) == 0 || slices.ContainsFunc(p.Type.Enum, func(v string) bool { return !slices.Contains(values, v) })):
			r.errorf(p.Pos, ruleBadBuiltin, "the parameter %q of the handler %s has an enum of %q", p.Name, t.Builtin, values)
		}
	}
	if len(t.Input.Properties) == 0 {
		r.errorf(in.Builtin.Pos, ruleBadBuiltin, "the handler %s needs one of its parameters", t.Builtin).Hint = "query: {type: string} is the most useful one"
	}
}
