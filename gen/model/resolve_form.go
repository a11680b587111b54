package model

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// jsonText is the value of from_object for a parameter that is JSON text.
const jsonText = "json"

// minReason is the fewest words of a reason: who reads it must learn what to do instead.
const minReason = 4

// parameterForms resolves what the parameters of a tool take beside what their schema says.
func (r *typeResolver) parameterForms(in *spec.Tool, o *Object) {
	if in.Input == nil {
		return
	}
	taken := make(map[string]diag.Pos, len(o.Properties))
	for _, p := range o.Properties {
		taken[p.Name] = p.Pos
	}
	for i, p := range o.Properties {
		s := in.Input.Properties[i].Schema
		for _, old := range s.Was {
			if !isProperty(old.Value) {
				r.errorf(old.Pos, ruleBadName, "%q is no name for a property", old.Value)
			}
			if r.freeName(old, taken) {
				p.Was = append(p.Was, old.Value)
			}
		}
		if p.Unlisted = s.Listed.Set() && !s.Listed.Value; p.Unlisted && p.Required {
			r.errorf(s.Listed.Pos, ruleUnlistedRequired, "%q is required, so a client must see it in the list", p.Name)
		}
		r.fromObject(p, s.FromObject)
	}
	o.Refused = r.refusedNames(in.Not, taken)
}

// freeName claims a name of an object, and reports one that is taken.
func (r *typeResolver) freeName(name spec.Text, taken map[string]diag.Pos) bool {
	first, ok := taken[name.Value]
	if ok {
		d := r.errorf(name.Pos, ruleParameterClash, "%q already is a name of this object", name.Value)
		d.Hint, d.Related = "delete one of the two", &diag.Related{Pos: first, Message: "first here"}
		return false
	}
	taken[name.Value] = name.Pos
	return true
}

// refusedNames resolves the entries of not.
func (r *typeResolver) refusedNames(in []spec.Refused, taken map[string]diag.Pos) []*Refused {
	var out []*Refused
	for _, x := range in {
		if !r.freeName(x.Name, taken) {
			continue
		}
		if x.Reason.Set() && len(strings.Fields(x.Reason.Value)) < minReason {
			r.errorf(x.Reason.Pos, ruleRefusalReason, "the reason for %q says too little", x.Name.Value).Hint =
				"say why it is not taken, and what to use instead"
		}
		out = append(out, &Refused{Name: x.Name.Value, Reason: strings.Join(strings.Fields(x.Reason.Value), " "), Pos: x.Name.Pos})
	}
	return out
}

// fromObject resolves how an object is read that is given for the parameter.
func (r *typeResolver) fromObject(p *Property, in []spec.Text) {
	if len(in) == 0 {
		return
	}
	for _, t := range in {
		p.FromObject = append(p.FromObject, t.Value)
	}
	problem := ""
	switch form := p.ObjectForm(); form {
	case NoObject:
		problem = "it is no text and no list"
	case ObjectText:
		if len(in) != 1 || in[0].Value != jsonText {
			problem = "a text takes an object as its JSON text: from_object: " + jsonText
		}
	case ObjectJoined:
		if len(in) != 1 || in[0].Value == "" {
			problem = `the items are texts, so from_object is what stands between name and value, such as "="`
		}
	case ObjectPairs:
		problem = pairsProblem(p.Type.Items, p.FromObject)
	case ObjectValues:
		if p.Type.MaxItems != nil && len(in) > *p.Type.MaxItems {
			problem = "it names more members than the list may have items"
		}
	}
	if problem != "" {
		r.errorf(in[0].Pos, ruleObjectForm, "an object cannot be read as %q: %s", p.Name, problem)
	}
}

// pairsProblem says why two names are not those of the texts of an item, or is "".
func pairsProblem(item *Type, names []string) string {
	if len(names) != 2 || names[0] == names[1] || item.Object == nil {
		return "the items are objects, so from_object names the property for the member's name and the one for its value"
	}
	for _, name := range names {
		if !slices.ContainsFunc(item.Object.Properties, func(q *Property) bool { return q.Name == name }) {
			return "its items have no property " + name
		}
	}
	return ""
}

// onlyParameters reports keys that only a tool's own parameters may have.
func (r *typeResolver) onlyParameters(p spec.Property) {
	for _, k := range p.Schema.Keys {
		if k.Value == "was" || k.Value == "listed" || k.Value == "from_object" {
			r.errorf(k.Pos, ruleKeyMisplaced, "%s does not apply to property %q", k.Value, p.Name.Value).Hint = "only the parameters of a tool have it"
		}
	}
}

// refusedByAll resolves the parameters that no tool takes.
func (r *typeResolver) refusedByAll(in []spec.Refused) {
	r.set.Refused = r.refusedNames(in, make(map[string]diag.Pos, len(in)))
	for _, x := range r.set.Refused {
		for _, t := range r.set.Tools {
			for _, p := range t.Input.Properties {
				if p.Name == x.Name {
					d := r.errorf(x.Pos, ruleParameterClash, "%q is a parameter of %q", x.Name, t.Name)
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

// HasUnlisted reports whether a list leaves a parameter out.
func (t *Tool) HasUnlisted() bool {
	return slices.ContainsFunc(t.Input.Properties, func(p *Property) bool { return p.Unlisted })
}
