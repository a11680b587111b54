package golang

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/model"
)

const templatePath = toolkitPath + "/uritemplate"

// entryMethods lists the methods of the handler interface that serve prompts, resources and completions.
func entryMethods(g *jen.Group, a *model.Area) {
	for _, p := range a.Prompts {
		golit.Comment(g, sentence(p.Method()+" gives the prompt "+p.Name, p.Description))
		params := requestParams()
		if len(p.Arguments) > 0 {
			params = append(params, jen.Id("in").Id(p.ArgumentsType()))
		}
		g.Id(p.Method()).Params(params...).Params(jen.Qual(toolkitPath, "PromptResult"), jen.Error())
		completers(g, &p.Entry, p.Arguments)
	}
	for _, r := range a.Resources {
		golit.Comment(g, sentence(r.Method()+" reads the resource "+r.Name, r.Description)+" An error that is fs.ErrNotExist says that there is none.")
		params := requestParams()
		if r.Template != nil {
			params = append(params, jen.Id("in").Id(r.VariablesType()))
		}
		g.Id(r.Method()).Params(params...).Params(jen.Qual(toolkitPath, "Contents"), jen.Error())
		completers(g, &r.Entry, r.Variables)
	}
}

// sentence joins what a method does with what its entry is; a description is a sentence of its own.
func sentence(does, description string) string {
	if description == "" {
		return does + "."
	}
	return does + ": " + description
}

func requestParams() []jen.Code {
	return []jen.Code{jen.Id("ctx").Qual("context", "Context"), jen.Id("call").Op("*").Qual(toolkitPath, "Call")}
}

func completers(g *jen.Group, e *model.Entry, of []*model.Argument) {
	for _, a := range of {
		if a.Completed {
			golit.Comment(g, e.Completer(a)+" lists the values that complete "+a.Name+" of "+e.Name+", the best first.")
			g.Id(e.Completer(a)).Params(append(requestParams(), jen.Id("in").Qual(toolkitPath, "Completion"))...).Params(jen.Index().String(), jen.Error())
		}
	}
}

// entryNames renders the constants of prompts' or resources' names.
func entryNames[T any](f *jen.File, kind string, of []T, entry func(T) *model.Entry) {
	if len(of) == 0 {
		return
	}
	f.Comment("Names of the " + model.Unexported(kind) + "s.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, x := range of {
			g.Id(kind + entry(x).GoName).Op("=").Lit(entry(x).Name)
		}
	})
}

// prompts renders the prompts of an area: their arguments and rows.
func (e emitter) prompts(a *model.Area) *jen.File {
	f := e.newFile(e.areaDir(a))
	for _, p := range a.Prompts {
		if len(p.Arguments) > 0 {
			arguments(f, p.Arguments, p.ArgumentsType(), "the arguments of the prompt "+p.Name)
		}
	}
	rows(f, "Prompt", a.Prompts, func(p *model.Prompt) []jen.Code {
		lines := []jen.Code{golit.Member("Entry", e.entry(&p.Entry, e.shared("Prompt"+p.GoName), string(schema.PromptDefinition(p))))}
		args, in := "_", []jen.Code{jen.Id("ctx"), jen.Id("call")}
		if len(p.Arguments) > 0 {
			lines = append(lines, golit.Member("Arguments", e.argumentRows(&p.Entry, p.Arguments)))
			args, in = "args", append(in, jen.Id("read"+p.ArgumentsType()).Call(jen.Id("args")))
		}
		return append(lines, golit.Member("Get", jen.Func().Params(append(requestParams(), jen.Id(args).Qual(toolkitPath, "Arguments"))...).
			Params(jen.Qual(toolkitPath, "PromptResult"), jen.Error()).Block(jen.Return(jen.Id("h").Dot(p.Method()).Call(in...)))))
	})
	return f
}

// resources renders the resources of an area: their addresses, variables and rows.
func (e emitter) resources(a *model.Area) *jen.File {
	f := e.newFile(e.areaDir(a))
	f.ImportName(templatePath, "uritemplate")
	for _, r := range a.Resources {
		address(f, r)
	}
	rows(f, "Resource", a.Resources, func(r *model.Resource) []jen.Code {
		lines := []jen.Code{golit.Member("Entry", e.entry(&r.Entry, e.shared("Resource"+r.GoName), string(schema.ResourceDefinition(r))))}
		vars, in := "_", []jen.Code{jen.Id("ctx"), jen.Id("call")}
		if r.Template == nil {
			lines = append(lines, golit.Member("URI", jen.Id(r.GoName+"URI")))
		} else {
			lines = append(lines,
				golit.Member("Template", jen.Qual(templatePath, "MustParse").Call(jen.Id(r.GoName+"URI"))),
				golit.Member("Variables", e.argumentRows(&r.Entry, r.Variables)))
			vars, in = "vars", append(in, jen.Id("read"+r.VariablesType()).Call(jen.Id("vars")))
		}
		if r.MIME != "" {
			lines = append(lines, golit.Member("MIME", jen.Lit(r.MIME)))
		}
		if r.Subscribe {
			lines = append(lines, golit.Member("Subscribe", jen.True()))
		}
		read := jen.Func().Params(append(requestParams(), jen.Id("_").String(), jen.Id(vars).Qual(toolkitPath, "Arguments"))...).
			Params(jen.Qual(toolkitPath, "Contents"), jen.Error()).Block(jen.Return(jen.Id("h").Dot(r.Method()).Call(in...)))
		return append(lines, golit.Member("Read", read))
	})
	return f
}

// rows renders the function that returns the rows of an area's prompts or resources.
func rows[T any](f *jen.File, kind string, of []T, row func(T) []jen.Code) {
	f.Comment(kind + "s returns the rows of the area's " + model.Unexported(kind) + "s, sorted by name.")
	f.Func().Id(kind+"s").Params(jen.Id("h").Id("Handlers")).Index().Qual(toolkitPath, kind).Block(
		jen.Return(jen.Index().Qual(toolkitPath, kind).ValuesFunc(func(g *jen.Group) {
			for _, x := range of {
				g.Line().Values(golit.Members(row(x)...)...)
			}
			g.Line()
		})))
}

// entry renders the common part of prompts and resources.
func (e emitter) entry(x *model.Entry, name jen.Code, definition string) jen.Code {
	lines := []jen.Code{
		golit.Member("Name", name),
		golit.Member("Area", jen.Lit(x.Area.Name)),
		golit.Member("Capability", jen.Lit(x.Capability.Name)),
		golit.Member("Scopes", golit.Strings(golit.Names(x.Scopes, func(s *model.Scope) string { return s.Name }))),
	}
	if !x.Visible.Always() {
		lines = append(lines, golit.Member("Requires", golit.Text(x.Visible.Text)), golit.Member("Visible", e.predicate(x.Visible.Expr)))
	}
	if len(x.Asks) > 0 {
		lines = append(lines, golit.Member("Asks", asks(x.Asks)))
	}
	lines = append(lines, golit.Member("Definition", golit.Raw(definition)),
		golit.Member("Timeout", jen.Lit(x.TimeoutMS).Op("*").Qual("time", "Millisecond")))
	return jen.Qual(toolkitPath, "Entry").Values(golit.Members(lines...)...)
}

// argumentRows renders the arguments with what completes them.
func (e emitter) argumentRows(x *model.Entry, of []*model.Argument) jen.Code {
	return golit.Rows(toolkitPath, "Argument", of, func(a *model.Argument) []jen.Code {
		row := []jen.Code{golit.Pair("Name", jen.Lit(a.Name))}
		if a.Required {
			row = append(row, golit.Pair("Required", jen.True()))
		}
		if a.Type.Enum != nil {
			row = append(row, golit.Pair("Values", golit.Strings(a.Type.Enum)), golit.Pair("Closed", jen.True()))
		}
		if a.Completed {
			row = append(row, golit.Pair("Complete", jen.Func().Params(append(requestParams(), jen.Id("in").Qual(toolkitPath, "Completion"))...).
				Params(jen.Index().String(), jen.Error()).Block(jen.Return(jen.Id("h").Dot(x.Completer(a)).Call(jen.Id("ctx"), jen.Id("call"), jen.Id("in"))))))
		}
		return row
	})
}

// arguments renders the struct of arguments, their enums, and the function that fills it.
func arguments(f *jen.File, of []*model.Argument, goName, what string) {
	golit.Comment(f, goName+" holds "+what+".")
	f.Type().Id(goName).StructFunc(func(g *jen.Group) {
		for _, a := range of {
			s := g.Id(a.GoName).Add(argumentType(a))
			if a.Description != "" {
				s.Comment("// " + a.Description)
			}
		}
	})
	for _, a := range of {
		if a.Type.Enum != nil {
			enum(f, a.Type, a.Name+" of "+strings.TrimPrefix(what, "the "))
		}
	}
	f.Func().Id("read" + goName).Params(jen.Id("from").Qual(toolkitPath, "Arguments")).Params(jen.Id("in").Id(goName)).BlockFunc(func(g *jen.Group) {
		for _, a := range of {
			field, value := jen.Id("in").Dot(a.GoName), jen.Id("from").Index(jen.Lit(a.Name))
			switch {
			case a.Required && a.Type.Enum == nil:
				g.Add(field).Op("=").Add(value)
			case a.Required:
				g.Add(field).Op("=").Id(a.Type.EnumGoName).Call(value)
			case a.Type.Enum == nil:
				g.Add(field).Op("=").Id("from").Dot("Opt").Call(jen.Lit(a.Name))
			default:
				g.If(jen.List(jen.Id("v"), jen.Id("ok")).Op(":=").Add(value), jen.Id("ok")).Block(
					field.Clone().Op("=").Qual(toolkitPath, "Opt").Types(jen.Id(a.Type.EnumGoName)).Values(
						golit.Pair("Value", jen.Id(a.Type.EnumGoName).Call(jen.Id("v"))), golit.Pair("Set", jen.True())))
			}
		}
		g.Return(jen.Id("in"))
	})
}

func argumentType(a *model.Argument) *jen.Statement {
	t := jen.String()
	if a.Type.Enum != nil {
		t = jen.Id(a.Type.EnumGoName)
	}
	if a.Required {
		return t
	}
	return jen.Qual(toolkitPath, "Opt").Types(t)
}

// address renders the address of a resource, or its template with the variables and what makes an
// address of them.
func address(f *jen.File, r *model.Resource) {
	if r.Template == nil {
		golit.Comment(f, r.GoName+"URI is the address of the resource "+r.Name+".")
		f.Const().Id(r.GoName + "URI").Op("=").Lit(r.URI)
		return
	}
	golit.Comment(f, r.GoName+"URI is the template of the addresses of the resource "+r.Name+".")
	f.Const().Id(r.GoName + "URI").Op("=").Lit(r.Template.String())
	arguments(f, r.Variables, r.VariablesType(), "the variables of the resource "+r.Name)
	f.Comment("URI is the address with these variables.")
	f.Func().Params(jen.Id("v").Id(r.VariablesType())).Id("URI").Params().String().Block(
		jen.Return(jen.Qual(templatePath, "MustParse").Call(jen.Id(r.GoName + "URI")).Dot("Expand").Call(
			jen.Map(jen.String()).String().ValuesFunc(func(g *jen.Group) {
				for _, a := range r.Variables {
					value := jen.Id("v").Dot(a.GoName)
					if a.Type.Enum != nil {
						value = jen.String().Call(value)
					}
					g.Lit(a.Name).Op(":").Add(value)
				}
			}))))
}
