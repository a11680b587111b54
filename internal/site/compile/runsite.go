package compile

import (
	"encoding/json"
	"fmt"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/site/source"
	"github.com/callsheet/callsheet/internal/workflow/params"
)

// runTool returns how a tool is run, without its steps.
func (c *Compiled) runTool(t *source.Tool, m *model.Tool) run.Tool {
	out := run.Tool{Name: m.Name, File: c.place(t.File), Visible: predicate(m.Visible), Needs: m.Visible.InWords(), Start: t.Start.Value, Postcondition: t.Postcondition, Destructive: m.Effects.Destructive}
	for _, f := range m.Changes.Sets {
		out.Sets = append(out.Sets, f.Name)
	}
	for _, f := range m.Changes.Clears {
		out.Clears = append(out.Clears, f.Name)
	}
	for _, p := range m.Input.Properties {
		out.Parameters = append(out.Parameters, run.Parameter{Name: p.Name, Required: p.Required, Default: defaultOf(p)})
	}
	out.Examples, out.Unconfirmed = t.Examples, !t.Confirmed
	out.Outputs = c.outputs(t.Extract, m.Output)
	return out
}

func runStep(s *source.Step) run.Step {
	out := run.Step{Tool: s.Tool, Args: s.Args, Optional: s.Optional, Expect: s.Expect, When: observation(s.When), Request: request(s.Request)}
	for pointer, e := range s.Targets {
		if out.Targets == nil {
			out.Targets = map[string]locate.Identity{}
		}
		out.Targets[pointer] = e.Identity
	}
	return out
}

func (c *Compiled) outputs(in []source.Extraction, of *param.Object) []run.Output {
	var out []run.Output
	for _, x := range in {
		o := run.Output{Name: x.Property.Value, Pos: fmt.Sprintf("%s:%d", c.place(x.Property.Pos.File), x.Property.Pos.Line), Element: element(x.Element),
			Read: run.Read(x.Read), Attribute: x.Attribute, Pattern: x.Pattern, List: x.List}
		for _, p := range of.Properties {
			if p.Name != o.Name {
				continue
			}
			o.Type, o.Required = string(p.Type.Kind), p.Required
			o.JSON, o.Value = x.JSON, p.Type
			if len(x.Members) > 0 && p.Type.Items != nil {
				o.Members = c.outputs(x.Members, p.Type.Items.Object)
			}
		}
		out = append(out, o)
	}
	return out
}

func element(e *source.Element) *run.Element {
	if e == nil {
		return nil
	}
	return &run.Element{Identity: e.Identity, CSS: e.CSS, Has: e.Has, NotText: e.NotText, Within: element(e.Within)}
}

func observation(o *source.Observation) *run.Observation {
	if o == nil {
		return nil
	}
	out := &run.Observation{Element: element(o.Element), URL: o.URL.Value, Not: observation(o.Not)}
	for _, x := range o.All {
		out.All = append(out.All, observation(x))
	}
	for _, x := range o.Any {
		out.Any = append(out.Any, observation(x))
	}
	return out
}

// defaultOf returns the default of a parameter as JSON; nil without one.
func defaultOf(p *param.Property) json.RawMessage {
	if p.Default == nil {
		return nil
	}
	raw, err := json.Marshal(params.Default(p))
	if err != nil { // a default is always valid JSON
		return nil
	}
	return raw
}

func request(q *source.Request) *run.Request {
	if q == nil {
		return nil
	}
	return &run.Request{Method: q.Method, Path: q.Path.Value, Query: q.Query, Headers: q.Headers, Body: q.Body, Form: q.Form}
}
