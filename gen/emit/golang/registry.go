package golang

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
)

// registryEmitter renders the files of package registry.
type registryEmitter struct{ emitter }

// registry renders the package that joins the areas: Handlers, Compose and New.
func (e registryEmitter) registry() *jen.File {
	f := e.newFile(e.layout.Packages.Registry)
	name := e.layout.Packages.Registry
	f.PackageComment("Package " + name + " composes the areas' handlers into the registry of every tool.")
	f.PackageComment("")
	f.PackageComment("Compose accepts handlers only when all areas are there and complete. " + name + " must know nothing of who implements")
	f.PackageComment("them.")
	e.handlers(f)
	f.Comment("New builds the registry over the handlers.")
	f.Func().Id("New").Params(jen.Id("h").Id("Handlers")).Op("*").Qual(toolkitPath, "Registry").Block(
		jen.Id("r").Op(":=").Op("&").Qual(toolkitPath, "Registry").Values(golit.Members(e.registryMembers()...)...),
		jen.Return(jen.Id("r").Dot("Index").Call()))
	return f
}

func (e registryEmitter) handlers(f *jen.File) {
	f.Comment("Handlers holds the handlers of every area. Only Compose makes one.")
	areas := slices.DeleteFunc(slices.Clone(e.set.Areas), func(a *model.Area) bool { return !a.HasHandlers() })
	f.Type().Id("Handlers").StructFunc(func(g *jen.Group) {
		for _, a := range areas {
			g.Id(field(a)).Qual(e.areaPath(a), "Handlers")
		}
	})
	f.Comment("Compose joins the areas' handlers. A forgotten area or a missing method does not compile.")
	f.Func().Id("Compose").ParamsFunc(func(g *jen.Group) {
		for _, a := range areas {
			g.Line().Id(field(a)).Qual(e.areaPath(a), "Handlers")
		}
		if len(areas) > 0 {
			g.Line()
		}
	}).Id("Handlers").Block(jen.Return(jen.Id("Handlers").ValuesFunc(func(g *jen.Group) {
		for _, a := range areas {
			g.Line().Id(field(a)).Op(":").Id(field(a))
		}
		if len(areas) > 0 {
			g.Line()
		}
	})))
}

// field is an area's field and parameter name; the suffix keeps it clear of Go keywords and
// packages.
func field(a *model.Area) string { return model.Unexported(a.GoName) + "Area" }

// registryMembers lists the members of the registry that are not zero.
func (e registryEmitter) registryMembers() []jen.Code {
	set := e.set
	lines := []jen.Code{
		e.join("Tools", func(a *model.Area) int { return len(a.Tools) }),
		golit.Member("Capabilities", golit.Rows(toolkitPath, "Capability", set.Capabilities, capabilityRow)),
		golit.Member("Scopes", golit.Strings(golit.Names(set.Scopes, func(s *model.Scope) string { return s.Name }))),
	}
	if len(set.Prompts) > 0 {
		lines = append(lines, e.join("Prompts", func(a *model.Area) int { return len(a.Prompts) }))
	}
	if len(set.Resources) > 0 {
		lines = append(lines, e.join("Resources", func(a *model.Area) int { return len(a.Resources) }))
	}
	if set.Logging {
		lines = append(lines, golit.Member("Logs", jen.True()))
	}
	if len(set.Facts) > 0 {
		lines = append(lines, golit.Member("Facts", golit.Strings(golit.Names(set.Facts, func(f *model.Fact) string { return f.Name }))))
		lines = append(lines, golit.Member("Events", golit.Rows(toolkitPath, "Event", set.Events, e.event)))
	}
	if len(set.Surfaces) > 0 {
		lines = append(lines, golit.Member("Surfaces", golit.Rows(toolkitPath, "PolicySurface", set.Surfaces, surfaceRow)))
	}
	if len(set.Powers) > 0 {
		lines = append(lines, golit.Member("Powers", golit.Rows(toolkitPath, "Power", set.Powers, powerRow)))
	}
	if len(set.Profiles) > 0 {
		lines = append(lines, golit.Member("Profiles", golit.Rows(toolkitPath, "Profile", set.Profiles, profileRow)))
	}
	if len(set.Deferrals) > 0 {
		lines = append(lines, golit.Member("Deferred", jen.Id("deferred").Call()))
	}
	lines = append(lines, golit.Member("Scenarios", golit.Rows(toolkitPath, "Scenario", set.Scenarios, e.scenarioRow)))
	if i := slices.IndexFunc(set.Tools, func(t *model.Tool) bool { return t.Builtin == model.BuiltinExpand }); i >= 0 {
		lines = append(lines, golit.Member("Revealer", e.tool(set.Tools[i])))
	}
	if set.AddressedBy != "" {
		lines = append(lines, golit.Member("Address", jen.Lit(set.AddressedBy)))
	}
	if rows := sentinels(set.Codes); rows != nil {
		lines = append(lines, rows)
	}
	if e.hasAdvice() {
		lines = append(lines, golit.Member("Advice", jen.Id("advice").Call()))
	}
	return lines
}

// join renders the rows of one kind of all areas that have such.
func (e registryEmitter) join(kind string, count func(*model.Area) int) jen.Code {
	return golit.Member(kind, jen.Qual(toolkitPath, "Join"+kind).CallFunc(func(g *jen.Group) {
		some := false
		for _, a := range e.set.Areas {
			if count(a) > 0 {
				some = true
				handlers := jen.Id("h").Dot(field(a))
				if !a.HasHandlers() {
					handlers = nil
				}
				g.Line().Qual(e.areaPath(a), kind).Call(handlers)
			}
		}
		if some {
			g.Line()
		}
	}))
}

func profileRow(p *model.Profile) []jen.Code {
	return []jen.Code{golit.Pair("Name", jen.Lit(p.Name)),
		golit.Pair("Exclude", golit.Strings(golit.Names(p.Exclude, func(s *model.Scope) string { return s.Name })))}
}

func (e registryEmitter) scenarioRow(s *model.Scenario) []jen.Code {
	row := []jen.Code{golit.Pair("Name", jen.Lit(s.Name))}
	if len(s.Facts) > 0 {
		row = append(row, golit.Pair("Facts", union(s.Facts, e.fact)))
	}
	return row
}

func surfaceRow(s *model.Surface) []jen.Code {
	row := []jen.Code{golit.Pair("Name", jen.Lit(s.Name)), golit.Pair("Description", golit.Text(s.Description))}
	if s.Flag != "" {
		row = append(row, golit.Pair("Flag", jen.Lit(s.Flag)))
	}
	return row
}

func capabilityRow(c *model.Capability) []jen.Code {
	row := []jen.Code{golit.Pair("Name", jen.Lit(c.Name)), golit.Pair("Title", jen.Lit(c.Title)), golit.Pair("Description", golit.Text(c.Description))}
	if c.OptIn {
		row = append(row, golit.Pair("OptIn", jen.True()))
	}
	return row
}
