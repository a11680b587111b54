package golang

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
)

// maxFieldComment is how long a comment behind a field may be, in bytes; a longer one stands above.
const maxFieldComment = 60

// object renders the struct of an object, then its enums and the structs nested in it.
func object(f *jen.File, o *model.Object, what string, tags bool) {
	golit.Comment(f, o.GoName+" holds "+what+".")
	f.Type().Id(o.GoName).StructFunc(func(g *jen.Group) {
		for _, p := range o.Properties {
			c := fieldComment(p)
			if len(c) > maxFieldComment {
				golit.Comment(g, c)
				c = ""
			}
			s := g.Id(p.GoName).Add(fieldType(p))
			if tags {
				s.Tag(map[string]string{"json": jsonTag(p)})
			}
			if c != "" {
				s.Comment("// " + c)
			}
		}
	})
	for _, p := range o.Properties {
		nested(f, p.Type, p.Name+" of "+strings.TrimPrefix(what, "the "), tags)
	}
}

// nested renders the types a property's type needs: its enum, or the struct of an object at any
// depth of arrays.
func nested(f *jen.File, t *model.Type, what string, tags bool) {
	switch {
	case t.Kind == model.Array:
		nested(f, t.Items, what, tags)
	case t.Open():
	case t.Kind == model.Nested:
		object(f, t.Object, what, tags)
	case t.Enum != nil:
		golit.Comment(f, t.EnumGoName+" is "+what+".")
		f.Type().Id(t.EnumGoName).String()
		f.Comment("The values of " + t.EnumGoName + ".")
		f.Const().DefsFunc(func(g *jen.Group) {
			for _, v := range t.Enum {
				g.Id(t.EnumConst(v)).Id(t.EnumGoName).Op("=").Lit(v)
			}
		})
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
func fieldType(p *model.Property) *jen.Statement {
	t := goType(p.Type)
	switch {
	case p.Required || p.Default != nil || p.Type.Kind == model.Array || p.Type.Open():
		return t
	case p.Type.Kind == model.Nested:
		return jen.Op("*").Add(t)
	}
	return jen.Qual(toolkitPath, "Opt").Types(t)
}

func goType(t *model.Type) *jen.Statement {
	switch t.Kind {
	case model.String:
		if t.Enum != nil {
			return jen.Id(t.EnumGoName)
		}
		return jen.String()
	case model.Integer:
		return jen.Int()
	case model.Number:
		return jen.Float64()
	case model.Boolean:
		return jen.Bool()
	case model.Array:
		return jen.Index().Add(goType(t.Items))
	}
	if t.Open() {
		return jen.Qual(jsontextPath, "Value")
	}
	return jen.Id(t.Object.GoName)
}
