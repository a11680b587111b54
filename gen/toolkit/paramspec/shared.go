package paramspec

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Named resolves the types that have names, each before what refers to it. OfOutputs has the names that only
// outputs refer to: their members have no roles.
func (r *Resolver) Named(in []Property, ofOutputs map[string]bool) {
	r.named = make(map[string]*sharedType, len(in))
	for i := range in {
		p := &in[i]
		if !isTypeName(p.Name.Value) {
			r.errorf(p.Name.Pos, RuleBadName, "%q is no name for a type", p.Name.Value).Hint =
				"a type begins with a capital letter, then come letters and digits, 64 characters at most"
		}
		r.names = append(r.names, p.Name.Value)
		r.named[p.Name.Value] = &sharedType{written: p, ofOutput: ofOutputs[p.Name.Value]}
	}
	for _, name := range r.names {
		r.resolveShared(r.named[name])
	}
}

// sharedType is a type with a name while it is resolved.
type sharedType struct {
	written  *Property
	resolved *param.SharedType
	ofOutput bool // only outputs refer to it
	open     bool // is being resolved: what refers to it now is part of it
}

func isTypeName(s string) bool {
	return s != "" && len(s) <= 64 && s[0] >= 'A' && s[0] <= 'Z' && !strings.Contains(s, "_") && IsProperty(s)
}

// resolveShared resolves a type with a name, if that is not done.
func (r *Resolver) resolveShared(t *sharedType) *param.SharedType {
	if t.resolved != nil || t.open {
		return t.resolved
	}
	t.open = true
	name, s := t.written.Name, t.written.Schema
	out := &param.SharedType{Name: name.Value, GoName: r.goName(name.Value), Description: s.Description.Value, Pos: name.Pos}
	what := "type \"" + name.Value + "\""
	for _, k := range s.Keys {
		if slices.Contains([]string{"required", "default", "role", "secret", "was", "listed", "from_object", "nullable"}, k.Value) {
			r.errorf(k.Pos, RuleKeyMisplaced, "%s does not apply to %s", k.Value, what).Hint = "properties of the type say it"
		}
	}
	if len(s.Type.Value) > 0 && r.named[s.Type.Value] != nil {
		r.errorf(s.Type.Pos, RuleUnknownType, "%s is only another name of %q", what, s.Type.Value).Hint = "a type says what its values are"
		s.Type.Value = string(param.String)
	}
	output := r.output
	r.output = t.ofOutput
	r.sharing = append(r.sharing, name)
	out.Type = r.typeOf(s, name, out.GoName, false)
	r.sharing = r.sharing[:len(r.sharing)-1]
	r.output = output
	if t := out.Type; t.Object == nil && t.Union == nil && t.EnumGoName == "" {
		r.ident(out.GoName, what, name.Pos)
	}
	out.Type.Nullable = false
	t.resolved, t.open = out, false
	r.Types = append(r.Types, out)
	return out
}

// sharedType is the type that a schema refers to by name; nil when it refers to none.
func (r *Resolver) sharedType(s *Schema, what string, item bool) *param.Type {
	known := r.named[s.Type.Value]
	if known == nil {
		return nil
	}
	if known.open {
		r.recursion(s.Type)
		return &param.Type{Kind: param.String}
	}
	shared := r.resolveShared(known)
	shared.Used = shared.Used || len(r.sharing) == 0
	for _, k := range s.Keys {
		switch k.Value {
		case "type", "nullable":
		case "description", "required", "default", "role", "secret", "was", "listed", "from_object":
			if item {
				r.errorf(k.Pos, RuleKeyMisplaced, "%s does not apply to %s", k.Value, what)
			}
		default:
			r.errorf(k.Pos, RuleKeyMisplaced, "%s does not apply to %s", k.Value, what).Hint = "the type " + shared.Name + " says it"
		}
	}
	out := *shared.Type
	out.Shared, out.Nullable = shared, s.Nullable.Value
	return &out
}

// recursion reports a type that contains itself. Schemas repeat types where they are used, which would have no end.
func (r *Resolver) recursion(name yamltree.Text) {
	path := slicesx.List(r.sharing, func(t yamltree.Text) string { return t.Value })
	i := max(slices.Index(path, name.Value), 0)
	d := r.errorf(name.Pos, RuleRecursiveType, "type %q contains itself: %s", name.Value, strings.Join(append(path[i:], name.Value), ", "))
	d.Hint = "refer to the inner value by an id, or use additionalProperties: true for it"
	d.Related = &diag.Related{Pos: r.named[name.Value].written.Name.Pos, Message: "the type is here"}
}

// MarkUsed marks the named types that used ones refer to, and warns of the others.
func (r *Resolver) MarkUsed() {
	var mark func(t *param.Type)
	mark = func(t *param.Type) {
		if t == nil {
			return
		}
		if t.Shared != nil {
			t.Shared.Used = true
		}
		mark(t.Items)
		mark(t.Values)
		for _, part := range t.Parts() {
			for _, p := range part.Object.Properties {
				mark(p.Type)
			}
		}
	}
	for _, t := range slices.Backward(r.Types) { // a type stands behind those that it refers to
		if t.Used {
			mark(t.Type)
		}
	}
	for _, t := range r.Types {
		if !t.Used {
			r.Diags.Warnf(t.Pos, RuleUnusedType, "nothing refers to type %q", t.Name).Hint = "delete it"
		}
	}
}

// union resolves an object of one of several variants.
func (r *Resolver) union(in *Union, goName, what string) *param.Union {
	u := &param.Union{GoName: goName, Tag: in.Tag.Value}
	r.ident(goName, what, in.Key)
	if in.Tag.Set() && !IsProperty(in.Tag.Value) {
		r.errorf(in.Tag.Pos, RuleBadName, "%q is no name for a property", in.Tag.Value)
	}
	if len(in.Variants) < 2 {
		r.errorf(in.Key, RuleBadUnion, "%s has %d variants", what, len(in.Variants)).Hint = "a union has two or more; an object needs none"
	}
	fields := make(map[string]yamltree.Text)
	for _, v := range in.Variants {
		name := r.goName(v.Name.Value)
		if first, ok := fields[name]; ok || name == "" {
			d := r.errorf(v.Name.Pos, RuleGoNameClash, "variant %q would be called %q in Go, as is %q", v.Name.Value, name, first.Value)
			d.Hint = "a variant has a letter or a digit that tells it from the others"
			continue
		}
		fields[name] = v.Name
		o := r.object(v.Object, goName+name, goName+name, "variant \""+v.Name.Value+"\" of "+what)
		if i := slices.IndexFunc(o.Properties, func(p *param.Property) bool { return p.Name == u.Tag || p.GoName == r.goName(u.Tag) }); i >= 0 {
			r.errorf(o.Properties[i].Pos, RuleBadUnion, "%q is the tag, which says the variant; a variant does not state it", u.Tag)
			continue
		}
		if len(o.Properties) == MaxProperties {
			r.errorf(v.Name.Pos, RuleTooManyProperties, "a variant has %d properties at most, beside the tag", MaxProperties-1)
		}
		tag := &param.Property{Name: u.Tag, GoName: r.goName(u.Tag), Required: true, Pos: v.Name.Pos,
			Type: &param.Type{Kind: param.String, Enum: []string{v.Name.Value}}}
		o.Properties = append([]*param.Property{tag}, o.Properties...)
		u.Variants = append(u.Variants, &param.Variant{Name: v.Name.Value, GoName: name, Object: o})
	}
	return u
}

// onlyManifests reports what the readers of workflows do not know.
func (r *Resolver) onlyManifests(s *Schema, what string) {
	if r.Declared != nil {
		return
	}
	report := func(at diag.Pos, construct string) {
		r.errorf(at, RuleKeyMisplaced, "%s cannot be %s here", what, construct).Hint = "only the tools of a manifest have it"
	}
	for _, k := range s.Keys {
		switch k.Value {
		case "format", "nullable", "union", "propertyNames", "minProperties", "maxProperties":
			report(k.Pos, "given "+k.Value)
		case "type":
			if s.Type.Value == string(param.Free) {
				report(k.Pos, "of type any")
			}
		case "additionalProperties":
			if s.Values != nil {
				report(k.Pos, "a map")
			}
		case "enum":
			if s.Enum != nil && s.Enum.Names != nil {
				report(k.Pos, "an enum of integers")
			}
		}
	}
}
