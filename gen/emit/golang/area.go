package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/model"
)

// area renders one area's file: names, the handler interface, and each tool's types, reader and row; traits too, where
// the manifest declares any.
func area(a *model.Area, traits bool) *jen.File {
	f := newFile()
	f.Comment("The tools of area " + a.Name + ", declared in " + a.File + " and implemented in tools/" + a.Name + ".")
	f.Line()
	f.Comment("Names of the tools, for texts that advise one.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, t := range a.Tools {
			g.Id("Tool" + t.GoName).Op("=").Lit(t.Name)
		}
	})
	handlerInterface(f, a)
	for _, t := range a.Tools {
		object(f, t.Input, "the arguments of "+t.Name, false)
		reader(f, t)
		if t.Output != nil {
			object(f, t.Output, "the result of "+t.Name, true)
		}
		if traits {
			toolTraits(f, t)
		}
		row(f, t, traits)
	}
	return f
}

func handlerInterface(f *jen.File, a *model.Area) {
	f.Comment(a.GoName + "Handlers is what package tools/" + a.Name + " implements.")
	f.Type().Id(a.GoName + "Handlers").InterfaceFunc(func(g *jen.Group) {
		for _, t := range a.Tools {
			result := jen.Qual(toolkitPath, "Result")
			if t.Output != nil {
				result = jen.Id(t.Output.GoName)
			}
			g.Comment(t.GoName + " runs " + t.Name + ": " + t.Description)
			g.Id(t.GoName).Params(
				jen.Id("ctx").Qual("context", "Context"),
				jen.Id("call").Op("*").Qual(toolkitPath, "Call"),
				jen.Id("in").Id(t.Input.GoName),
			).Params(result, jen.Error())
		}
	})
}

func rowFunc(t *model.Tool) string { return lower(t.GoName) + "Tool" }

// row renders the function that makes a tool's row of the registry.
func row(f *jen.File, t *model.Tool, traits bool) {
	handler := "Handler"
	if t.Output != nil {
		handler = "StructuredHandler"
	}
	lines := []jen.Code{
		member("Name", jen.Id("Tool"+t.GoName)),
		member("Description", jen.Lit(t.FullDescription())),
		member("Area", jen.Lit(t.Area.Name)),
		member("Capability", jen.Lit(t.Capability.Name)),
		member("Scopes", stringsLit(names(t.Scopes, func(s *model.Scope) string { return s.Name }))),
		member("Tier", jen.Lit(t.Tier)),
		member("Effects", effects(t.Effects)),
	}
	if len(t.Surfaces) > 0 {
		lines = append(lines, member("Surfaces", stringsLit(t.Surfaces)))
	}
	if len(t.Was) > 0 {
		lines = append(lines, member("Was", stringsLit(t.Was)))
	}
	if traits {
		lines = append(lines, member("Traits", jen.Id(traitsVar(t))))
	}
	if !t.Visible.Always() {
		lines = append(lines,
			member("Requires", jen.Lit(t.Visible.Text)),
			member("Visible", predicate(t.Visible.Expr)),
			member("Needs", literals(t.Visible.Expr)))
	}
	lines = append(lines, member("Schema", raw(string(schema.Contract(t)))), member("Definition", raw(string(schema.Definition(t)))))
	if t.Slim != nil {
		lines = append(lines, member("SlimDefinition", raw(string(schema.SlimDefinition(t)))))
	}
	lines = append(lines,
		member("ResultBytes", jen.Lit(t.ResultBytes)),
		member("Timeout", jen.Lit(t.TimeoutMS).Op("*").Qual("time", "Millisecond")),
		member("Invoke", jen.Qual(toolkitPath, handler).Call(jen.Id(decodeFunc(t)), jen.Id("h").Dot(t.GoName))),
		member("Check", jen.Qual(toolkitPath, "Checker").Call(jen.Id(decodeFunc(t)))))
	f.Line()
	f.Func().Id(rowFunc(t)).Params(jen.Id("h").Id(t.Area.GoName+"Handlers")).Qual(toolkitPath, "Tool").Block(
		jen.Return(jen.Qual(toolkitPath, "Tool").Values(members(lines...)...)))
}

// effects names only what is true, as a person would write it.
func effects(e model.Effects) jen.Code {
	var lines []jen.Code
	for _, x := range []struct {
		name string
		on   bool
	}{{"ReadOnly", e.ReadOnly}, {"Destructive", e.Destructive}, {"Idempotent", e.Idempotent}, {"OpenWorld", e.OpenWorld}} {
		if x.on {
			lines = append(lines, jen.Id(x.name).Op(":").True())
		}
	}
	return jen.Qual(toolkitPath, "Effects").Values(lines...)
}
