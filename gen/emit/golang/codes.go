package golang

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit/code"
)

const codePath = toolkitPath + "/code"

// codes renders package codes: a constant for each code of a refusal, and their documentation. The
// package imports nothing but the vocabulary of codes, so that any other can return a code without
// knowing tools.
func (e emitter) codes() *jen.File {
	f := e.newFile(e.layout.Packages.Codes)
	f.ImportName(codePath, "code")
	for _, line := range golit.Wrap("Package " + e.layout.Packages.Codes + " has the code of each refusal that a client can meet: those that the manifest declares and those of " +
		"the toolkit. It must not know tools.") {
		f.PackageComment(line)
	}
	f.Comment("Code is why a call was refused.")
	f.Type().Id("Code").Op("=").Qual(codePath, "Code")
	f.Comment("Codes that the manifest declares.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, c := range e.set.Codes {
			if !c.Builtin {
				golit.Comment(g, c.GoName+": "+c.Description)
				g.Id(c.GoName).Id("Code").Op("=").Lit(string(c.Code))
			}
		}
	})
	f.Comment("Codes of the toolkit.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, c := range e.set.Codes {
			if c.Builtin {
				g.Id(c.GoName).Op("=").Qual(codePath, c.GoName)
			}
		}
	})
	f.Comment("Table documents every code, with the fields that its envelope may have.")
	members := []jen.Code{golit.Member("Codes", golit.Rows(codePath, "Info", e.set.Codes, codeRow))}
	if len(e.set.CommonFields) > 0 {
		members = append(members, golit.Member("Common", golit.Rows(codePath, "Field", e.set.CommonFields, fieldRow)))
	}
	f.Func().Id("Table").Params().Qual(codePath, "Table").Block(jen.Return(jen.Qual(codePath, "Table").Values(golit.Members(members...)...)))
	return f
}

// fieldRow documents one field of an envelope.
func fieldRow(f code.Field) []jen.Code {
	return []jen.Code{golit.Pair("Name", jen.Lit(f.Name)), golit.Pair("Type", jen.Lit(f.Type)), golit.Pair("Description", golit.Text(f.Description))}
}

// codeRow documents one code.
func codeRow(c *model.Code) []jen.Code {
	row := []jen.Code{
		golit.Pair("Code", jen.Id(c.GoName)), golit.Pair("Class", jen.Qual(codePath, className(c.Class))), golit.Pair("Description", golit.Text(c.Description)),
	}
	if len(c.Fields) > 0 {
		row = append(row, golit.Pair("Fields", golit.Rows(codePath, "Field", c.Fields, fieldRow)))
	}
	return row
}

// className is the constant of a class: not_found is ClassNotFound.
func className(c code.Class) string { return "Class" + model.GoName(strings.ToLower(string(c))) }
