package compiled

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/workflow/params"
)

// Invoke runs a tool of a site. The arguments are valid by the tool's schema, and defaults are filled in.
type Invoke func(ctx context.Context, call *toolkit.Call, g grant.Grant, tool string, args map[string]any) (toolkit.CallResult, error)

// Compose returns the registry with the tools of the site beside those that it has. They stand in the scope
// Scope, and their facts after the registry's own. With open set, every tool is listed and callable in every
// state, for a runner that leads to the state that a tool needs.
func (s *Site) Compose(builtin *toolkit.Registry, invoke Invoke, open bool) (*toolkit.Registry, error) {
	if err := s.checkUses(builtin); err != nil {
		return nil, err
	}
	shift := len(builtin.Facts)
	rows := make([]toolkit.Tool, len(s.Tools))
	for i := range s.Tools {
		row := s.tool(&s.Tools[i].Row)
		if open {
			row.Requires, row.Visible, row.Needs, row.Listing, row.Listed, row.StaticDefinition = "", nil, nil, "", nil, ""
		}
		s.Tools[i].runBy(&row, invoke)
		s.complete(&row, &s.Tools[i], builtin, shift)
		rows[i] = row
	}
	title := s.Capability
	title.Name = Scope
	out, err := builtin.With(title, Scope, rows)
	if err != nil {
		return nil, err
	}
	out.Facts, out.Events, out.Advice = slices.Clone(builtin.Facts), slices.Clone(builtin.Events), slices.Clone(builtin.Advice)
	for _, f := range s.Facts {
		out.Facts = append(out.Facts, f.Name)
	}
	for _, e := range s.Events {
		out.Events = append(out.Events, toolkit.Event{
			Name: e.Name, Changes: shiftChanges(e.Changes, shift), When: func(f toolkit.Facts) bool { return e.When.Holds(s.names(f >> shift)) },
		})
	}
	for _, a := range s.Advice {
		out.Advice = append(out.Advice, shiftAdvice(a, shift))
	}
	return out.Index(), nil
}

// checkUses returns an error where the server is another one than the site was compiled for.
func (s *Site) checkUses(builtin *toolkit.Registry) error {
	for _, name := range slices.Sorted(maps.Keys(s.Uses)) {
		i, ok := builtin.Lookup(name)
		if !ok {
			return &StaleError{s.dir, fmt.Sprintf("calls %s, and this server has no such tool", name)}
		}
		if Digest(builtin.Tools[i].Schema) != s.Uses[name] {
			return &StaleError{s.dir, fmt.Sprintf("calls %s, which has other parameters in this server than it was compiled for", name)}
		}
	}
	for _, f := range s.Facts {
		if slices.Contains(builtin.Facts, f.Name) {
			return &StaleError{s.dir, fmt.Sprintf("has a fact %s, and so has this server", f.Name)}
		}
	}
	return nil
}

// runBy gives a row the functions that check and run the tool.
func (t *Tool) runBy(row *toolkit.Tool, invoke Invoke) {
	decoder, name := params.Compile(t.Input), t.Row.Name
	row.Check = func(args []byte) error {
		_, err := decoder.Decode(args)
		return err
	}
	row.Invoke = func(ctx context.Context, call *toolkit.Call, g grant.Grant, args []byte) (toolkit.CallResult, error) {
		values, err := decoder.Decode(args)
		if err != nil {
			return toolkit.CallResult{}, err
		}
		return invoke(ctx, call, g, name, values)
	}
}

// complete moves the facts of a row, and adds the powers and the changes of facts that the tools of its steps have.
func (s *Site) complete(row *toolkit.Tool, t *Tool, builtin *toolkit.Registry, shift int) {
	for _, p := range PowersOf(t.Calls(), builtin) {
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
	if row.Joins = row.Listed; row.Joins == nil && row.Tier == 1 {
		row.Joins = row.Visible
	}
	row.Changes = shiftChanges(row.Changes, shift)
	for _, b := range ToolsOf(t.Calls(), builtin) {
		row.Changes.MaySet |= b.Changes.Sets | b.Changes.MaySet
		row.Changes.MayClear |= b.Changes.Clears | b.Changes.MayClear
	}
}

func shiftChanges(c toolkit.Changes, shift int) toolkit.Changes {
	return toolkit.Changes{Sets: c.Sets << shift, Clears: c.Clears << shift, MaySet: c.MaySet << shift, MayClear: c.MayClear << shift}
}

func shiftAdvice(a toolkit.Advice, shift int) toolkit.Advice {
	a.Mask <<= shift
	a.Ways = slices.Clone(a.Ways)
	for i := range a.Ways {
		a.Ways[i].Facts <<= shift
	}
	return a
}

// FactsOf returns the facts that hold as bits of the registry that Compose makes of builtin.
func (s *Site) FactsOf(builtin *toolkit.Registry, holds run.Facts) toolkit.Facts {
	return s.mask(holds) << len(builtin.Facts)
}
