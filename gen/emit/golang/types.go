package golang

import (
	"cmp"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
)

// typesDir returns the directory of the shared types.
func (e emitter) typesDir() string { return e.layout.Packages.Toolset + "/types" }

// types renders the types that the manifest gives names, each with its reader. Area packages refer to them.
func (e emitter) types() *jen.File {
	f := e.newFile(e.typesDir())
	f.PackageComment("Package types holds the types that the manifest shares between tools, and their readers. It must know no tool.")
	for _, t := range e.set.Types {
		readerEmitter{typeEmitter{e}}.sharedType(f, t)
	}
	return f
}

func (e readerEmitter) sharedType(f *jen.File, s *model.SharedType) {
	what := cmp.Or(s.Description, "a shared type")
	t := *s.Type
	e.nested(f, &t, what, true)
	if t.Object == nil && t.Union == nil && t.EnumGoName == "" {
		golit.Comment(f, s.GoName+" is "+what+".")
		if t.IsTime() {
			f.Type().Id(s.GoName).Op("=").Add(e.goType(&t)) // an alias has the methods
		} else {
			f.Type().Id(s.GoName).Add(e.goType(&t))
		}
	}
	rules(f, s.GoName, &t)
	e.readersOf(f, &t)
	f.Comment("Read" + s.GoName + " reads a value of the type.")
	read := e.readCertain(s.GoName, &t)
	if !isStruct(&t) && t.EnumGoName == "" && !t.IsTime() {
		read = jen.Id(s.GoName).Call(read)
	}
	f.Func().Id("Read" + s.GoName).Params(jen.Id("a").Op("*").Qual(toolkitPath, "Args")).Id(s.GoName).Block(jen.Return(read))
}
