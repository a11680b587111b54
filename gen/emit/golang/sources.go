package golang

import (
	"strconv"
	"time"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
)

// EmitSourceDigests renders the file that says, in a release build, from which manifest the code was
// generated, and what the rows of its tools say.
func EmitSourceDigests(set *model.Toolset, digests string) ([]output.File, error) {
	layout := set.Layout.OrDefault()
	rows := slicesx.List(set.Tools, rowOf)
	text := "// " + Header(layout.Manifest) + `
//go:build release

package ` + layout.Packages.Registry + `

// SourceDigests sums each entry of the manifest that this code was generated from.
const SourceDigests = ` + "`" + digests + "`" + `

// FactCount is the number of facts.
const FactCount = ` + strconv.Itoa(len(set.Facts)) + `

// RowDigests sums each row of the table of tools, as toolkit.RowDigests does.
const RowDigests = ` + "`" + toolkit.RowDigests(rows, len(set.Facts)) + "`\n"
	return []output.File{{Path: layout.Packages.Registry + "/release_sources.go", Data: []byte(text)}}, nil
}

// rowOf is the row of a tool without its functions but the predicates: what the generated code says.
func rowOf(t *model.Tool) toolkit.Tool {
	out := toolkit.Tool{
		Name: t.Name, Description: t.FullDescription(), Area: t.Area.Name, Capability: t.Capability.Name, Tier: t.Tier,
		Effects: toolkit.Effects{ReadOnly: t.Effects.ReadOnly, Destructive: t.Effects.Destructive, Idempotent: t.Effects.Idempotent, OpenWorld: t.Effects.OpenWorld},
		Scopes:  golit.Names(t.Scopes, func(s *model.Scope) string { return s.Name }), Surfaces: t.Surfaces, Was: t.Was,
		Changes: toolkit.Changes{Sets: bits(t.Changes.Sets), Clears: bits(t.Changes.Clears), MaySet: bits(t.Changes.MaySet), MayClear: bits(t.Changes.MayClear)},
		Schema:  string(schema.Contract(t)), Definition: string(schema.Definition(t)), FullDefinition: string(schema.FullDefinition(t)),
		ResultBytes: t.ResultBytes, Timeout: time.Duration(t.TimeoutMS) * time.Millisecond,
	}
	holds := func(p model.Predicate) func(toolkit.Facts) bool {
		return func(f toolkit.Facts) bool { return p.Holds(uint64(f)) }
	}
	for _, p := range t.Powers {
		use := toolkit.Use{Power: p.Power.Name, Values: p.Values, Default: p.Default()}
		if p.When != nil {
			use.Param = p.When.Name
		}
		out.Powers = append(out.Powers, use)
	}
	if !t.Visible.Always() {
		out.Requires, out.Visible, out.StaticDefinition = t.Visible.Text, holds(t.Visible), string(schema.StaticDefinition(t))
	}
	if t.Listed != nil {
		out.Listing, out.Listed = t.Listed.Text, holds(*t.Listed)
	}
	if t.Joins != nil {
		out.Joining, out.Joins = t.Joins.Text, holds(*t.Joins)
	}
	for _, a := range t.Also {
		out.Also = append(out.Also, toolkit.Also{Capability: a.Capability.Name, When: a.When.Text, Holds: holds(a.When)})
	}
	if t.Slim != nil {
		out.SlimDefinition = string(schema.SlimDefinition(t))
	}
	if t.Output != nil {
		out.OutputSchema = string(schema.OutputContract(t))
	}
	return out
}

func bits(facts []*model.Fact) (out toolkit.Facts) {
	for _, f := range facts {
		out |= 1 << f.Bit
	}
	return out
}
