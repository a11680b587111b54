package golang

import (
	"cmp"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
)

// traits renders the vocabulary of traits as constants, and the look-ups of a tool's traits and of
// a name's role.
func (e emitter) traits() *jen.File {
	set := e.set
	vocabulary := cmp.Or(set.Traits, new(model.Traits))
	f := e.newFile(e.layout.Packages.Toolset)
	if len(vocabulary.Roles) > 0 {
		f.Comment("The roles of parameters.")
		f.Const().DefsFunc(func(g *jen.Group) {
			for _, r := range vocabulary.Roles {
				golit.Comment(g, r.GoName+": "+r.Description)
				g.Id(r.GoName).Qual(toolkitPath, "Role").Op("=").Lit(r.Name)
			}
		})
	}
	for _, v := range []struct {
		comment, kind string
		values        []*model.TraitValue
	}{
		{"What results show.", "Shows", vocabulary.Shows},
		{"How a recorder treats calls.", "Record", vocabulary.Record},
		{"How recorded calls are made again, and written as code.", "Replay", vocabulary.Replay},
	} {
		if len(v.values) == 0 {
			continue
		}
		f.Comment(v.comment)
		f.Const().DefsFunc(func(g *jen.Group) {
			for _, value := range v.values {
				golit.Comment(g, value.GoName+": "+value.Description)
				g.Id(value.GoName).Qual(toolkitPath, v.kind).Op("=").Lit(value.Name)
			}
		})
	}
	for _, t := range set.Tools {
		toolTraits(f, t)
	}
	traitsOf(f, set.Tools)
	roleNamed(f, vocabulary.Roles)
	return f
}

// traitsOf renders the look-up of a tool's traits by name, for callers that have a name and no
// registry.
func traitsOf(f *jen.File, tools []*model.Tool) {
	f.Comment("TraitsOf returns the traits of the tool that has or had a name; zero when the manifest has no such tool.")
	f.Func().Id("TraitsOf").Params(jen.Id("tool").String()).Qual(toolkitPath, "Traits").Block(
		jen.Switch(jen.Id("tool")).BlockFunc(func(g *jen.Group) {
			for _, t := range tools {
				if !hasTraits(t) {
					continue
				}
				g.CaseFunc(func(g *jen.Group) {
					g.Id("Tool" + t.GoName)
					for _, old := range t.Was {
						g.Lit(old)
					}
				}).Block(jen.Return(jen.Id(traitsVar(t))))
			}
		}),
		jen.Return(jen.Qual(toolkitPath, "Traits").Values()))
}

// roleNamed renders the look-up of the role that claims a parameter's name, for tools that are not
// in the manifest.
func roleNamed(f *jen.File, roles []*model.Role) {
	f.Comment("RoleNamed returns the role that claims a parameter's name; \"\" when none does. Tools that are not in the manifest")
	f.Comment("have no other roles.")
	f.Func().Id("RoleNamed").Params(jen.Id("parameter").String()).Qual(toolkitPath, "Role").Block(
		jen.Switch(jen.Id("parameter")).BlockFunc(func(g *jen.Group) {
			for _, r := range roles {
				if len(r.Names) == 0 {
					continue
				}
				g.CaseFunc(func(g *jen.Group) {
					for _, name := range r.Names {
						g.Lit(name)
					}
				}).Block(jen.Return(jen.Id(r.GoName)))
			}
		}),
		jen.Return(jen.Lit("")))
}

func traitsVar(t *model.Tool) string { return model.Unexported(t.GoName) + "Traits" }

func hasTraits(t *model.Tool) bool {
	return t.Traits != (model.ToolTraits{}) || len(t.RolePaths()) > 0 || t.HasForms()
}

// hasTraits reports whether there are traits at all: the manifest declares some, or a tool takes other
// forms of its parameters.
func (e emitter) hasTraits() bool {
	return e.set.Traits != nil || slices.ContainsFunc(e.set.Tools, (*model.Tool).HasForms)
}

// forms renders the other forms of arguments, which the schema does not show.
func forms(t *model.Tool) jen.Code {
	with := slices.DeleteFunc(slices.Clone(t.Input.Properties), func(p *model.Property) bool { return len(p.Was)+len(p.FromObject) == 0 })
	return golit.Rows(toolkitPath, "Form", with, func(p *model.Property) []jen.Code {
		pairs := []jen.Code{golit.Pair("Name", jen.Lit(p.Name))}
		if len(p.Was) > 0 {
			pairs = append(pairs, golit.Pair("Was", golit.Strings(p.Was)))
		}
		kinds := map[model.ObjectForm]string{
			model.ObjectText: "ObjectText", model.ObjectJoined: "ObjectJoined", model.ObjectPairs: "ObjectPairs", model.ObjectValues: "ObjectValues",
		}
		if form := p.ObjectForm(); form != model.NoObject {
			pairs = append(pairs, golit.Pair("Object", jen.Qual(toolkitPath, kinds[form])))
			if form != model.ObjectText {
				pairs = append(pairs, golit.Pair("Names", golit.Strings(p.FromObject)))
			}
		}
		return pairs
	})
}

// toolTraits renders the variable that holds a tool's traits: static data, which costs nothing at
// start-up.
func toolTraits(f *jen.File, t *model.Tool) {
	if !hasTraits(t) {
		return
	}
	var lines []jen.Code
	if t.Traits.Keeps {
		lines = append(lines, golit.Member("Keeps", jen.True()))
	}
	if t.Traits.Durable {
		lines = append(lines, golit.Member("Durable", jen.True()))
	}
	for _, trait := range []struct {
		name  string
		value *model.TraitValue
	}{{"Shows", t.Traits.Shows}, {"Record", t.Traits.Record}, {"Replay", t.Traits.Replay}} {
		if trait.value != nil {
			lines = append(lines, golit.Member(trait.name, jen.Id(trait.value.GoName)))
		}
	}
	if paths := t.RolePaths(); len(paths) > 0 {
		lines = append(lines, golit.Member("Roles", golit.Rows(toolkitPath, "Parameter", paths, func(p model.RolePath) []jen.Code {
			pairs := []jen.Code{golit.Pair("Path", jen.Lit(p.Path)), golit.Pair("Role", jen.Id(p.Role.GoName))}
			switch p.Secret {
			case model.SecretTyped:
				pairs = append(pairs, golit.Pair("Secret", jen.Qual(toolkitPath, "SecretTyped")))
			case model.SecretSent:
				pairs = append(pairs, golit.Pair("Secret", jen.Qual(toolkitPath, "SecretSent")))
			}
			return pairs
		})))
	}
	if t.HasForms() {
		lines = append(lines, golit.Member("Forms", forms(t)))
	}
	f.Var().Id(traitsVar(t)).Op("=").Qual(toolkitPath, "Traits").Values(golit.Members(lines...)...)
}
