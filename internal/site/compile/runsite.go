package compile

import (
	"encoding/json"
	"fmt"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/prove"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/site/source"
	"github.com/callsheet/callsheet/internal/workflow/params"
)

// Site returns what the runner needs of a compiled site. The origin replaces the first one of the source
// unless it is ""; values are the texts of the site's parameters, by name. The error says which of them are
// unknown, of another type than declared, or missing.
func (c *Compiled) Site(origin string, values map[string]string) (*run.Site, error) {
	s := c.Source
	filled, err := siteValues(s.Parameters, values)
	if err != nil {
		return nil, fmt.Errorf("the parameters of the site %s: %w", s.Name.Value, err)
	}
	out := &run.Site{Name: s.Name.Value, Values: filled, Path: c.path()}
	for i, o := range s.Origins {
		if i == 0 && origin != "" {
			out.Origins = append(out.Origins, origin)
			continue
		}
		out.Origins = append(out.Origins, o.Value)
	}
	for _, p := range s.Parameters.Properties {
		out.Parameters = append(out.Parameters, p.Name)
	}
	for _, f := range s.Facts {
		if f.Observe != nil {
			out.Facts = append(out.Facts, run.Fact{Name: f.Name.Value, Observe: *observation(f.Observe)})
		}
	}
	for _, t := range s.Tools {
		out.Tools = append(out.Tools, c.runTool(t))
	}
	return out, nil
}

// siteValues decodes texts as the values of parameters, and fills in defaults. The error is
// toolkit.Violations.
func siteValues(declared *model.Object, texts map[string]string) (map[string]any, error) {
	kinds := map[string]model.Kind{}
	for _, p := range declared.Properties {
		kinds[p.Name] = p.Type.Kind
	}
	args := map[string]any{}
	for name, text := range texts {
		args[name] = text
		if kind, ok := kinds[name]; ok && kind != model.String && json.Valid([]byte(text)) {
			args[name] = json.RawMessage(text)
		}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	return params.Compile(declared).Decode(raw)
}

// path returns the shortest list of tools that leads to a state in which a tool is visible.
func (c *Compiled) path() func(run.Facts, string) ([]string, bool) {
	space := prove.Walk(c.Set)
	return func(facts run.Facts, name string) ([]string, bool) {
		var tools []string
		for _, step := range space.Via(c.tool(name), c.state(facts)) {
			if step.Tool == nil {
				return nil, false
			}
			tools = append(tools, step.Tool.Name)
		}
		return tools, len(tools) > 0
	}
}

func (c *Compiled) state(facts run.Facts) prove.State {
	var s prove.State
	for _, f := range c.Set.Facts {
		if facts[f.Name] {
			s |= 1 << f.Bit
		}
	}
	return s
}

func (c *Compiled) runTool(t *source.Tool) run.Tool {
	m := c.tool(t.Entry.Name.Value)
	out := run.Tool{Name: m.Name, File: t.File, Needs: m.Visible.InWords(), Start: t.Start.Value, Postcondition: t.Postcondition, Destructive: m.Effects.Destructive}
	if !m.Visible.Always() {
		out.Visible = func(f run.Facts) bool { return m.Visible.Holds(uint64(c.state(f))) }
	}
	for _, f := range m.Changes.Sets {
		out.Sets = append(out.Sets, f.Name)
	}
	for _, f := range m.Changes.Clears {
		out.Clears = append(out.Clears, f.Name)
	}
	for _, p := range m.Input.Properties {
		out.Parameters = append(out.Parameters, run.Parameter{Name: p.Name, Required: p.Required, Default: defaultOf(p)})
	}
	for i := range t.Steps {
		out.Steps = append(out.Steps, runStep(t, &t.Steps[i]))
	}
	out.Examples = t.Examples
	out.Outputs = outputs(t.Extract, m.Output)
	return out
}

func runStep(t *source.Tool, s *source.Step) run.Step {
	out := run.Step{Tool: s.Tool, Args: s.Args, Optional: s.Optional, Expect: s.Expect, When: observation(s.When), Request: request(s.Request),
		Pos: fmt.Sprintf("%s:%d", t.File, s.Pos.Line)}
	for pointer, e := range s.Targets {
		if out.Targets == nil {
			out.Targets = map[string]locate.Identity{}
		}
		out.Targets[pointer] = e.Identity
	}
	return out
}

func outputs(in []source.Extraction, of *model.Object) []run.Output {
	var out []run.Output
	for _, x := range in {
		o := run.Output{Name: x.Property.Value, Pos: fmt.Sprintf("%s:%d", x.Property.Pos.File, x.Property.Pos.Line), Element: element(x.Element),
			Read: run.Read(x.Read), Attribute: x.Attribute, Pattern: x.Pattern, List: x.List}
		for _, p := range of.Properties {
			if p.Name != o.Name {
				continue
			}
			o.Type, o.Required = string(p.Type.Kind), p.Required
			o.JSON, o.Fit = x.JSON, fitFor(p.Type)
			if len(x.Members) > 0 && p.Type.Items != nil {
				o.Members = outputs(x.Members, p.Type.Items.Object)
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
func defaultOf(p *model.Property) json.RawMessage {
	if p.Default == nil {
		return nil
	}
	raw, err := json.Marshal(params.Default(p))
	if err != nil { // a default is what JSON knows
		return nil
	}
	return raw
}
