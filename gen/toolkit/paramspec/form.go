package paramspec

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// jsonText is the value of from_object for a parameter that is JSON text.
const jsonText = "json"

// minReason is the fewest words of a reason: who reads it must learn what to do instead.
const minReason = 4

// Forms resolves what the parameters of a tool take beside what their schema says, and the names that the
// tool refuses.
func (r *Resolver) Forms(in *Object, not []Refused, o *param.Object) {
	if in == nil {
		return
	}
	taken := make(map[string]diag.Pos, len(o.Properties))
	for _, p := range o.Properties {
		taken[p.Name] = p.Pos
	}
	for i, p := range o.Properties {
		s := in.Properties[i].Schema
		for _, old := range s.Was {
			if !IsProperty(old.Value) {
				r.errorf(old.Pos, RuleBadName, "%q is no name for a property", old.Value)
			}
			if r.freeName(old, taken) {
				p.Was = append(p.Was, old.Value)
			}
		}
		r.fromObject(p, s.FromObject)
	}
	o.Refused = r.Refused(not, taken)
}

// freeName claims a name of an object, and reports one that is taken.
func (r *Resolver) freeName(name yamltree.Text, taken map[string]diag.Pos) bool {
	first, ok := taken[name.Value]
	if ok {
		d := r.errorf(name.Pos, RuleParameterClash, "%q already is a name of this object", name.Value)
		d.Hint, d.Related = "delete one of the two", &diag.Related{Pos: first, Message: "first here"}
		return false
	}
	taken[name.Value] = name.Pos
	return true
}

// Refused resolves the entries of not. It adds their names to taken.
func (r *Resolver) Refused(in []Refused, taken map[string]diag.Pos) []*param.Refused {
	var out []*param.Refused
	for _, x := range in {
		if !r.freeName(x.Name, taken) {
			continue
		}
		if x.Reason.Set() && len(strings.Fields(x.Reason.Value)) < minReason {
			r.errorf(x.Reason.Pos, RuleRefusalReason, "the reason for %q says too little", x.Name.Value).Hint =
				"say why it is not taken, and what to use instead"
		}
		out = append(out, &param.Refused{Name: x.Name.Value, Reason: strings.Join(strings.Fields(x.Reason.Value), " "), Pos: x.Name.Pos})
	}
	return out
}

// fromObject resolves how an object is read that is given for the parameter.
func (r *Resolver) fromObject(p *param.Property, in []yamltree.Text) {
	if len(in) == 0 {
		return
	}
	for _, t := range in {
		p.FromObject = append(p.FromObject, t.Value)
	}
	problem := ""
	switch form := p.ObjectForm(); form {
	case param.NoObject:
		problem = "it is no text and no list"
	case param.ObjectText:
		if len(in) != 1 || in[0].Value != jsonText {
			problem = "a text takes an object as its JSON text: from_object: " + jsonText
		}
	case param.ObjectJoined:
		if len(in) != 1 || in[0].Value == "" {
			problem = `the items are texts, so from_object is what stands between name and value, such as "="`
		}
	case param.ObjectPairs:
		problem = pairsProblem(p.Type.Items, p.FromObject)
	case param.ObjectValues:
		if p.Type.MaxItems != nil && len(in) > *p.Type.MaxItems {
			problem = "it names more members than the list may have items"
		}
	}
	if problem != "" {
		r.errorf(in[0].Pos, RuleObjectForm, "an object cannot be read as %q: %s", p.Name, problem)
	}
}

// pairsProblem says why two names are not those of the texts of an item, or is "".
func pairsProblem(item *param.Type, names []string) string {
	if len(names) != 2 || names[0] == names[1] || item.Object == nil {
		return "the items are objects, so from_object names the property for the member's name and the one for its value"
	}
	for _, name := range names {
		if !slices.ContainsFunc(item.Object.Properties, func(q *param.Property) bool { return q.Name == name }) {
			return "its items have no property " + name
		}
	}
	return ""
}

// onlyParameters reports keys that only a tool's own parameters may have.
func (r *Resolver) onlyParameters(p Property) {
	for _, k := range p.Schema.Keys {
		if k.Value == "was" || k.Value == "listed" && !r.input || k.Value == "from_object" {
			r.errorf(k.Pos, RuleKeyMisplaced, "%s does not apply to property %q", k.Value, p.Name.Value).Hint = "only the parameters of a tool have it"
		}
	}
}
