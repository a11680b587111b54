package golang

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
)

// maxFieldComment is how long a comment behind a field may be, in bytes; a longer one stands above.
const maxFieldComment = 60

// typeEmitter renders the Go types of objects, and names the Go types of values.
type typeEmitter struct{ emitter }

// object renders the struct of an object, then its enums and the structs nested in it.
func (e typeEmitter) object(f *jen.File, o *model.Object, what string, tags bool) {
	golit.Comment(f, o.GoName+" holds "+what+".")
	f.Type().Id(o.GoName).StructFunc(func(g *jen.Group) {
		for _, p := range o.Properties {
			c := fieldComment(p)
			if len(c) > maxFieldComment {
				golit.Comment(g, c)
				c = ""
			}
			s := g.Id(p.GoName).Add(e.fieldType(p))
			if tags {
				s.Tag(map[string]string{"json": jsonTag(p)})
			}
			if c != "" {
				s.Comment("// " + c)
			}
		}
	})
	for _, p := range o.Properties {
		e.nested(f, p.Type, p.Name+" of "+strings.TrimPrefix(what, "the "), tags)
	}
}

// nested renders the types a property's type needs: its enum, or the struct of an object or a union at any
// depth of arrays and maps. Shared types are rendered elsewhere.
func (e typeEmitter) nested(f *jen.File, t *model.Type, what string, tags bool) {
	switch {
	case t.Shared != nil:
	case t.Kind == model.Array:
		e.nested(f, t.Items, what, tags)
	case t.Values != nil:
		e.nested(f, t.Values, what, tags)
	case t.Union != nil:
		e.union(f, t.Union, what, tags)
	case t.Object != nil:
		e.object(f, t.Object, what, tags)
	case t.EnumGoName != "":
		enum(f, t, what)
	}
}

// enum renders the type and the constants of an enum.
func enum(f *jen.File, t *model.Type, what string) {
	golit.Comment(f, t.EnumGoName+" is "+what+".")
	if t.Numbers != nil {
		f.Type().Id(t.EnumGoName).Int()
	} else {
		f.Type().Id(t.EnumGoName).String()
	}
	f.Comment("The values of " + t.EnumGoName + ".")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, v := range t.Enum {
			g.Id(t.EnumConst(v)).Id(t.EnumGoName).Op("=").Lit(v)
		}
		for _, n := range t.Numbers {
			g.Id(t.EnumConst(n.Name)).Id(t.EnumGoName).Op("=").Lit(n.Value)
		}
	})
}

// union renders the struct of a union, which has a pointer for each variant, and the structs of the variants.
func (e typeEmitter) union(f *jen.File, u *model.Union, what string, tags bool) {
	golit.Comment(f, u.GoName+" is "+what+": exactly one variant is set.")
	f.Type().Id(u.GoName).StructFunc(func(g *jen.Group) {
		for _, v := range u.Variants {
			g.Id(v.GoName).Op("*").Id(v.Object.GoName)
		}
	})
	if tags {
		f.Comment("MarshalJSONTo writes the variant that is set, with its tag.")
		f.Func().Params(jen.Id("p").Id(u.GoName)).Id("MarshalJSONTo").Params(jen.Id("enc").Op("*").Qual(jsontextPath, "Encoder")).Error().Block(
			jen.Switch().BlockFunc(func(g *jen.Group) {
				for _, v := range u.Variants {
					g.Case(jen.Id("p").Dot(v.GoName).Op("!=").Nil()).Block(
						jen.Id("v").Op(":=").Op("*").Id("p").Dot(v.GoName),
						jen.Id("v").Dot(v.Object.Properties[0].GoName).Op("=").Lit(v.Name),
						jen.Return(jen.Qual(toolkitPath, "Encode").Call(jen.Id("enc"), jen.Id("v"))))
				}
			}),
			jen.Return(jen.Qual("errors", "New").Call(jen.Lit("no variant of "+u.GoName+" is set"))))
	}
	for _, v := range u.Variants {
		e.object(f, v.Object, "variant "+v.Name+" of "+what, tags)
	}
}

func jsonTag(p *model.Property) string {
	if p.Required {
		return p.Name
	}
	return p.Name + ",omitzero"
}

func fieldComment(p *model.Property) string {
	parts := []string{}
	if p.Description != "" {
		parts = append(parts, p.Description)
	}
	if p.Default != nil {
		parts = append(parts, "default "+defaultText(p))
	}
	return strings.Join(strings.Fields(strings.Join(parts, "; ")), " ")
}

// fieldType is a property's Go type: plain when a value is certain, Opt or a pointer when it may be
// absent.
func (e typeEmitter) fieldType(p *model.Property) *jen.Statement {
	t := e.goType(p.Type)
	switch {
	case p.Required || p.Default != nil || isPlain(p.Type):
		return t
	case isStruct(p.Type):
		return jen.Op("*").Add(t)
	}
	return jen.Qual(toolkitPath, "Opt").Types(t)
}

// isPlain reports whether the zero value of the Go type is no value, and says so where one is absent: nil lists, maps and JSON texts.
func isPlain(t *model.Type) bool {
	return !t.Nullable && (t.Kind == model.Array || t.Kind == model.Free || t.Values != nil || t.Open())
}

// isStruct reports whether the Go type is a struct of its own.
func isStruct(t *model.Type) bool { return !t.Nullable && (t.Object != nil || t.Union != nil) }

func (e typeEmitter) goType(t *model.Type) *jen.Statement {
	if t.Nullable {
		return jen.Qual(toolkitPath, "Null").Types(e.certainType(t))
	}
	return e.certainType(t)
}

// certainType is the Go type of values that are not null.
func (e typeEmitter) certainType(t *model.Type) *jen.Statement {
	if t.Shared != nil {
		return jen.Qual(e.path(e.typesDir()), t.Shared.GoName)
	}
	switch t.Kind {
	case model.String:
		switch {
		case t.EnumGoName != "":
			return jen.Id(t.EnumGoName)
		case t.IsTime():
			return jen.Qual("time", "Time")
		}
		return jen.String()
	case model.Integer:
		if t.EnumGoName != "" {
			return jen.Id(t.EnumGoName)
		}
		return jen.Int()
	case model.Number:
		return jen.Float64()
	case model.Boolean:
		return jen.Bool()
	case model.Array:
		return jen.Index().Add(e.goType(t.Items))
	}
	switch {
	case t.Values != nil:
		return jen.Map(jen.String()).Add(e.goType(t.Values))
	case t.Union != nil:
		return jen.Id(t.Union.GoName)
	case t.Object != nil:
		return jen.Id(t.Object.GoName)
	}
	return jen.Qual(jsontextPath, "Value")
}
