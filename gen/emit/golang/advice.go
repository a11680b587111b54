package golang

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/prove"
)

// hasAdvice reports whether a tool can be hidden: a set without predicates is not even walked.
func (e emitter) hasAdvice() bool {
	return slices.ContainsFunc(e.set.Tools, func(t *model.Tool) bool { return !t.Visible.Always() })
}

// advice renders the prover's table of paths.
func (e registryEmitter) advice() *jen.File {
	table := prove.Walk(e.set).ViaTable()
	f := e.newFile(e.layout.Packages.Registry)
	f.Comment("advice is the shortest path to each predicate from each state where it is false, as the compiler has proven it.")
	f.Func().Id("advice").Params().Index().Qual(toolkitPath, "Advice").Block(
		jen.Return(jen.Index().Qual(toolkitPath, "Advice").ValuesFunc(func(g *jen.Group) {
			for _, row := range table.Rows {
				lines := []jen.Code{golit.Member("Requires", golit.Text(row.Predicate.Text))}
				if row.Mask != 0 {
					lines = append(lines, golit.Member("Mask", e.states(row.Mask)))
				}
				lines = append(lines, golit.Member("Ways", golit.Rows(toolkitPath, "Way", row.Entries, func(entry prove.ViaEntry) []jen.Code {
					steps := golit.Pair("Steps", e.steps(table.Paths[entry.Path]))
					if entry.Facts == 0 {
						return []jen.Code{steps}
					}
					return []jen.Code{golit.Pair("Facts", e.states(entry.Facts)), steps}
				})))
				g.Line().Values(golit.Members(lines...)...)
			}
			g.Line()
		})))
	return f
}

// states renders a set of facts by their names.
func (e registryEmitter) states(s prove.State) jen.Code {
	return union(pick(e.set.Facts, s.Has), e.fact)
}

func (e registryEmitter) steps(p prove.Path) jen.Code {
	return golit.Rows(toolkitPath, "Step", p, func(step prove.Step) []jen.Code {
		if step.Tool != nil {
			return []jen.Code{golit.Pair("Tool", e.tool(step.Tool))}
		}
		return []jen.Code{golit.Pair("Event", jen.Lit(step.Event.Name))}
	})
}
