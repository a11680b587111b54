// Package interpret makes the registry of a resolved set at run time: what generated code is for a server
// with handlers.
//
// It must not know how a manifest is written or checked, nor what a tool does: the caller passes what
// runs each of them.
package interpret

import (
	"context"
	"time"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/prove"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
)

// Runner runs a tool.
type Runner struct {
	Invoke func(ctx context.Context, call *toolkit.Call, g grant.Grant, args []byte) (toolkit.CallResult, error)
	Check  func(args []byte) error // reports the violations of arguments
	Was    []string                // more names that calls of the tool may use
}

// Registry makes the registry of a set. Each tool is run by what runner returns for it.
func Registry(set *model.Toolset, runner func(*model.Tool) (Runner, error)) (*toolkit.Registry, error) {
	r := &toolkit.Registry{Address: set.AddressedBy}
	for _, c := range set.Capabilities {
		r.Capabilities = append(r.Capabilities, toolkit.Capability{Name: c.Name, Title: c.Title, Description: c.Description, OptIn: c.OptIn})
	}
	for _, s := range set.Scopes {
		r.Scopes = append(r.Scopes, s.Name)
	}
	for _, f := range set.Facts {
		r.Facts = append(r.Facts, f.Name)
	}
	for _, s := range set.Surfaces {
		r.Surfaces = append(r.Surfaces, toolkit.PolicySurface{Name: s.Name, Description: s.Description, Flag: s.Flag})
	}
	for _, p := range set.Powers {
		r.Powers = append(r.Powers, toolkit.Power{Name: p.Name, Description: p.Description, Surface: p.Surface, Changes: p.Changes})
	}
	for _, p := range set.Profiles {
		row := toolkit.Profile{Name: p.Name}
		for _, s := range p.Exclude {
			row.Exclude = append(row.Exclude, s.Name)
		}
		r.Profiles = append(r.Profiles, row)
	}
	for _, d := range set.Deferrals {
		r.Deferred = append(r.Deferred, toolkit.Deferral{Name: d.Name, Reason: d.Reason, Instead: d.Command(set), Envelope: d.Envelope(set)})
	}
	for _, s := range set.Scenarios {
		r.Scenarios = append(r.Scenarios, toolkit.Scenario{Name: s.Name, Facts: union(s.Facts)})
	}
	for _, e := range set.Events {
		when := e.When
		r.Events = append(r.Events, toolkit.Event{Name: e.Name, When: func(f toolkit.Facts) bool { return when.Holds(uint64(f)) }, Changes: changesOf(e.Changes)})
	}
	r.Advice = advice(set)
	for _, t := range set.Tools {
		run, err := runner(t)
		if err != nil {
			return nil, err
		}
		row := rowOf(t)
		row.Invoke, row.Check, row.Was = run.Invoke, run.Check, append(row.Was, run.Was...)
		r.Tools = append(r.Tools, row)
	}
	return r.Index(), nil
}

// rowOf is everything that the entry of a tool says.
func rowOf(t *model.Tool) toolkit.Tool {
	row := toolkit.Tool{
		Name: t.Name, Description: t.FullDescription(), Area: t.Area.Name, Capability: t.Capability.Name, Tier: t.Tier,
		Effects: toolkit.Effects(t.Effects), Surfaces: t.Surfaces, Was: append([]string(nil), t.Was...),
		Changes: changesOf(t.Changes),
		Schema:  string(schema.Contract(t)), Definition: string(schema.Definition(t)), FullDefinition: string(schema.FullDefinition(t)),
		SlimDefinition: string(schema.SlimDefinition(t)), ResultBytes: t.ResultBytes, Timeout: time.Duration(t.TimeoutMS) * time.Millisecond,
	}
	for _, s := range t.Scopes {
		row.Scopes = append(row.Scopes, s.Name)
	}
	for _, p := range t.Powers {
		use := toolkit.Use{Power: p.Power.Name, Values: p.Values, Default: p.Default()}
		if p.When != nil {
			use.Param = p.When.Name
		}
		row.Powers = append(row.Powers, use)
	}
	if visible := t.Visible; !visible.Always() {
		row.StaticDefinition = string(schema.StaticDefinition(t))
		row.Requires, row.Visible = visible.Text, func(f toolkit.Facts) bool { return visible.Holds(uint64(f)) }
		for _, l := range visible.Literals() {
			row.Needs = append(row.Needs, toolkit.Literal{Fact: 1 << l.Fact.Bit, Name: l.Fact.Name, Want: l.Want})
		}
	}
	if listed := t.Listed; listed != nil {
		row.Listing, row.Listed = listed.Text, func(f toolkit.Facts) bool { return listed.Holds(uint64(f)) }
	}
	if joins := t.Joins; joins != nil {
		row.Joining, row.Joins = joins.Text, func(f toolkit.Facts) bool { return joins.Holds(uint64(f)) }
	}
	for _, a := range t.Also {
		row.Also = append(row.Also, toolkit.Also{Capability: a.Capability.Name, When: a.When.Text, Holds: func(f toolkit.Facts) bool { return a.When.Holds(uint64(f)) }})
	}
	return row
}

func changesOf(c model.Change) toolkit.Changes {
	return toolkit.Changes{Sets: union(c.Sets), Clears: union(c.Clears), MaySet: union(c.MaySet), MayClear: union(c.MayClear)}
}

func union(facts []*model.Fact) toolkit.Facts {
	var out toolkit.Facts
	for _, f := range facts {
		out |= 1 << f.Bit
	}
	return out
}

// advice is the shortest way to each predicate, as the compiler has proven it.
func advice(set *model.Toolset) []toolkit.Advice {
	var out []toolkit.Advice
	if len(set.Facts) == 0 {
		return nil
	}
	table := prove.Walk(set).ViaTable()
	for _, row := range table.Rows {
		a := toolkit.Advice{Requires: row.Predicate.Text, Mask: toolkit.Facts(row.Mask)}
		for _, e := range row.Entries {
			way := toolkit.Way{Facts: toolkit.Facts(e.Facts)}
			for _, step := range table.Paths[e.Path] {
				if step.Tool != nil {
					way.Steps = append(way.Steps, toolkit.Step{Tool: step.Tool.Name})
				} else {
					way.Steps = append(way.Steps, toolkit.Step{Event: step.Event.Name})
				}
			}
			a.Ways = append(a.Ways, way)
		}
		out = append(out, a)
	}
	return out
}
