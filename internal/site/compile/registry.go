package compile

import (
	"context"
	"slices"
	"time"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/interpret"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/internal/workflow/params"
)

// defaultTimeout bounds a call of a tool that names no time.
const defaultTimeout = 2 * time.Minute

// Invoke runs a tool of a site. The arguments are valid by the tool's schema, and defaults are filled in.
type Invoke func(ctx context.Context, call *toolkit.Call, g grant.Grant, tool string, args map[string]any) (toolkit.CallResult, error)

// Compose returns the registry with the tools of the site beside those that it has. They stand in the scope
// Scope, and their facts after the registry's own. With open set, every tool is listed and callable in every
// state, for a runner that leads to the state that a tool needs.
func (c *Compiled) Compose(builtin *toolkit.Registry, invoke Invoke, open bool) (*toolkit.Registry, error) {
	rows, err := interpret.Registry(c.Set, c.runner(invoke))
	if err != nil {
		return nil, err
	}
	shift := len(builtin.Facts)
	for i := range rows.Tools {
		row := &rows.Tools[i]
		if open {
			row.Requires, row.Visible, row.Needs, row.Listing, row.Listed, row.StaticDefinition = "", nil, nil, "", nil, ""
		}
		c.complete(row, shift)
	}
	title := toolkit.Capability{Name: Scope, Title: c.Source.Name.Value, Description: c.Source.Description.Value}
	if len(rows.Capabilities) > 0 {
		title = rows.Capabilities[0]
		title.Name = Scope
	}
	out, err := builtin.With(title, Scope, rows.Tools)
	if err != nil {
		return nil, err
	}
	out.Facts = append(slices.Clone(builtin.Facts), rows.Facts...)
	out.Events = slices.Clone(builtin.Events)
	for _, e := range rows.Events {
		when := e.When
		e.When, e.Changes = func(f toolkit.Facts) bool { return when(f >> shift) }, shiftChanges(e.Changes, shift)
		out.Events = append(out.Events, e)
	}
	out.Advice = slices.Clone(builtin.Advice)
	for _, a := range rows.Advice {
		out.Advice = append(out.Advice, shiftAdvice(a, shift))
	}
	return out.Index(), nil
}

// runner returns what runs each tool.
func (c *Compiled) runner(invoke Invoke) func(*model.Tool) (interpret.Runner, error) {
	return func(t *model.Tool) (interpret.Runner, error) {
		decoder := params.Compile(t.Input)
		name := t.Name
		return interpret.Runner{
			Check: func(args []byte) error {
				_, err := decoder.Decode(args)
				return err
			},
			Invoke: func(ctx context.Context, call *toolkit.Call, g grant.Grant, args []byte) (toolkit.CallResult, error) {
				values, err := decoder.Decode(args)
				if err != nil {
					return toolkit.CallResult{}, err
				}
				return invoke(ctx, call, g, name, values)
			},
		}, nil
	}
}

// complete adds to a row what the model of a site does not say, and moves its facts.
func (c *Compiled) complete(row *toolkit.Tool, shift int) {
	t := c.tool(row.Name)
	row.Area = Scope
	if t.Output != nil {
		row.OutputSchema = string(schema.OutputContract(t))
	}
	row.Powers = nil
	for _, p := range c.input.PowersOf(c.Source.Tool(row.Name)) {
		row.Powers = append(row.Powers, toolkit.Use{Power: p})
	}
	if visible := row.Visible; visible != nil {
		row.Visible = func(f toolkit.Facts) bool { return visible(f >> shift) }
		row.Needs = slices.Clone(row.Needs)
		for i := range row.Needs {
			row.Needs[i].Fact <<= shift
		}
	}
	if listed := row.Listed; listed != nil {
		row.Listed = func(f toolkit.Facts) bool { return listed(f >> shift) }
	}
	row.Changes = shiftChanges(row.Changes, shift)
	for _, b := range c.input.Calls(c.Source.Tool(row.Name)) { // what its steps do to the facts of this server
		row.Changes.MaySet |= b.Changes.Sets | b.Changes.MaySet
		row.Changes.MayClear |= b.Changes.Clears | b.Changes.MayClear
	}
}

func shiftChanges(c toolkit.Changes, shift int) toolkit.Changes {
	return toolkit.Changes{Sets: c.Sets << shift, Clears: c.Clears << shift, MaySet: c.MaySet << shift, MayClear: c.MayClear << shift}
}

func (c *Compiled) tool(name string) *model.Tool {
	i := slices.IndexFunc(c.Set.Tools, func(t *model.Tool) bool { return t.Name == name })
	return c.Set.Tools[i]
}

func shiftAdvice(a toolkit.Advice, shift int) toolkit.Advice {
	a.Mask <<= shift
	a.Ways = slices.Clone(a.Ways)
	for i := range a.Ways {
		a.Ways[i].Facts <<= shift
	}
	return a
}

// Facts returns the facts that hold as bits of the registry that Compose makes of builtin.
func (c *Compiled) Facts(builtin *toolkit.Registry, holds map[string]bool) toolkit.Facts {
	var out toolkit.Facts
	for _, f := range c.Set.Facts {
		if holds[f.Name] {
			out |= 1 << (f.Bit + len(builtin.Facts))
		}
	}
	return out
}
