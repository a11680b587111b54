package golang

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
)

// state renders the type that holds the facts of one connection, with a method for each thing that changes them.
func (e emitter) state() *jen.File {
	set := e.set
	f := e.newFile(toolsetDir)
	f.Comment("State is what is true of one connection. Its methods are the only way to change that: one for each event, and")
	f.Comment("After… for each tool that changes facts, to be called when the tool has succeeded. Parameters are the facts that")
	f.Comment("may have changed, as they are now. Each method takes its step only where its condition still holds, and clears")
	f.Comment("what depends on a fact that is false, so that no call can break an invariant. State is safe for concurrent use.")
	f.Type().Id("State").Struct(jen.Id("cell").Op("*").Qual(toolkitPath, "Cell"))
	f.Line()
	f.Comment("NewState makes the state of a connection of which nothing is true yet. Changed (nil if nobody listens) is called")
	f.Comment("after each change, one call at a time; it must not change this state.")
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
	for _, v := range set.Events {
		e.step(f, v.GoName, "the event "+v.Name, v.When, v.Changes)
	}
	for _, t := range set.Tools {
		if t.Changes.Any() {
			e.step(f, "After"+t.GoName, "a call of "+t.Name, t.Visible, t.Changes)
		}
	}
	return f
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

// dependents are the facts that "a -> b" demands b for, read as "!a || b": clearing them makes it true. An invariant of
// another form has none, and a step that breaks it does not happen.
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

// step renders one method. A fact in both may lists takes the parameter's value, one in may_set alone can only become
// true by it, one in may_clear alone only false.
func (e emitter) step(f *jen.File, name, what string, when model.Predicate, c model.Change) {
	has := func(facts []*model.Fact) func(*model.Fact) bool {
		return func(f *model.Fact) bool { return slices.Contains(facts, f) }
	}
	open := pick(e.set.Facts, func(f *model.Fact) bool { return has(c.MaySet)(f) || has(c.MayClear)(f) })
	condition := jen.Code(jen.Nil())
	if !when.Always() {
		condition = e.predicate(when.Expr)
	}
	f.Line()
	golit.Comment(f, name+" says that "+what+" has happened"+while(when)+".")
	if effect := effectWords(c); effect != "" {
		golit.Comment(f, "It "+effect+".")
	}
	receiver(f).Id(name).ParamsFunc(func(g *jen.Group) {
		for i, fact := range open {
			p := g.Id(param(fact))
			if i == len(open)-1 {
				p.Bool()
			}
		}
	}).Block(jen.Id("s").Dot("cell").Dot("Apply").Call(
		jen.Line().Add(condition),
		jen.Line().Add(e.changed(pick(e.set.Facts, has(c.Sets)), pick(open, has(c.MaySet)), "")),
		jen.Line().Add(e.changed(pick(e.set.Facts, has(c.Clears)), pick(open, has(c.MayClear)), "!")),
		jen.Line()))
}

func pick(facts []*model.Fact, keep func(*model.Fact) bool) []*model.Fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f *model.Fact) bool { return !keep(f) })
}

func while(when model.Predicate) string {
	if when.Always() {
		return ""
	}
	return " while " + when.Text
}

// effectWords says what a step does, for its comment.
func effectWords(c model.Change) string {
	var parts []string
	for _, l := range []struct {
		word  string
		facts []*model.Fact
	}{{"sets", c.Sets}, {"clears", c.Clears}, {"may set", c.MaySet}, {"may clear", c.MayClear}} {
		if len(l.facts) > 0 {
			parts = append(parts, l.word+" "+strings.Join(golit.Names(l.facts, func(f *model.Fact) string { return f.Name }), ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// param is a fact's parameter. The suffix-free name is the fact's own, in Go's spelling.
func param(f *model.Fact) string { return lower(strings.TrimPrefix(f.GoName, "Fact")) }

// changed renders the certain facts and, with their parameters, the uncertain ones; 0 when there are none.
func (e emitter) changed(certain, uncertain []*model.Fact, not string) jen.Code {
	if len(certain)+len(uncertain) == 0 {
		return jen.Lit(0)
	}
	return union(append(certain, uncertain...), func(f *model.Fact) *jen.Statement {
		if slices.Contains(uncertain, f) {
			return e.fact(f).Dot("If").Call(jen.Op(not).Id(param(f)))
		}
		return e.fact(f)
	})
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
