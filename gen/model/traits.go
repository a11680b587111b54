package model

import (
	"regexp"
	"strings"

	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Traits is the vocabulary of what a server must know of tools beside their schemas. Every list is
// in manifest order; a trait with an empty list does not exist.
type Traits struct {
	Roles                 []*Role
	Shows, Record, Replay []*TraitValue
}

// TraitValue is a value that a trait of a tool may have.
type TraitValue struct {
	Name, Description string
	GoName            string // ShowsPage
}

// ToolTraits are the traits of one tool. Those that the manifest does not declare are nil.
type ToolTraits struct {
	Keeps                 bool // persists or passes on what its arguments say
	Durable               bool // its answer promises that something is on disk
	Shows, Record, Replay *TraitValue
}

// RolePath is a parameter that has a role, by the JSON pointer of its texts, in which * stands for
// every index.
type RolePath struct {
	Path   string
	Role   *Role
	Secret string // see Property.Secret
}

// RolePaths lists the parameters of a tool that have a role, in manifest order, outer ones before
// those inside.
func (t *Tool) RolePaths() []RolePath {
	var out []RolePath
	var walk func(path string, o *Object)
	walk = func(path string, o *Object) {
		for _, p := range o.Properties {
			at, inner := path+"/"+p.Name, p.Type
			for inner.Kind == Array {
				at, inner = at+"/*", inner.Items
			}
			if p.Role != nil {
				out = append(out, RolePath{at, p.Role, p.Secret})
			}
			for _, part := range inner.Parts() {
				walk(at+part.Path, part.Object)
			}
		}
	}
	walk("", t.Input)
	return out
}

// traits resolves the vocabulary of the root file.
func (r vocabulary) traits(in *spec.Traits) {
	if in == nil {
		return
	}
	out := &Traits{}
	r.roleOf = make(map[string]*Role)
	for _, role := range in.Roles {
		out.Roles = append(out.Roles, r.declareRole(role))
	}
	out.Shows = r.traitValues("Shows", "shows", in.Shows)
	out.Record = r.traitValues("Record", "record", in.Record)
	out.Replay = r.traitValues("Replay", "replay", in.Replay)
	r.set.Traits = out
}

func (r vocabulary) declareRole(in spec.Role) *Role {
	r.name(in.Name, "a role")
	r.notEmpty(in.Description, "the description")
	if in.Name.Value == paramspec.NoRole {
		r.errorf(in.Name.Pos, paramspec.RuleBadName, "%q is no name for a role", paramspec.NoRole).Hint = "a parameter states it to have no role"
	}
	role := &Role{Name: in.Name.Value, Description: in.Description.Value, GoName: "Role" + r.goName(in.Name.Value), Form: in.Form.Value}
	if _, err := regexp.Compile(role.Form); err != nil {
		r.errorf(in.Form.Pos, paramspec.RuleTraitMisplaced, "the form of role %q is no regular expression: %s", role.Name, err)
	}
	r.ident(role.GoName, "role \""+role.Name+"\"", in.Name.Pos)
	for _, name := range r.unique(in.Names) {
		if other := r.roleOf[name.Value]; other != nil {
			r.errorf(name.Pos, paramspec.RuleTraitMisplaced, "role %q claims the name %q already", other.Name, name.Value)
			continue
		}
		role.Names = append(role.Names, name.Value)
		r.roleOf[name.Value] = role
	}
	r.role.add(role.Name, role)
	return role
}

func (r vocabulary) traitValues(prefix, trait string, in []spec.TraitValue) []*TraitValue {
	var out []*TraitValue
	for _, v := range in {
		r.name(v.Name, "a value of "+trait)
		r.notEmpty(v.Description, "the description")
		item := &TraitValue{Name: v.Name.Value, Description: v.Description.Value, GoName: prefix + r.goName(v.Name.Value)}
		r.ident(item.GoName, trait+" \""+item.Name+"\"", v.Name.Pos)
		out = append(out, item)
	}
	return out
}

// toolTraits resolves the traits of a live tool: every one that the root file declares, and keeps
// with them.
func (r toolResolver) toolTraits(in *spec.Tool) ToolTraits {
	written, declared := in.Traits, r.set.Traits
	if declared == nil {
		if !written.Pos.IsZero() {
			r.errorf(written.Pos, paramspec.RuleUnknownTrait, "the root file declares no traits").Hint = `write "traits: {shows: {…}}" there`
		}
		return ToolTraits{}
	}
	out := ToolTraits{Keeps: written.Keeps.Value, Durable: written.Durable.Value}
	var missing []string
	if !yamltree.HasKey(written.Keys, "keeps") {
		missing = append(missing, "keeps")
	}
	for _, trait := range []struct {
		name   string
		value  spec.Text
		values []*TraitValue
		to     **TraitValue
	}{
		{"shows", written.Shows, declared.Shows, &out.Shows},
		{"record", written.Record, declared.Record, &out.Record},
		{"replay", written.Replay, declared.Replay, &out.Replay},
	} {
		switch {
		case trait.value.Set():
			*trait.to = r.traitValue(trait.value, trait.name, trait.values)
		case len(trait.values) > 0 && !yamltree.HasKey(written.Keys, trait.name):
			missing = append(missing, trait.name)
		}
	}
	if len(missing) > 0 {
		at := written.Pos
		if at.IsZero() {
			at = in.Name.Pos
		}
		r.errorf(at, paramspec.RuleMissingTrait, "tool %q does not state %s", in.Name.Value, strings.Join(missing, ", ")).Hint =
			"write traits: {" + strings.Join(missing, ": …, ") + ": …}"
	}
	return out
}

func (r toolResolver) traitValue(in spec.Text, trait string, values []*TraitValue) *TraitValue {
	names := make([]string, len(values))
	for i, v := range values {
		if v.Name == in.Value {
			return v
		}
		names[i] = v.Name
	}
	if !r.role.unread {
		r.unknown(in, paramspec.RuleUnknownTrait, "value of "+trait, names).Cause = trait + " " + in.Value
	}
	return nil
}
