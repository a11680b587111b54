package lsp

import (
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/lsp/place"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/uritemplate"
)

// named is a name that can stand at a place: what it means, and where it is declared.
type named struct {
	name, doc string
	at        diag.Pos // zero for the grammar's own
}

// use is a place of the manifest that names something declared elsewhere.
type use struct {
	path string // steps between slashes: # is an entry of a list, * any key, ** any number of steps
	keys bool   // the keys of the mapping are the names, not its value
	list func(tree *spec.Tree, t *spec.Tool) []named
}

var uses = []use{
	{"tools/#/capability", false, capabilityNames},
	{"tools/#/scope", false, scopeNames},
	{"tools/#/scope/#", false, scopeNames},
	{"profiles/*/exclude_scopes/#", false, scopeNames},
	{"tools/#/visible", false, factNames},
	{"tools/#/listed", false, factNames},
	{"tools/#/changes/*/#", false, factNames},
	{"events/*/*", false, factNames},
	{"events/*/*/#", false, factNames},
	{"invariants/#", false, factNames},
	{"scenarios/*/#", false, factNames},
	{"tools/#/surfaces/#", false, surfaceNames},
	{"tools/#/deferred/surfaces/#", false, surfaceNames},
	{"powers/*/surface", false, surfaceNames},
	{"prompts/#/capability", false, capabilityNames},
	{"prompts/#/scope", false, scopeNames},
	{"prompts/#/scope/#", false, scopeNames},
	{"prompts/#/visible", false, factNames},
	{"resources/#/capability", false, capabilityNames},
	{"resources/#/scope", false, scopeNames},
	{"resources/#/scope/#", false, scopeNames},
	{"resources/#/visible", false, factNames},
	{"tools/#/powers", true, powerNames},
	{"tools/#/powers/*", true, parameterNames},
	{"tools/#/traits/shows", false, traitNames(func(t *spec.Traits) []spec.TraitValue { return t.Shows })},
	{"tools/#/traits/record", false, traitNames(func(t *spec.Traits) []spec.TraitValue { return t.Record })},
	{"tools/#/traits/replay", false, traitNames(func(t *spec.Traits) []spec.TraitValue { return t.Replay })},
	{"tools/#/input/**/role", false, roleNames},
	{"tools/#/input/**/type", false, typeNames},
	{"tools/#/output/**/type", false, typeNames},
	{"types/**/type", false, typeNames},
	{"tools/#/require_when/#/when", true, parameterNames},
	{"tools/#/require_when/#/*/#", false, parameterNames},
	{"tools/#/slim/input/#", false, parameterNames},
	{"tools/#/cli/args/#", false, parameterNames},
	{"tools/#/cli/hide/#", false, parameterNames},
	{"tools/#/cli/#/args/#", false, parameterNames},
	{"tools/#/cli/#/hide/#", false, parameterNames},
	{"tools/#/cli/set", true, parameterNames},
	{"tools/#/cli/#/set", true, parameterNames},
}

// variableNames lists the variables of the template of the resource that a line of a file belongs to.
func variableNames(tree *spec.Tree, file string, line int) []named {
	var found *spec.Resource
	for _, a := range tree.Areas {
		for _, r := range a.Resources {
			if a.File == file && r.Pos.Line <= line && (found == nil || r.Pos.Line > found.Pos.Line) {
				found = r
			}
		}
	}
	if found == nil {
		return nil
	}
	t, err := uritemplate.Parse(found.Template.Value)
	if err != nil {
		return nil
	}
	var out []named
	for _, v := range t.Variables() {
		out = append(out, named{name: v, doc: "A variable of " + t.String() + ".", at: found.Template.Pos})
	}
	return out
}

// namesAt lists the names that can stand at a place, as a key or as a value.
func namesAt(tree *spec.Tree, t *spec.Tool, path []place.Step, asKey bool) []named {
	for _, u := range uses {
		if u.keys == asKey && matches(strings.Split(u.path, "/"), path) {
			return u.list(tree, t)
		}
	}
	return nil
}

func matches(pattern []string, path []place.Step) bool {
	if len(pattern) == 0 {
		return len(path) == 0
	}
	if pattern[0] == "**" {
		for skip := range len(path) + 1 {
			if matches(pattern[1:], path[skip:]) {
				return true
			}
		}
		return false
	}
	if len(path) == 0 {
		return false
	}
	step := path[0]
	fits := pattern[0] == "#" && step.Entry || !step.Entry && (pattern[0] == "*" || pattern[0] == step.Key)
	return fits && matches(pattern[1:], path[1:])
}

func name(t spec.Text, doc string) named { return named{t.Value, doc, t.Pos} }

func capabilityNames(tree *spec.Tree, _ *spec.Tool) []named {
	var out []named
	for _, c := range tree.Capabilities {
		out = append(out, name(c.Name, c.Description.Value))
	}
	return out
}

func scopeNames(tree *spec.Tree, _ *spec.Tool) []named {
	var out []named
	for _, s := range tree.Scopes {
		out = append(out, name(s.Name, "A scope, "+s.Status.Value+", promised since "+s.Since.Value+"."))
	}
	return out
}

func factNames(tree *spec.Tree, _ *spec.Tool) []named {
	var out []named
	for _, f := range tree.Facts {
		out = append(out, name(f.Name, f.Description.Value))
	}
	return out
}

func surfaceNames(tree *spec.Tree, _ *spec.Tool) []named {
	var out []named
	for _, s := range tree.Surfaces {
		out = append(out, name(s.Name, s.Description.Value))
	}
	return out
}

func powerNames(tree *spec.Tree, _ *spec.Tool) []named {
	var out []named
	for _, p := range tree.Powers {
		out = append(out, name(p.Name, p.Description.Value))
	}
	return out
}

func traitNames(values func(*spec.Traits) []spec.TraitValue) func(*spec.Tree, *spec.Tool) []named {
	return func(tree *spec.Tree, _ *spec.Tool) []named {
		if tree.Traits == nil {
			return nil
		}
		var out []named
		for _, v := range values(tree.Traits) {
			out = append(out, name(v.Name, v.Description.Value))
		}
		return out
	}
}

func typeNames(tree *spec.Tree, _ *spec.Tool) []named {
	var out []named
	for _, kind := range model.Kinds() {
		out = append(out, named{name: kind})
	}
	for _, p := range tree.Types {
		doc := "A shared type."
		if p.Schema != nil && p.Schema.Description.Value != "" {
			doc = p.Schema.Description.Value
		}
		out = append(out, name(p.Name, doc))
	}
	return out
}

func roleNames(tree *spec.Tree, _ *spec.Tool) []named {
	out := []named{{name: "none", doc: "The parameter has no role, though its name suggests one."}}
	if tree.Traits == nil {
		return out
	}
	for _, r := range tree.Traits.Roles {
		out = append(out, name(r.Name, r.Description.Value))
	}
	return out
}

func parameterNames(_ *spec.Tree, t *spec.Tool) []named {
	if t == nil || t.Input == nil {
		return nil
	}
	var out []named
	for _, p := range t.Input.Properties {
		doc := p.Schema.Type.Value
		if d := p.Schema.Description.Value; d != "" {
			doc += ": " + d
		}
		out = append(out, name(p.Name, doc))
	}
	return out
}

// toolAt returns the entry of a tool that a line of a file belongs to, counted from 1; nil where
// there is none.
func toolAt(tree *spec.Tree, file string, line int) *spec.Tool {
	for i := range tree.Areas {
		a := &tree.Areas[i]
		if a.File != file {
			continue
		}
		var found *spec.Tool
		for _, t := range a.Tools {
			if t.Pos.Line <= line && (found == nil || t.Pos.Line > found.Pos.Line) {
				found = t
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}
