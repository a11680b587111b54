package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
)

// predicate renders the one expression that both filters the list and guards the call.
func (e emitter) predicate(x model.Expr) jen.Code {
	return jen.Func().Params(jen.Id("f").Qual(toolkitPath, "Facts")).Bool().Block(jen.Return(e.expr(x)))
}

func (e emitter) expr(x model.Expr) *jen.Statement {
	switch x := x.(type) {
	case model.FactExpr:
		return jen.Id("f").Dot("Has").Call(e.fact(x.Fact))
	case model.NotExpr:
		return jen.Op("!").Add(e.operand(x.X))
	case model.AndExpr:
		return e.operand(x.X).Op("&&").Add(e.lineBreak(x), e.operand(x.Y))
	case model.OrExpr:
		return e.expr(x.X).Op("||").Add(e.lineBreak(x), e.expr(x.Y))
	}
	panic("golang: unknown predicate node")
}

// operand renders e in parentheses where an "or" would otherwise bind too loosely.
func (e emitter) operand(x model.Expr) *jen.Statement {
	switch x.(type) {
	case model.OrExpr, model.AndExpr:
		return jen.Parens(e.expr(x))
	}
	return e.expr(x)
}

// maxOnLine is how many facts of an expression stand on one line.
const maxOnLine = 2

// lineBreak ends the line after an operator of a long expression.
func (e emitter) lineBreak(x model.Expr) jen.Code {
	if len(occurrences(x, true)) > maxOnLine {
		return jen.Line()
	}
	return jen.Null()
}

// literals lists the facts of a predicate with the value each must have, for naming those that are
// unmet.
func (e emitter) literals(p model.Predicate) jen.Code {
	return golit.Rows(toolkitPath, "Literal", p.Literals(), func(l model.Literal) []jen.Code {
		row := []jen.Code{golit.Pair("Fact", e.fact(l.Fact)), golit.Pair("Name", jen.Lit(l.Fact.Name))}
		if l.Want {
			row = append(row, golit.Pair("Want", jen.True()))
		}
		return row
	})
}

// occurrence is a fact as it stands in an expression: want is false under an odd number of
// negations.
type occurrence struct {
	fact *model.Fact
	want bool
}

// occurrences lists the facts of an expression from left to right.
func occurrences(x model.Expr, want bool) []occurrence {
	switch x := x.(type) {
	case model.FactExpr:
		return []occurrence{{x.Fact, want}}
	case model.NotExpr:
		return occurrences(x.X, !want)
	case model.AndExpr:
		return append(occurrences(x.X, want), occurrences(x.Y, want)...)
	case model.OrExpr:
		return append(occurrences(x.X, want), occurrences(x.Y, want)...)
	}
	return nil
}
