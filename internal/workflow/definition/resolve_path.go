package definition

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// path resolves one reference. Bare names are looked up among variables, then steps, then parameters.
func (r *reader) path(p template.Path, s scope, at func(template.Segment) diag.Pos) Static {
	name, rest := p[0].Key, p[1:]
	group := func(what string, names []string) (string, bool) {
		if len(rest) == 0 || rest[0].IsIndex {
			r.errorf(at(p[0]), ruleUnknownName, "%s alone is no value", name).Hint = "name one: " + name + ".…"
			return "", false
		}
		if !slices.Contains(names, rest[0].Key) {
			r.unknown(at(rest[0]), what, rest[0].Key, names)
			return "", false
		}
		return rest[0].Key, true
	}
	switch name {
	case "params", "inputs":
		if key, ok := group("parameter", names(s.params)); ok {
			return r.param(property(s.params, key), rest[1:], s, at)
		}
		return Static{}
	case "steps":
		if key, ok := group("step", keys(s.steps)); ok {
			return r.result(rest[1:], s.steps[key])
		}
		return Static{}
	case "vars":
		if key, ok := group("variable", keys(s.vars)); ok {
			return below(s.vars[key], rest[1:])
		}
		return Static{}
	}
	if v, ok := s.local[name]; ok {
		return below(v, rest)
	}
	if v, ok := s.vars[name]; ok {
		return below(v, rest)
	}
	if maybe, ok := s.steps[name]; ok {
		return r.result(rest, maybe)
	}
	if prop := property(s.params, name); prop != nil {
		return r.param(prop, rest, s, at)
	}
	r.unknown(at(p[0]), "name", name, s.all())
	return Static{}
}

func (r *reader) unknown(at diag.Pos, what, name string, valid []string) {
	slices.Sort(valid)
	d := r.errorf(at, ruleUnknownName, "unknown %s %q", what, name)
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

// below is what is known of a part of a value of which only the whole is known.
func below(v Static, rest template.Path) Static {
	if len(rest) == 0 {
		return v
	}
	return Static{Absent: true}
}

// result is what is known of a step's result or a part of it. A part that is not one of its own is looked for in what
// the tool has returned.
func (r *reader) result(rest template.Path, maybe bool) Static {
	if len(rest) == 0 {
		return Static{Types: []string{"object", "string"}, Absent: maybe}
	}
	switch rest[0].Key {
	case "text":
		return below(Static{Types: []string{"string"}, Absent: maybe}, rest[1:])
	case "isError", "ok", "skipped":
		return below(Static{Types: []string{"boolean"}, Absent: maybe}, rest[1:])
	case "files":
		return below(Static{Types: []string{"array"}, Absent: maybe}, rest[1:])
	}
	return Static{Absent: true}
}

func names(o *model.Object) []string {
	out := make([]string, len(o.Properties))
	for i, p := range o.Properties {
		out[i] = p.Name
	}
	return out
}

func property(o *model.Object, name string) *model.Property {
	for _, p := range o.Properties {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// param is what is known of a parameter or a part of it.
func (r *reader) param(p *model.Property, rest template.Path, s scope, at func(template.Segment) diag.Pos) Static {
	s.used[p.Name] = true
	t, absent := p.Type, !p.Required && p.Default == nil
	for _, seg := range rest {
		switch {
		case seg.IsIndex && t.Kind == model.Array:
			t, absent = t.Items, true
		case !seg.IsIndex && t.Open():
			return Static{Absent: true}
		case !seg.IsIndex && t.Kind == model.Nested:
			next := property(t.Object, seg.Key)
			if next == nil {
				r.unknown(at(seg), "property", seg.Key, names(t.Object))
				return Static{}
			}
			t, absent = next.Type, absent || !next.Required && next.Default == nil
		default:
			r.errorf(at(seg), ruleUnknownName, "%q is of type %s and has no parts", p.Name, t.Kind)
			return Static{}
		}
	}
	return Static{Types: []string{string(t.Kind)}, Enum: t.Enum, Absent: absent, Declared: true}
}
