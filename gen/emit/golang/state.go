package golang

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
)

// state renders the type that holds the facts of one connection.
func (e emitter) state() *jen.File {
	set := e.set
	f := e.newFile(e.layout.Packages.Toolset)
	f.Comment("State is the facts of one connection. Observe is the only way to change them; it clears those that depend on a fact")
	f.Comment("that is false, so that no call can break an invariant. State is safe for concurrent use.")
	f.Type().Id("State").Struct(jen.Id("cell").Op("*").Qual(toolkitPath, "Cell"))
	f.Line()
	f.Comment("NewState makes the state of a connection of which no fact is true. Changed, unless it is nil, runs after each")
	f.Comment("change, one call at a time; it must not change this state.")
	f.Func().Id("NewState").Params(jen.Id("changed").Func().Params(jen.Qual(toolkitPath, "Facts"))).Op("*").Id("State").Block(
		jen.Return(jen.Op("&").Id("State").Values(jen.Id("cell").Op(":").Qual(toolkitPath, "NewCell").
			CallFunc(func(g *jen.Group) {
				g.Id("changed")
				for _, i := range set.Invariants {
					g.Line().Add(e.invariant(i))
				}
				if len(set.Invariants) > 0 {
					g.Line()
				}
			}))))
	f.Line()
	f.Comment("Facts returns what is true now.")
	receiver(f).Id("Facts").Params().Qual(toolkitPath, "Facts").Block(jen.Return(jen.Id("s").Dot("cell").Dot("Facts").Call()))
	f.Line()
	f.Comment("Observe replaces the facts by those that the connection shows.")
	receiver(f).Id("Observe").Params(jen.Id("facts").Qual(toolkitPath, "Facts")).Block(
		jen.Id("s").Dot("cell").Dot("Observe").Call(jen.Id("facts")))
	return f
}

// event renders the fields of an event's row in the registry.
func (e emitter) event(v *model.Event) []jen.Code {
	row := []jen.Code{golit.Pair("Name", jen.Lit(v.Name))}
	if !v.When.Always() {
		row = append(row, golit.Pair("When", e.predicate(v.When.Expr)))
	}
	return append(row, golit.Pair("Changes", e.changes(v.Changes)))
}

// changes renders the facts that a call sets and clears; lists without a fact are left out.
func (e emitter) changes(c model.Change) jen.Code {
	var fields []jen.Code
	for _, list := range []struct {
		name  string
		facts []*model.Fact
	}{{"Sets", c.Sets}, {"Clears", c.Clears}, {"MaySet", c.MaySet}, {"MayClear", c.MayClear}} {
		if len(list.facts) > 0 {
			fields = append(fields, golit.Pair(list.name, union(list.facts, e.fact)))
		}
	}
	return jen.Qual(toolkitPath, "Changes").Values(golit.OnLines(fields)...)
}

func receiver(f *jen.File) *jen.Statement {
	return f.Func().Params(jen.Id("s").Op("*").Id("State"))
}

// invariant renders an invariant with the facts to clear where it is broken.
func (e emitter) invariant(i *model.Invariant) jen.Code {
	lines := []jen.Code{jen.Id("Holds").Op(":").Add(e.predicate(i.Predicate.Expr))}
	if d := dependents(i.Predicate.Expr); len(d) > 0 {
		lines = append(lines, jen.Id("Depends").Op(":").Add(union(d, e.fact)))
	}
	return jen.Qual(toolkitPath, "Invariant").Values(lines...)
}

// dependents are the facts that "a -> b" demands b for, read as "!a || b": clearing them makes it
// true. An invariant of another form has none, and a step that breaks it does not happen.
func dependents(e model.Expr) []*model.Fact {
	if or, ok := e.(model.OrExpr); ok {
		e = or.X
	}
	not, ok := e.(model.NotExpr)
	if !ok {
		return nil
	}
	var out []*model.Fact
	var walk func(e model.Expr)
	walk = func(e model.Expr) {
		switch e := e.(type) {
		case model.FactExpr:
			out = append(out, e.Fact)
		case model.AndExpr:
			walk(e.X)
			walk(e.Y)
		case model.OrExpr:
			walk(e.X)
			walk(e.Y)
		}
	}
	walk(not.X)
	return out
}

func pick(facts []*model.Fact, keep func(*model.Fact) bool) []*model.Fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f *model.Fact) bool { return !keep(f) })
}

// union renders the union of facts, over several lines when there are many.
func union(facts []*model.Fact, as func(*model.Fact) *jen.Statement) *jen.Statement {
	s := jen.Null()
	for i, f := range facts {
		if i > 0 {
			s.Op("|")
			if len(facts) > maxOnLine {
				s.Line()
			}
		}
		s.Add(as(f))
	}
	return s
}
