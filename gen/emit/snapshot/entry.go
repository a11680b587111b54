package snapshot

import (
	"slices"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// EntryList is one answer to prompts/list, resources/list or resources/templates/list.
type EntryList struct {
	Method string // prompts_list, resources_list or resource_templates_list
	Name   string // what stands between the method and ".json" in the snapshot's name
	Count  int
	Data   []byte // the array, compact, without a newline
}

// Path is the snapshot's file name under the generated directory.
func (l *EntryList) Path() string { return "snapshot/" + l.Method + "." + l.Name + ".json" }

// EntryLists computes the lists of prompts, resources and templates that have a snapshot: for each kind
// that the set has, the list of each scope in each scenario, that of each profile in each scenario, and
// for the first scope the list of clients that do not follow facts. Names are those of Lists.
func EntryLists(ts *model.Toolset) []EntryList {
	var out []EntryList
	each := func(name string, scope *model.Scope, under *model.Profile, facts uint64, static bool) {
		listed := func(e *model.Entry) bool {
			return e.In(scope) && !e.Capability.OptIn && (static || e.Visible.Holds(facts)) && (under == nil || !under.ExcludesEntry(e))
		}
		out = append(out, entryLists(ts, name, listed)...)
	}
	for i, scope := range ts.Scopes {
		for _, scenario := range ts.Scenarios {
			name := scenario.Name
			if i > 0 {
				name = scope.Name + "." + name
			}
			each(name, scope, nil, factBits(scenario), false)
		}
	}
	if len(ts.Scopes) == 0 {
		return nil
	}
	for _, profile := range ts.Profiles {
		for _, scenario := range ts.Scenarios {
			each(profile.Name+"."+scenario.Name, ts.Scopes[0], profile, factBits(scenario), false)
		}
	}
	each("static", ts.Scopes[0], nil, 0, true)
	return out
}

// entryLists makes the lists of one name, of each kind that the set has.
func entryLists(ts *model.Toolset, name string, listed func(*model.Entry) bool) []EntryList {
	var out []EntryList
	if len(ts.Prompts) > 0 {
		prompts := slices.DeleteFunc(slices.Clone(ts.Prompts), func(p *model.Prompt) bool { return !listed(&p.Entry) })
		out = append(out, EntryList{"prompts_list", name, len(prompts), schema.PromptList(prompts)})
	}
	for _, kind := range []struct {
		method    string
		templates bool
	}{{"resources_list", false}, {"resource_templates_list", true}} {
		of := slices.DeleteFunc(slices.Clone(ts.Resources), func(r *model.Resource) bool { return (r.Template != nil) != kind.templates })
		if len(of) == 0 {
			continue
		}
		of = slices.DeleteFunc(of, func(r *model.Resource) bool { return !listed(&r.Entry) })
		out = append(out, EntryList{kind.method, name, len(of), schema.ResourceList(of)})
	}
	return out
}

// entryFiles plans a file for each of EntryLists.
func entryFiles(ts *model.Toolset) []output.File {
	var files []output.File
	for _, l := range EntryLists(ts) {
		files = append(files, output.File{Path: l.Path(), Data: append(l.Data, '\n')})
	}
	return files
}

// promptSummary and resourceSummary are the rows of surface.json.
type promptSummary struct {
	Name       string            `json:"name"`
	Capability string            `json:"capability"`
	Scopes     []string          `json:"scopes"`
	Visible    string            `json:"visible"`
	Arguments  []argumentSummary `json:"arguments"`
	Bytes      int               `json:"bytes"`
	TimeoutMS  int               `json:"timeout_ms"`
}

type argumentSummary struct {
	Name      string   `json:"name"`
	Required  bool     `json:"required,omitempty"`
	Enum      []string `json:"enum,omitempty"`
	Completed bool     `json:"completed,omitempty"` // by a handler
}

type resourceSummary struct {
	Name       string            `json:"name"`
	Address    string            `json:"address"` // or the template
	MIME       string            `json:"mime_type,omitempty"`
	Capability string            `json:"capability"`
	Scopes     []string          `json:"scopes"`
	Visible    string            `json:"visible"`
	Subscribe  bool              `json:"subscribe,omitempty"`
	Variables  []argumentSummary `json:"variables,omitempty"`
	Bytes      int               `json:"bytes"`
	TimeoutMS  int               `json:"timeout_ms"`
}

func promptSummaries(ts *model.Toolset) []promptSummary {
	var out []promptSummary
	for _, p := range ts.Prompts {
		out = append(out, promptSummary{
			p.Name, p.Capability.Name, scopeNames(&p.Entry), p.VisibleText(), argumentSummaries(p.Arguments), len(schema.PromptDefinition(p)), p.TimeoutMS,
		})
	}
	return out
}

func resourceSummaries(ts *model.Toolset) []resourceSummary {
	var out []resourceSummary
	for _, r := range ts.Resources {
		out = append(out, resourceSummary{
			r.Name, r.Address(), r.MIME, r.Capability.Name, scopeNames(&r.Entry), r.VisibleText(), r.Subscribe, argumentSummaries(r.Variables),
			len(schema.ResourceDefinition(r)), r.TimeoutMS,
		})
	}
	return out
}

func argumentSummaries(of []*model.Argument) []argumentSummary {
	out := []argumentSummary{}
	for _, a := range of {
		out = append(out, argumentSummary{a.Name, a.Required, a.Type.Enum, a.Completed})
	}
	return out
}

func scopeNames(e *model.Entry) []string {
	return slicesx.List(e.Scopes, func(s *model.Scope) string { return s.Name })
}
