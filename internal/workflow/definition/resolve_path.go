package definition

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// resolvePath resolves one reference. An unqualified name is a variable, else a step, else a
// parameter.
func (r *resolver) resolvePath(p template.Path, s scope, at func(template.Segment) diag.Pos) StaticType {
	name, rest := p[0].Key, p[1:]
	group := func(what string, names []string) (string, bool) {
		if len(rest) == 0 || rest[0].IsIndex {
			r.diags.Errorf(at(p[0]), ruleUnknownName, "%s alone is not a value", name).Hint = "name one: " + name + ".…"
			return "", false
		}
		if !slices.Contains(names, rest[0].Key) {
			r.reportUnknown(at(rest[0]), what, rest[0].Key, names)
			return "", false
		}
		return rest[0].Key, true
	}
	switch name {
	case "params", "inputs":
		if key, ok := group("parameter", propertyNames(s.params)); ok {
			return r.resolveParam(propertyByName(s.params, key), rest[1:], s, at)
		}
		return StaticType{}
	case "steps":
		if key, ok := group("step", keys(s.steps)); ok {
			return resultPart(rest[1:], s.steps[key])
		}
		return StaticType{}
	case "vars":
		if key, ok := group("variable", keys(s.vars)); ok {
			return partOf(s.vars[key], rest[1:])
		}
		return StaticType{}
	}
	if v, ok := s.local[name]; ok {
		return partOf(v, rest)
	}
	if v, ok := s.vars[name]; ok {
		return partOf(v, rest)
	}
	if maybe, ok := s.steps[name]; ok {
		return resultPart(rest, maybe)
	}
	if prop := propertyByName(s.params, name); prop != nil {
		return r.resolveParam(prop, rest, s, at)
	}
	r.reportUnknown(at(p[0]), "name", name, s.allNames())
	return StaticType{}
}

func (r *resolver) reportUnknown(at diag.Pos, what, name string, valid []string) {
	slices.Sort(valid)
	d := r.diags.Errorf(at, ruleUnknownName, "unknown %s %q", what, name)
	if d.Hint = diag.DidYouMean(name, valid); d.Hint == "" && len(valid) > 0 && len(valid) <= 12 {
		d.Hint = "known here: " + strings.Join(valid, ", ")
	}
}

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	return out
}

// partOf returns the type of a part of a value whose parts are unknown.
func partOf(v StaticType, rest template.Path) StaticType {
	if len(rest) == 0 {
		return v
	}
	return StaticType{MayBeAbsent: true}
}

// resultPart returns the type of a step's result or of a part of it. Other names are parts of
// what the tool returned.
func resultPart(rest template.Path, maybe bool) StaticType {
	if len(rest) == 0 {
		return StaticType{Types: []string{"object", "string"}, MayBeAbsent: maybe}
	}
	switch rest[0].Key {
	case "text":
		return partOf(StaticType{Types: []string{"string"}, MayBeAbsent: maybe}, rest[1:])
	case "isError", "ok", "skipped":
		return partOf(StaticType{Types: []string{"boolean"}, MayBeAbsent: maybe}, rest[1:])
	case "files":
		return partOf(StaticType{Types: []string{"array"}, MayBeAbsent: maybe}, rest[1:])
	}
	return StaticType{MayBeAbsent: true}
}

func propertyNames(o *param.Object) []string {
	return slicesx.List(o.Properties, func(p *param.Property) string { return p.Name })
}

func propertyByName(o *param.Object, name string) *param.Property {
	for _, p := range o.Properties {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// resolveParam returns the type of a parameter or of a part of it.
func (r *resolver) resolveParam(p *param.Property, rest template.Path, s scope,
	at func(template.Segment) diag.Pos) StaticType {
	s.used[p.Name] = true
	t, absent := p.Type, !p.Required && p.Default == nil
	for _, seg := range rest {
		switch {
		case seg.IsIndex && t.Kind == param.Array:
			t, absent = t.Items, true
		case !seg.IsIndex && t.Open():
			return StaticType{MayBeAbsent: true}
		case !seg.IsIndex && t.Kind == param.Nested:
			next := propertyByName(t.Object, seg.Key)
			if next == nil {
				r.reportUnknown(at(seg), "property", seg.Key, propertyNames(t.Object))
				return StaticType{}
			}
			t, absent = next.Type, absent || !next.Required && next.Default == nil
		default:
			r.diags.Errorf(at(seg), ruleUnknownName, "%q is of type %s and has no parts", p.Name, t.Kind)
			return StaticType{}
		}
	}
	return StaticType{Types: []string{string(t.Kind)}, Enum: t.Enum, MayBeAbsent: absent, IsParameter: true}
}
