package imports

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/site/source"
	"github.com/callsheet/callsheet/internal/workflow/definition"
)

// workflows makes a tool of each workflow whose steps are calls of this server's own tools.
func (r *Result) workflows(o Options) error {
	defs := definition.Load([]spec.File{{Name: o.File, Data: o.Data}})
	var written map[string]struct {
		Parameters yaml.MapSlice `yaml:"parameters"`
	}
	if len(defs.Workflows) > 0 { // they have no aliases, which grow fast
		if err := yaml.UnmarshalWithOptions(o.Data, &written, yaml.UseOrderedMap()); err != nil {
			return fmt.Errorf("%s: %w", o.File, err)
		}
	}
	if len(defs.Workflows)+len(defs.Broken) == 0 && defs.Diags.HasErrors() {
		return fmt.Errorf("%s is no file of workflows: %s", o.File, defs.Diags[0].Message)
	}
	for _, name := range defs.Broken {
		r.leave(name, "callsheet workflow validate reports mistakes: "+firstError(defs.Diags))
	}
	for _, d := range defs.Diags {
		if d.Severity != diag.Error && strings.Contains(d.Message, "router") {
			r.leave(d.Message, "it has no steps")
		}
	}
	for _, w := range defs.Workflows {
		c := &converter{tool: &Tool{Name: snake(w.Name), From: "workflow " + w.Name, Description: describe(w.Description)}, workflow: w}
		if err := c.convert(written[w.Name].Parameters); err != nil {
			r.leave(c.tool.From, err.Error())
			continue
		}
		r.Drafts = append(r.Drafts, c.tool)
	}
	return nil
}

func firstError(list diag.List) string {
	i := slices.IndexFunc(list, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })
	if i < 0 {
		return "unknown"
	}
	return list[i].Message
}

// converter makes a tool of one workflow.
type converter struct {
	tool     *Tool
	workflow *definition.Workflow
	used     map[string]bool // parameters that steps mention
}

// convert adds the steps and the parameters that they mention. The error says what a site has no form of.
func (c *converter) convert(parameters yaml.MapSlice) error {
	c.used = map[string]bool{}
	w := c.workflow
	if err := c.steps(w.Steps); err != nil {
		return err
	}
	if len(c.tool.Steps) == 0 {
		return errors.New("it has no step that calls a tool of this server, which steps of a site do")
	}
	for _, item := range parameters {
		name := fmt.Sprint(item.Key)
		if !c.used[name] {
			c.tool.note("the parameter %s is left out, for no step mentions it", name)
			continue
		}
		c.tool.Input = append(c.tool.Input, yaml.MapItem{Key: name, Value: optionalWithDefault(item.Value)})
	}
	if len(w.Finally) > 0 {
		c.tool.note("the steps under finally are left out: the tab stays where a tool leads")
	}
	if w.Output != nil || w.Return != nil || w.Summarize != nil {
		c.tool.note("the result is left out: write output, and extract for what the page shows")
	}
	return nil
}

// optionalWithDefault returns a parameter without required where it has a default, as workflows read it.
func optionalWithDefault(of any) any {
	members, ok := of.(yaml.MapSlice)
	if !ok || !slices.ContainsFunc(members, func(m yaml.MapItem) bool { return m.Key == "default" }) {
		return of
	}
	return slices.DeleteFunc(slices.Clone(members), func(m yaml.MapItem) bool { return m.Key == "required" })
}

func (c *converter) steps(list []*definition.Step) error {
	for _, s := range list {
		if err := c.step(s); err != nil {
			return fmt.Errorf("step %s: %w", s.Path, err)
		}
	}
	return nil
}

func (c *converter) step(s *definition.Step) error {
	switch {
	case s.Confirm != nil:
		return errors.New("it asks the person, which a step of a site does not; the operator's policy asks before calls")
	case s.ForEach != nil || s.Until != nil:
		return errors.New("it repeats, which a step of a site does not")
	case s.If != nil:
		return errors.New("it has a condition over results; a step of a site has when: what the page shows")
	case s.Parallel != nil:
		c.tool.note("the steps of step %s are made one after the other", s.Path)
		return c.steps(s.Parallel)
	case s.Sleep > 0:
		c.tool.note("the pause of step %s is left out: steps wait for their elements", s.Path)
		return nil
	case s.Tool == "":
		return errors.New("it sets variables, which a site does not have")
	case s.Alias != definition.Builtin:
		c.tool.note("step %s is left out, for it calls %s:%s of another server, which is no step of a site", s.Path, s.Alias, s.Tool)
		return nil
	}
	out := yaml.MapSlice{{Key: "tool", Value: s.Tool}}
	mentioned := map[string]bool{}
	if s.Args != nil {
		args, err := c.value("", s.Args, mentioned)
		if err != nil {
			return err
		}
		if m, _ := args.(yaml.MapSlice); len(m) > 0 {
			out = append(out, yaml.MapItem{Key: "args", Value: args})
		}
	}
	for _, e := range s.Requires {
		if len(e.Path) != 1 || !mentioned[e.Path[0].Key] {
			return fmt.Errorf("it requires %s, which its arguments do not mention", e.Path)
		}
	}
	if s.OnError != definition.Stop {
		out = append(out, yaml.MapItem{Key: "optional", Value: true})
		c.tool.note("step %s may fail in the workflow; here it is left out where its element is not there", s.Path)
	}
	if s.Retry != nil || s.Expect != nil || s.SaveTo != nil {
		c.tool.note("retry, expect and saveTo of step %s are left out", s.Path)
	}
	c.tool.Steps = append(c.tool.Steps, out)
	for name := range mentioned {
		c.used[name] = true
	}
	return nil
}

// templates matches {{ name }}, also with params. before the name.
var templates = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{\{\s*(?:params\.)?([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`)
})

// value returns a value of the arguments with placeholders for templates.
func (c *converter) value(key string, v *definition.Value, mentioned map[string]bool) (any, error) {
	switch v.Kind {
	case spec.StringLiteral:
		return c.text(key, v.Text.Value, mentioned)
	case yamltree.MappingNode:
		out := yaml.MapSlice{}
		for _, m := range v.Map {
			value, err := c.value(m.Name.Value, m.Value, mentioned)
			if err != nil {
				return nil, err
			}
			out = append(out, yaml.MapItem{Key: m.Name.Value, Value: value})
		}
		return out, nil
	case yamltree.ListNode:
		out := make([]any, len(v.List))
		for i, item := range v.List {
			var err error
			if out[i], err = c.value(key, item, mentioned); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v.Literal, nil
}

func (c *converter) text(key, text string, mentioned map[string]bool) (any, error) {
	if key == "ref" || key == "refs" {
		return nil, errors.New("it names an element by the ref of one session; name it by role and name")
	}
	for _, p := range source.Placeholders(text) {
		if !p.Secret && (p.At == 0 || text[p.At-1] != '{') {
			return nil, fmt.Errorf("its text %q would be read as a placeholder", text[p.At:p.At+p.Len])
		}
	}
	var unknown string
	out := templates().ReplaceAllStringFunc(text, func(at string) string {
		name := templates().FindStringSubmatch(at)[1]
		if !slices.ContainsFunc(c.workflow.Params.Properties, func(p *param.Property) bool { return p.Name == name }) {
			unknown = cmp.Or(unknown, at)
		}
		mentioned[name] = true
		return "{" + name + "}"
	})
	if unknown != "" {
		return nil, fmt.Errorf("it uses %s, the result of another step or a variable, which a site does not have", unknown)
	}
	if i := strings.Index(out, "{{"); i >= 0 {
		return nil, fmt.Errorf("it uses the template %.60q, of which a site has no form", out[i:])
	}
	return out, nil
}
