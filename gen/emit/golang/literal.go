package golang

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/model"
)

// member is one line of a composite literal. Unlike jen.Dict it keeps the order it is given.
func member(name string, value jen.Code) jen.Code {
	return jen.Line().Id(name).Op(":").Add(value)
}

// members ends a list of member lines, so that the closing brace stands alone.
func members(lines ...jen.Code) []jen.Code { return append(lines, jen.Line()) }

// fields makes one member per area.
func fields(areas []*model.Area, f func(*model.Area) (string, jen.Code)) []jen.Code {
	var out []jen.Code
	for _, a := range areas {
		name, value := f(a)
		out = append(out, jen.Id(name).Op(":").Add(value))
	}
	return out
}

func names[T any](items []T, name func(T) string) []string {
	out := make([]string, len(items))
	for i, x := range items {
		out[i] = name(x)
	}
	return out
}

// stringsLit is []string{…}.
func stringsLit(values []string) jen.Code {
	return jen.Index().String().ValuesFunc(func(g *jen.Group) {
		for _, v := range values {
			g.Lit(v)
		}
	})
}

// raw is a string literal in backquotes where that is possible, because JSON full of \" cannot be reviewed.
func raw(s string) jen.Code {
	if strings.ContainsAny(s, "`\r") {
		return jen.Lit(s)
	}
	return jen.Op("`" + s + "`")
}

// number is an untyped numeric constant: 3, 0.5.
func number(f float64) jen.Code { return jen.Op(strconv.FormatFloat(f, 'g', -1, 64)) }
