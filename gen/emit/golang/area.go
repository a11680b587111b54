package golang

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/model"
)

// area renders one area's package: the handler interface, each tool's types and reader, and the
// rows.
func (e emitter) area(a *model.Area) *jen.File {
	f := e.newFile(e.areaDir(a))
	handlers := ", and the interface that package " + e.layout.Handlers + "/" + a.Name + " implements"
	if !a.HasHandlers() {
		handlers = ""
	}
	for _, line := range golit.Wrap("Package " + a.Package() + " is the area " + a.Name + " of the manifest, declared in " + a.File + ": parameters, decoders " +
		"and rows of its " + contents(a) + handlers + ".") {
		f.PackageComment(line)
	}
	handlerInterface(f, a)
	for _, t := range a.Tools {
		typeEmitter{e}.object(f, t.Input, "the arguments of "+t.Name, false)
		e.toolPowers(f, t)
		readerEmitter{typeEmitter{e}}.reader(f, t)
		if t.Output != nil {
			typeEmitter{e}.object(f, t.Output, "the result of "+t.Name, true)
		}
	}
	if len(a.Tools) == 0 {
		return f
	}
	f.Line()
	f.Comment("Tools returns the rows of the area's tools, sorted by name.")
	f.Func().Id("Tools").ParamsFunc(func(g *jen.Group) {
		if a.HasHandlers() {
			g.Id("h").Id("Handlers")
		}
	}).Index().Qual(toolkitPath, "Tool").Block(
		jen.Return(jen.Index().Qual(toolkitPath, "Tool").ValuesFunc(func(g *jen.Group) {
			for _, t := range a.Tools {
				g.Line().Values(golit.Members(e.row(t)...)...)
			}
			g.Line()
		})))
	return f
}

func handlerInterface(f *jen.File, a *model.Area) {
	if !a.HasHandlers() {
		return
	}
	f.Comment("Handlers run the " + contents(a) + " of the area.")
	f.Type().Id("Handlers").InterfaceFunc(func(g *jen.Group) {
		for _, t := range a.Tools {
			if t.Builtin != "" {
				continue
			}
			result := jen.Qual(toolkitPath, "Result")
			if t.Output != nil {
				result = jen.Id(t.Output.GoName)
			}
			golit.Comment(g, t.GoName+" runs "+t.Name+": "+t.Description)
			params := []jen.Code{
				jen.Id("ctx").Qual("context", "Context"), jen.Id("call").Op("*").Qual(toolkitPath, "Call"), jen.Id("in").Id(t.Input.GoName),
			}
			if len(t.Powers) > 0 {
				params = []jen.Code{jen.Line().Add(params[0]), params[1], params[2], jen.Line().Id("powers").Id(powersType(t)), jen.Line()}
			}
			g.Id(t.GoName).Params(params...).Params(result, jen.Error())
		}
		entryMethods(g, a)
	})
}

// contents names the kinds of entries of an area: "tools", "tools, prompts and resources".
func contents(a *model.Area) string {
	var kinds []string
	for _, k := range []struct {
		name string
		n    int
	}{{"tools", len(a.Tools)}, {"prompts", len(a.Prompts)}, {"resources", len(a.Resources)}} {
		if k.n > 0 {
			kinds = append(kinds, k.name)
		}
	}
	if n := len(kinds) - 1; n > 0 {
		return strings.Join(kinds[:n], ", ") + " and " + kinds[n]
	}
	return strings.Join(kinds, "")
}

// row lists the members of a tool's row that are not zero.
func (e emitter) row(t *model.Tool) []jen.Code {
	lines := []jen.Code{
		golit.Member("Name", e.tool(t)),
		golit.Member("Description", golit.Text(t.FullDescription())),
		golit.Member("Area", jen.Lit(t.Area.Name)),
		golit.Member("Capability", jen.Lit(t.Capability.Name)),
		golit.Member("Scopes", golit.Strings(golit.Names(t.Scopes, func(s *model.Scope) string { return s.Name }))),
		golit.Member("Tier", jen.Lit(t.Tier)),
	}
	if t.Effects != (model.Effects{}) {
		lines = append(lines, golit.Member("Effects", effects(t.Effects)))
	}
	if len(t.Surfaces) > 0 {
		lines = append(lines, golit.Member("Surfaces", golit.Strings(t.Surfaces)))
	}
	if len(t.Powers) > 0 {
		lines = append(lines, golit.Member("Powers", golit.Rows(toolkitPath, "Use", t.Powers, use)))
	}
	if len(t.Was) > 0 {
		lines = append(lines, golit.Member("Was", golit.Strings(t.Was)))
	}
	if len(t.Asks) > 0 {
		lines = append(lines, golit.Member("Asks", asks(t.Asks)))
	}
	if e.hasTraits() {
		lines = append(lines, golit.Member("Traits", e.shared("TraitsOf").Call(e.tool(t))))
	}
	if !t.Visible.Always() {
		lines = append(lines,
			golit.Member("Requires", golit.Text(t.Visible.Text)),
			golit.Member("Visible", e.predicate(t.Visible.Expr)),
			golit.Member("Needs", e.literals(t.Visible)))
	}
	lines = append(lines, e.listing(t)...)
	if t.Changes.Any() {
		lines = append(lines, golit.Member("Changes", e.changes(t.Changes)))
	}
	lines = append(lines, definitions(t)...)
	return append(lines,
		golit.Member("ResultBytes", jen.Lit(t.ResultBytes)),
		golit.Member("Timeout", jen.Lit(t.TimeoutMS).Op("*").Qual("time", "Millisecond")),
		golit.Member("Invoke", invoke(t)),
		golit.Member("Check", check(t)))
}

// listing returns the members of a row that decide, beside the tier, whether a list has the tool.
func (e emitter) listing(t *model.Tool) (lines []jen.Code) {
	if t.Listed != nil {
		lines = append(lines, golit.Member("Listing", golit.Text(t.Listed.Text)), golit.Member("Listed", e.predicate(t.Listed.Expr)))
	}
	if t.Joins != nil {
		lines = append(lines, golit.Member("Joining", golit.Text(t.Joins.Text)), golit.Member("Joins", e.predicate(t.Joins.Expr)))
	}
	if len(t.Also) > 0 {
		lines = append(lines, golit.Member("Also", jen.Index().Qual(toolkitPath, "Also").ValuesFunc(func(g *jen.Group) {
			for _, a := range t.Also {
				g.Values(jen.Dict{jen.Id("Capability"): golit.Text(a.Capability.Name), jen.Id("When"): golit.Text(a.When.Text), jen.Id("Holds"): e.predicate(a.When.Expr)})
			}
		})))
	}
	return lines
}

// asks renders a set of kinds of input.
func asks(of []model.Ask) jen.Code {
	out := jen.Null()
	for i, a := range of {
		if i > 0 {
			out.Op("|")
		}
		out.Qual(toolkitPath, map[model.AskKind]string{
			model.AskForm: "InputForm", model.AskURL: "InputURL", model.AskSampling: "InputSampling", model.AskRoots: "InputRoots",
		}[a.Kind])
	}
	return out
}

// definitions lists the schemas of a tool and its entries in lists.
func definitions(t *model.Tool) []jen.Code {
	lines := []jen.Code{golit.Member("Schema", golit.Raw(string(schema.Contract(t))))}
	if len(t.Requirements) > 0 {
		lines = append(lines, golit.Member("Requirements", golit.Rows(toolkitPath, "Requirement", t.Requirements, requirementRow)))
	}
	lines = append(lines, golit.Member("Definition", golit.Raw(string(schema.Definition(t)))))
	if !t.Visible.Always() {
		lines = append(lines, golit.Member("StaticDefinition", golit.Raw(string(schema.StaticDefinition(t)))))
	}
	if full := schema.FullDefinition(t); full != nil {
		lines = append(lines, golit.Member("FullDefinition", golit.Raw(string(full))))
	}
	if t.Slim != nil {
		lines = append(lines, golit.Member("SlimDefinition", golit.Raw(string(schema.SlimDefinition(t)))))
	}
	if t.Output != nil {
		lines = append(lines, golit.Member("OutputSchema", golit.Raw(string(schema.OutputContract(t)))))
		if t.OutputUnlisted {
			lines = append(lines, golit.Member("UnlistedOutput", golit.Raw(string(schema.ListedOutput(t)))))
		}
	}
	return lines
}

// requirementRow lists the members of a conditional requirement.
func requirementRow(r *model.Requirement) []jen.Code {
	var out []jen.Code
	if r.When != nil {
		out = append(out, golit.Pair("When", jen.Lit(r.When.Name)), golit.Pair("Values", golit.Strings(r.Values)))
	}
	mode := map[model.Mode]string{model.All: "RequireAll", model.Any: "RequireAny", model.One: "RequireOne", model.None: "RequireNone"}[r.Mode]
	names := golit.Names(r.Names, func(p *model.Property) string { return p.Name })
	return append(out, golit.Pair("Mode", jen.Qual(toolkitPath, mode)), golit.Pair("Names", golit.Strings(names)))
}

// invoke renders the function that decodes the arguments of a call and runs the handler.
func invoke(t *model.Tool) jen.Code {
	args, grant := []jen.Code{jen.Id("ctx"), jen.Id("call"), jen.Id("in")}, "_"
	if len(t.Powers) > 0 {
		args, grant = append(args, jen.Id(powersType(t)).Values(jen.Id("g"))), "g"
	}
	run := jen.Id("h").Dot(t.GoName).Call(args...)
	if t.Builtin == model.BuiltinExpand {
		run = expandTools(t)
	}
	result := []jen.Code{jen.Return(jen.Qual(toolkitPath, "Unstructured").Call(run))}
	if t.Output != nil {
		result = []jen.Code{jen.List(jen.Id("out"), jen.Err()).Op(":=").Add(run), jen.Return(jen.Qual(toolkitPath, "Declared").Call(jen.Id("call"), jen.Id("out"), jen.Err()))}
	}
	if t.Confirm != nil {
		result = append([]jen.Code{confirmation(t.Confirm)}, result...)
	}
	return jen.Func().Params(
		jen.Id("ctx").Qual("context", "Context"), jen.Id("call").Op("*").Qual(toolkitPath, "Call"), jen.Id(grant).Qual(grantPath, "Grant"), jen.Id("args").Index().Byte(),
	).Params(jen.Qual(toolkitPath, "CallResult"), jen.Error()).Block(append([]jen.Code{
		jen.Var().Id("in").Id(t.Input.GoName),
		jen.If(jen.Err().Op(":=").Id("in").Dot("decode").Call(jen.Id("args")), jen.Err().Op("!=").Nil()).Block(
			jen.Return(jen.Qual(toolkitPath, "CallResult").Values(), jen.Err()))}, result...)...)
}

// expandTools renders the call of the toolkit's handler.
func expandTools(t *model.Tool) *jen.Statement {
	var members []jen.Code
	for _, p := range t.Input.Properties {
		value := jen.Id("in").Dot(p.GoName).Dot("Value")
		if len(p.Type.Enum) > 0 {
			value = jen.String().Call(value)
		}
		members = append(members, golit.Member(p.GoName, value))
	}
	return jen.Qual(builtinPath, "ExpandTools").Call(jen.Id("call"), jen.Qual(builtinPath, "Expansion").Values(golit.Members(members...)...))
}

// check renders the function that only decodes the arguments of a call.
func check(t *model.Tool) jen.Code {
	return jen.Func().Params(jen.Id("args").Index().Byte()).Error().Block(
		jen.Return(jen.New(jen.Id(t.Input.GoName)).Dot("decode").Call(jen.Id("args"))))
}

// effects names only what is true, as a person would write it.
func effects(e model.Effects) jen.Code {
	var lines []jen.Code
	for _, x := range []struct {
		name string
		on   bool
	}{{"ReadOnly", e.ReadOnly}, {"Destructive", e.Destructive}, {"Idempotent", e.Idempotent}, {"OpenWorld", e.OpenWorld}} {
		if x.on {
			lines = append(lines, golit.Pair(x.name, jen.True()))
		}
	}
	return jen.Qual(toolkitPath, "Effects").Values(lines...)
}
