package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/model"
)

// predicate renders the one expression that both filters the list and guards the call.
func predicate(e model.Expr) jen.Code {
	return jen.Func().Params(jen.Id("f").Qual(toolkitPath, "Facts")).Bool().Block(jen.Return(expr(e)))
}

func expr(e model.Expr) *jen.Statement {
	switch e := e.(type) {
	case model.FactExpr:
		return jen.Id("f").Dot("Has").Call(jen.Id(e.Fact.GoName))
	case model.NotExpr:
		return jen.Op("!").Add(operand(e.X))
	case model.AndExpr:
		return operand(e.X).Op("&&").Add(operand(e.Y))
	case model.OrExpr:
		return expr(e.X).Op("||").Add(expr(e.Y))
	}
	panic("golang: unknown predicate node")
}

// operand renders e in parentheses where an "or" would otherwise bind too loosely.
func operand(e model.Expr) *jen.Statement {
	switch e.(type) {
	case model.OrExpr:
		return jen.Parens(expr(e))
	case model.AndExpr:
		return jen.Parens(expr(e))
	}
	return expr(e)
}

// literals lists the facts of a predicate with the value each is asked to have, for saying which are unmet.
func literals(e model.Expr) jen.Code {
	return jen.Index().Qual(toolkitPath, "Literal").ValuesFunc(func(g *jen.Group) {
		seen := map[*model.Fact]bool{}
		var walk func(e model.Expr, want bool)
		walk = func(e model.Expr, want bool) {
			switch e := e.(type) {
			case model.FactExpr:
				if !seen[e.Fact] {
					seen[e.Fact] = true
					g.Line().Values(jen.Id("Fact").Op(":").Id(e.Fact.GoName), jen.Id("Name").Op(":").Lit(e.Fact.Name),
						jen.Id("Want").Op(":").Lit(want))
				}
			case model.NotExpr:
				walk(e.X, !want)
			case model.AndExpr:
				walk(e.X, want)
				walk(e.Y, want)
			case model.OrExpr:
				walk(e.X, want)
				walk(e.Y, want)
			}
		}
		walk(e, true)
		g.Line()
	})
}
