package compile

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/interpret"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/internal/site/compiled"
	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/site/source"
)

// Update compiles the site of a directory and writes the file that a server loads. The error of a site with mistakes lists
// them.
func Update(dir string, o Options) error {
	c, diags, err := Compile(dir, o)
	if err != nil {
		return err
	}
	if c == nil {
		var b strings.Builder
		_ = Print(&b, diags) // a strings.Builder never fails
		return fmt.Errorf("the site %s does not compile:\n%s", dir, strings.TrimRight(b.String(), "\n"))
	}
	return c.Write()
}

// Write writes the file that a server loads into the directory of the site.
func (c *Compiled) Write() error {
	text, err := c.encode()
	if err != nil {
		return err
	}
	return write(c.Source.Dir, compiled.FileName, text)
}

// Load returns the site as a server that loads the file has it, without writing the file.
func (c *Compiled) Load() (*compiled.Site, error) {
	text, err := c.encode()
	if err != nil {
		return nil, err
	}
	promises, err := compiled.Promises(c.Source.Dir)
	if err != nil {
		return nil, err
	}
	return compiled.Parse(c.Source.Dir, text, slices.Concat(c.sources(), promises))
}

func (c *Compiled) encode() ([]byte, error) {
	file, err := c.file()
	if err != nil {
		return nil, err
	}
	return file.Encode()
}

// file returns the site as the file that a server loads.
func (c *Compiled) file() (*compiled.Site, error) {
	registry, err := interpret.Registry(c.Set, func(*model.Tool) (interpret.Runner, error) { return neverRun(), nil })
	if err != nil {
		return nil, err
	}
	promises, err := compiled.Promises(c.Source.Dir)
	if err != nil {
		return nil, err
	}
	out := &compiled.Site{
		Format: compiled.Format, Sources: compiled.Digests(slices.Concat(c.sources(), promises)), Uses: map[string]string{},
		Name: c.Source.Name.Value, Description: c.Source.Description.Value, Parameters: c.Source.Parameters, Advice: registry.Advice,
		Capability: toolkit.Capability{Name: compiled.Scope, Title: c.Source.Name.Value, Description: c.Source.Description.Value},
	}
	if len(registry.Capabilities) > 0 {
		out.Capability = registry.Capabilities[0]
	}
	for _, o := range c.Source.Origins {
		out.Origins = append(out.Origins, o.Value)
	}
	for _, f := range c.Set.Facts {
		out.Facts = append(out.Facts, compiled.Fact{Name: f.Name, Observe: c.observe(f.Name)})
	}
	for i, e := range c.Set.Events {
		out.Events = append(out.Events, compiled.Event{Name: e.Name, When: predicate(e.When), Changes: registry.Events[i].Changes})
	}
	for _, t := range c.Source.Tools {
		i, ok := registry.Lookup(t.Entry.Name.Value)
		if !ok {
			return nil, fmt.Errorf("the registry of the site lacks %s", t.Entry.Name.Value)
		}
		tool := c.toolOf(t, &registry.Tools[i])
		for _, b := range compiled.ToolsOf(tool.Calls(), c.input.Builtin) {
			out.Uses[b.Name] = compiled.Digest(b.Schema)
		}
		out.Tools = append(out.Tools, tool)
	}
	return out, nil
}

// neverRun returns functions for rows that are written into a file.
func neverRun() interpret.Runner {
	return interpret.Runner{
		Check: func([]byte) error { return nil },
		Invoke: func(context.Context, *toolkit.Call, grant.Grant, []byte) (toolkit.CallResult, error) {
			return toolkit.CallResult{}, errors.New("a tool of a compiler is not run")
		},
	}
}

// sources lists the files of the source by their names in the directory.
func (c *Compiled) sources() []compiled.Source {
	out := make([]compiled.Source, len(c.Source.Files))
	for i, f := range c.Source.Files {
		out[i] = compiled.Source{Name: c.place(f.Name), Data: f.Data}
	}
	return out
}

// place returns a place of the source relative to the site's directory.
func (c *Compiled) place(name string) string {
	return strings.TrimPrefix(name, strings.TrimSuffix(path.Join(filepath.ToSlash(c.Source.Dir), "x"), "x"))
}

// observe returns the observation that decides a fact, or nil.
func (c *Compiled) observe(name string) *run.Observation {
	for _, f := range c.Source.Facts {
		if f.Name.Value == name {
			return observation(f.Observe)
		}
	}
	return nil
}

func (c *Compiled) tool(name string) *model.Tool {
	i := slices.IndexFunc(c.Set.Tools, func(t *model.Tool) bool { return t.Name == name })
	return c.Set.Tools[i]
}

// toolOf returns a tool of the file: its row as the registry has it, and how it is run.
func (c *Compiled) toolOf(t *source.Tool, r *toolkit.Tool) compiled.Tool {
	m := c.tool(r.Name)
	out := compiled.Tool{Input: m.Input, Run: c.runTool(t, m), Row: compiled.Row{
		Name: r.Name, Description: r.Description, Tier: r.Tier, Effects: r.Effects, Surfaces: r.Surfaces, Was: r.Was,
		Requires: r.Requires, Visible: predicate(m.Visible), Needs: r.Needs, Listing: r.Listing, Changes: r.Changes,
		Schema: r.Schema, Definition: r.Definition, FullDefinition: r.FullDefinition, SlimDefinition: r.SlimDefinition, StaticDefinition: r.StaticDefinition,
		ResultBytes: r.ResultBytes, Timeout: r.Timeout,
	}}
	if m.Listed != nil {
		if out.Row.Listed = predicate(*m.Listed); out.Row.Listed == nil {
			out.Row.Listed = &run.Predicate{} // in every state, whatever the tier
		}
	}
	if m.Output != nil {
		out.Row.OutputSchema = string(schema.OutputContract(m))
	}
	for i := range t.Steps {
		out.Steps = append(out.Steps, compiled.Step{Step: runStep(&t.Steps[i]), Pos: fmt.Sprintf("%s:%d", c.place(t.File), t.Steps[i].Pos.Line)})
	}
	return out
}

// predicate returns a condition on facts by name; nil for one that always holds.
func predicate(p model.Predicate) *run.Predicate {
	if p.Always() {
		return nil
	}
	return expression(p.Expr)
}

func expression(e model.Expr) *run.Predicate {
	switch e := e.(type) {
	case model.FactExpr:
		return &run.Predicate{Fact: e.Fact.Name}
	case model.NotExpr:
		return &run.Predicate{Not: expression(e.X)}
	case model.AndExpr:
		return &run.Predicate{All: []*run.Predicate{expression(e.X), expression(e.Y)}}
	case model.OrExpr:
		return &run.Predicate{Any: []*run.Predicate{expression(e.X), expression(e.Y)}}
	}
	return nil
}
