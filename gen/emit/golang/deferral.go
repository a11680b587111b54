package golang

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
)

// deferred renders the records of deferred tools. A deferred tool has no row, type or handler: only
// this answer.
func (e registryEmitter) deferred() *jen.File {
	f := e.newFile(e.layout.Packages.Registry)
	f.Comment("deferred returns the answers to calls of deferred tools.")
	f.Func().Id("deferred").Params().Index().Qual(toolkitPath, "Deferral").Block(
		jen.Return(jen.Index().Qual(toolkitPath, "Deferral").ValuesFunc(func(g *jen.Group) {
			for _, d := range e.set.Deferrals {
				members := []jen.Code{golit.Member("Name", e.shared("Deferred"+d.GoName))}
				if record := d.Envelope(e.set); record != "" {
					members = append(members, golit.Member("Envelope", golit.Raw(record)))
				} else {
					members = append(members, golit.Member("Reason", jen.Lit(d.Reason)), golit.Member("Instead", jen.Lit(d.Command(e.set))))
				}
				g.Line().Values(golit.Members(members...)...)
			}
			g.Line()
		})))
	return f
}

// profileGate renders, for each profile, a switch over constants: its tools in one case, those of
// the scopes it excludes in another. The language refuses a constant that is in both.
func (e registryEmitter) profileGate() *jen.File {
	f := e.newFile(e.layout.Packages.Registry)
	f.Comment("A tool that a profile serves and that belongs to a scope it excludes is a duplicate case, and this does not compile.")
	for _, p := range e.set.Profiles {
		serves := golit.Names(p.Tools(e.set), func(t *model.Tool) string { return "Tool" + t.GoName })
		f.Line()
		f.Comment("Profile " + p.Name + ".")
		f.Func().Id("_").Params(jen.Id("name").String()).Block(jen.Switch(jen.Id("name")).BlockFunc(func(g *jen.Group) {
			e.gateCase(g, "served", serves)
			e.gateCase(g, "excluded", e.excluded(p))
		}))
	}
	return f
}

// excluded lists the constants of the tools, deferred ones too, that a profile keeps out.
func (e registryEmitter) excluded(p *model.Profile) []string {
	var out []string
	for _, t := range e.set.Tools {
		if p.Excludes(t) {
			out = append(out, "Tool"+t.GoName)
		}
	}
	for _, d := range e.set.Deferrals {
		if slices.Contains(p.Exclude, d.Scope) {
			out = append(out, "Deferred"+d.GoName)
		}
	}
	return out
}

func (e registryEmitter) gateCase(g *jen.Group, what string, constants []string) {
	if len(constants) == 0 {
		return
	}
	g.Comment(what)
	g.CaseFunc(func(g *jen.Group) {
		for _, name := range constants {
			g.Line().Add(e.shared(name))
		}
	})
}
