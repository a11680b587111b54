package model

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
)

// refusedByAll resolves the parameters that no tool takes.
func (r *resolver) refusedByAll(types *paramspec.Resolver, in []spec.Refused) {
	r.set.Refused = types.Refused(in, make(map[string]diag.Pos, len(in)))
	for _, x := range r.set.Refused {
		for _, t := range r.set.Tools {
			for _, p := range t.Input.Properties {
				if p.Name == x.Name {
					d := r.errorf(x.Pos, paramspec.RuleParameterClash, "%q is a parameter of %q", x.Name, t.Name)
					d.Hint, d.Related = "delete one of the two", &diag.Related{Pos: p.Pos, Message: "taken here"}
				}
			}
		}
	}
}

// Refusals lists the names that an object does not take: its own, then those of every tool that it
// gives no meaning.
func (ts *Toolset) Refusals(t *Tool) []*Refused {
	out := slices.Clone(t.Input.Refused)
	for _, x := range ts.Refused {
		if !names(t.Input, x.Name) {
			out = append(out, x)
		}
	}
	return out
}

// names reports whether the object takes the name, or refuses it with a reason of its own.
func names(o *Object, name string) bool {
	return slices.ContainsFunc(o.Properties, func(p *Property) bool { return p.Name == name || slices.Contains(p.Was, name) }) ||
		slices.ContainsFunc(o.Refused, func(x *Refused) bool { return x.Name == name })
}

// HasForms reports whether arguments of the tool may need to be rewritten.
func (t *Tool) HasForms() bool {
	return slices.ContainsFunc(t.Input.Properties, func(p *Property) bool { return len(p.Was) > 0 || len(p.FromObject) > 0 })
}

// HasUnlisted reports whether a list leaves a parameter out, at any depth.
func (t *Tool) HasUnlisted() bool { return hasUnlisted(t.Input) }

func hasUnlisted(o *Object) bool {
	return o != nil && slices.ContainsFunc(o.Properties, func(p *Property) bool {
		return p.Unlisted || hasUnlisted(p.Type.Object) || p.Type.Items != nil && hasUnlisted(p.Type.Items.Object)
	})
}

// Listed returns the parameters that lists show, without the members that they leave out.
func Listed(all []*Property) []*Property {
	var out []*Property
	for _, p := range all {
		if shown := *p; !p.Unlisted {
			shown.Type = listedType(p.Type)
			out = append(out, &shown)
		}
	}
	return out
}

func listedType(t *Type) *Type {
	if t == nil {
		return nil
	}
	shown := *t
	if shown.Items = listedType(t.Items); t.Object != nil {
		object := *t.Object
		object.Properties = Listed(object.Properties)
		shown.Object = &object
	}
	return &shown
}
