package imports

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/callsheet/callsheet/generated/toolset"
	engine "github.com/callsheet/callsheet/internal/engine/webmcp"
	"github.com/callsheet/callsheet/internal/webmcp/lock"
	"github.com/callsheet/callsheet/internal/webmcp/offer"
)

// pageTool is a tool that pages of an origin offer.
type pageTool struct {
	Origin  string    `json:"origin"`
	Name    string    `json:"name"`
	Handle  string    `json:"handle"`
	Problem string    `json:"problem"`
	Tool    lock.Tool `json:"tool"`
}

// webMCP makes a tool of each tool that pages of the site offer: of a lock, or of what callsheet webmcp list
// --json prints.
func (r *Result) webMCP(o Options) error {
	tools, err := pageTools(o)
	if err != nil {
		return err
	}
	for _, t := range tools {
		made, why := toolOfPage(t, o.Origins)
		if why != "" {
			r.leave(oneLine(t.Name)+" of "+oneLine(t.Origin), why)
			continue
		}
		r.Drafts = append(r.Drafts, made)
	}
	return nil
}

func pageTools(o Options) ([]pageTool, error) {
	var out []pageTool
	if bytes.HasPrefix(bytes.TrimSpace(o.Data), []byte("[")) {
		if err := json.Unmarshal(o.Data, &out); err != nil {
			return nil, fmt.Errorf("%s is no list of page tools: %w", o.File, err)
		}
		return out, nil
	}
	locked, err := lock.NewFile(o.File).Load()
	if err != nil {
		return nil, err
	}
	for _, origin := range locked.Origins() {
		for _, e := range locked.Entries(origin) {
			known := engine.Tool{Origin: origin, Name: e.Name, Description: e.Description, InputSchema: e.InputSchema, Declarative: e.Declarative}
			shown := offer.Of([]engine.Tool{known}, func(string) bool { return true })[0]
			out = append(out, pageTool{origin, e.Name, shown.Handle, shown.Problem, e.Tool})
		}
	}
	return out, nil
}

// toolOfPage makes a tool of a tool of pages, or returns why there is none.
func toolOfPage(p pageTool, origins []string) (*Tool, string) {
	switch {
	case !covers(origins, p.Origin):
		return nil, leftOrigin
	case p.Problem != "":
		return nil, "it cannot be called: " + p.Problem
	case p.Tool.Declarative && !p.Tool.Annotations.Autosubmit:
		return nil, "it is a form that somebody must submit"
	}
	t := &Tool{Name: snake(p.Name), From: "page tool " + p.Name + " of " + p.Origin, Description: describe(cmp.Or(oneLine(p.Tool.Description), sentence(p.Name)+"."))}
	arguments, why := t.pageArguments(p.Tool.InputSchema)
	if why != "" {
		return nil, why
	}
	args := yaml.MapSlice{{Key: "action", Value: "call"}, {Key: "handle", Value: p.Handle}}
	if len(arguments) > 0 {
		args = append(args, yaml.MapItem{Key: "arguments", Value: arguments})
	}
	t.Steps = []yaml.MapSlice{{{Key: "tool", Value: toolset.ToolPageTool}, {Key: "args", Value: args}}}
	t.note("write start: the path of a page that offers it; the server needs --webmcp, and a call is asked about or decided by the policy")
	t.note("what the page answers is no output: extract what the page shows")
	return t, ""
}

// hasDefault reports whether the declaration of a parameter has a default.
func hasDefault(item yaml.MapItem) bool {
	declared, _ := item.Value.(yaml.MapSlice)
	return slices.ContainsFunc(declared, func(m yaml.MapItem) bool { return m.Key == "default" })
}

// pageArguments declares the properties of a page's schema, and returns the arguments of a call.
func (t *Tool) pageArguments(schema json.RawMessage) (arguments yaml.MapSlice, why string) {
	var in struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
		Defs       map[string]any `json:"$defs"`
	}
	if len(schema) > 0 {
		if err := json.Unmarshal(schema, &in); err != nil {
			return nil, "its schema cannot be read: " + err.Error()
		}
	}
	names := map[string]bool{}
	r := &resolver{defs: in.Defs}
	for _, name := range slices.Sorted(maps.Keys(in.Properties)) {
		as := name
		if !isProperty(as) || as[0] < 'a' {
			as = snake(as)
		}
		required := slices.Contains(in.Required, name)
		item, err := r.property(unique(as, names), in.Properties[name], required)
		switch {
		case err != nil && required:
			return nil, fmt.Sprintf("its argument %s cannot be declared: %v", name, err)
		case err != nil:
			t.note("the argument %s is left out, for it cannot be declared: %v", name, err)
			continue
		case !required && !hasDefault(item):
			t.note("the argument %s is left out, for a step without the value of a parameter is left out; declare it with a default", name)
			continue
		}
		t.Input = append(t.Input, item)
		arguments = append(arguments, yaml.MapItem{Key: name, Value: "{" + fmt.Sprint(item.Key) + "}"})
	}
	return arguments, ""
}
