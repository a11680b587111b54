package golang

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/model"
)

// deferred renders the records of deferred tools. There is no row, type or handler for one: nothing but this answer.
func deferred(set *model.Toolset) *jen.File {
	f := newFile()
	f.Comment("Names of the deferred tools.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, d := range set.Deferrals {
			g.Id("Deferred" + d.GoName).Op("=").Lit(d.Name)
		}
	})
	f.Comment("deferred is what calls to them are answered with.")
	f.Func().Id("deferred").Params().Index().Qual(toolkitPath, "Deferral").Block(
		jen.Return(jen.Index().Qual(toolkitPath, "Deferral").ValuesFunc(func(g *jen.Group) {
			for _, d := range set.Deferrals {
				g.Line().Values(jen.Id("Name").Op(":").Id("Deferred"+d.GoName), jen.Id("Envelope").Op(":").Add(raw(d.Envelope(set.Program()))))
			}
			g.Line()
		})))
	return f
}

// profileGate renders, for each profile, a switch over constants: its tools in one case, those of the scopes it excludes
// in another. The language refuses a constant that is in both.
func profileGate(set *model.Toolset) *jen.File {
	f := newFile()
	f.Comment("A tool that a profile serves and that belongs to a scope it excludes is a duplicate case, and this does not compile.")
	for _, p := range set.Profiles {
		serves := names(p.Tools(set), func(t *model.Tool) string { return "Tool" + t.GoName })
		var excluded []string
		for _, t := range set.Tools {
			if p.Excludes(t) {
				excluded = append(excluded, "Tool"+t.GoName)
			}
		}
		for _, d := range set.Deferrals {
			if slices.Contains(p.Exclude, d.Scope) {
				excluded = append(excluded, "Deferred"+d.GoName)
			}
		}
		f.Line()
		f.Comment("Profile " + p.Name + ".")
		f.Func().Id("_").Params(jen.Id("name").String()).Block(jen.Switch(jen.Id("name")).BlockFunc(func(g *jen.Group) {
			for _, side := range []struct {
				what   string
				idents []string
			}{{"served", serves}, {"excluded", excluded}} {
				if len(side.idents) == 0 {
					continue
				}
				g.Comment(side.what)
				g.CaseFunc(func(g *jen.Group) {
					for _, id := range side.idents {
						g.Line().Id(id)
					}
				})
			}
		}))
	}
	return f
}

// scopeRecords renders the members of a registry that only sets with profiles or deferrals have.
func scopeRecords(set *model.Toolset) jen.Code {
	var lines []jen.Code
	if len(set.Profiles) > 0 {
		lines = append(lines, member("Profiles", jen.Index().Qual(toolkitPath, "Profile").ValuesFunc(func(g *jen.Group) {
			for _, p := range set.Profiles {
				g.Values(jen.Id("Name").Op(":").Lit(p.Name),
					jen.Id("Exclude").Op(":").Add(stringsLit(names(p.Exclude, func(s *model.Scope) string { return s.Name }))))
			}
		})))
	}
	if len(set.Deferrals) > 0 {
		lines = append(lines, member("Deferred", jen.Id("deferred").Call()))
	}
	s := jen.Null()
	for i, line := range lines {
		if i > 0 {
			s.Op(",")
		}
		s.Add(line)
	}
	return s
}
