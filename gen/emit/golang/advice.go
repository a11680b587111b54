package golang

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/prove"
)

// adviceFile renders the prover's table of ways, or is nil when nothing is ever hidden: a set without predicates is not
// even walked.
func adviceFile(set *model.Toolset) *jen.File {
	if !slices.ContainsFunc(set.Tools, func(t *model.Tool) bool { return !t.Visible.Always() }) {
		return nil
	}
	table := prove.Walk(set).ViaTable()
	f := newFile()
	f.Comment("advice is the shortest way to each predicate from wherever it is false, as the compiler has proven it.")
	f.Func().Id("advice").Params().Index().Qual(toolkitPath, "Advice").Block(
		jen.Return(jen.Index().Qual(toolkitPath, "Advice").ValuesFunc(func(g *jen.Group) {
			for _, row := range table.Rows {
				g.Line().Values(jen.Id("Requires").Op(":").Lit(row.Predicate.Text),
					jen.Id("Mask").Op(":").Add(states(set, row.Mask)),
					jen.Id("Ways").Op(":").Index().Qual(toolkitPath, "Way").ValuesFunc(func(g *jen.Group) {
						for _, e := range row.Entries {
							g.Line().Values(jen.Id("Facts").Op(":").Add(states(set, e.Facts)),
								jen.Id("Steps").Op(":").Add(way(table.Paths[e.Path])))
						}
						g.Line()
					}))
			}
			g.Line()
		})))
	return f
}

// visibility renders the members of a registry that only sets with predicates or addresses have.
func visibility(set *model.Toolset) jen.Code {
	s := jen.Null()
	if set.AddressedBy != "" {
		s.Add(member("Address", jen.Lit(set.AddressedBy)))
	}
	if adviceFile(set) != nil {
		if set.AddressedBy != "" {
			s.Op(",")
		}
		s.Add(member("Advice", jen.Id("advice").Call()))
	}
	return s
}

// states renders a set of facts by their names.
func states(set *model.Toolset, s prove.State) jen.Code {
	if s == 0 {
		return jen.Lit(0)
	}
	return union(pick(set.Facts, s.Has), goName)
}

func way(p prove.Path) jen.Code {
	return jen.Index().Qual(toolkitPath, "Step").ValuesFunc(func(g *jen.Group) {
		for _, step := range p {
			if step.Tool != nil {
				g.Values(jen.Id("Tool").Op(":").Id("Tool" + step.Tool.GoName))
			} else {
				g.Values(jen.Id("Event").Op(":").Lit(step.Event.Name))
			}
		}
	})
}
