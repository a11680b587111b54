// Package snapshot writes down what a server will answer to tools/list, prompts/list, resources/list and
// resources/templates/list, and a summary of the surface for reviews.
//
// A live server's answer must equal these bytes, so a reviewer sees every change of the promise as
// a diff. The package takes each tool's bytes from package schema and decides only which tools are
// listed; it must not know how a server comes to its answer.
package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// Emit plans one file for each of Lists and EntryLists, and snapshot/surface.json.
func Emit(ts *model.Toolset) ([]output.File, error) {
	files := slicesx.Map(Lists(ts), func(l List) output.File { return output.File{Path: l.Path(), Data: append(l.Data, '\n')} })
	surface, err := surfaceFile(ts)
	if err != nil {
		return nil, fmt.Errorf("write the surface summary: %w", err)
	}
	return append(append(files, entryFiles(ts)...), surface), nil
}

// Kind says under which flags a list is served.
type Kind string

// The kinds of lists.
const (
	Default Kind = "default" // to a client that follows the list
	Static  Kind = "static"  // to any other: tier 1
	Core    Kind = "core"    // tier 1, and behind it what the state adds
	All     Kind = "all"     // every tier
	Slim    Kind = "slim"    // the short forms
)

// List is one answer to tools/list.
type List struct {
	Name  string // what stands between "tools_list." and ".json" in the snapshot's name
	Kind  Kind
	Scope *model.Scope
	Under *model.Profile // nil when none is named
	Facts uint64         // the bit set of the facts that are true, as Predicate.Holds takes it
	Tools []*model.Tool  // sorted by name; in a core list, the core first
	Data  []byte         // the value of "tools": compact, without a newline
}

// Path is the snapshot's file name under the generated directory.
func (l *List) Path() string { return "snapshot/tools_list." + l.Name + ".json" }

// Lists computes every list that has a snapshot: the default list of each scope in each scenario,
// that of each profile in each scenario, then, for the first scope, the list of all tiers in each
// scenario and without facts, the static list, the core list in each scenario if states add to it, and the slim list. The first scope is the one a server takes when
// none is named, and only the other scopes' names appear in the lists' names.
func Lists(ts *model.Toolset) []List {
	entries := slicesx.List(ts.Tools, schema.Definition)
	var lists []List
	for i, scope := range ts.Scopes {
		for _, scenario := range ts.Scenarios {
			l := List{Name: scenario.Name, Kind: Default, Scope: scope, Facts: factBits(scenario)}
			if i > 0 {
				l.Name = scope.Name + "." + scenario.Name
			}
			l.fill(ts, entries)
			lists = append(lists, l)
		}
	}
	if len(ts.Scopes) == 0 {
		return nil
	}
	for _, profile := range ts.Profiles {
		for _, scenario := range ts.Scenarios {
			l := List{Name: profile.Name + "." + scenario.Name, Kind: Default, Scope: ts.Scopes[0], Under: profile, Facts: factBits(scenario)}
			l.fill(ts, entries)
			lists = append(lists, l)
		}
	}
	for _, scenario := range ts.Scenarios {
		all := List{Name: "all." + scenario.Name, Kind: All, Scope: ts.Scopes[0], Facts: factBits(scenario)}
		all.fill(ts, entries)
		lists = append(lists, all)
	}
	all := List{Name: "all", Kind: All, Scope: ts.Scopes[0]}
	all.fill(ts, entries)
	static := List{Name: "static", Kind: Static, Scope: ts.Scopes[0]}
	for i, t := range ts.Tools {
		entries[i] = schema.StaticDefinition(t)
	}
	static.fill(ts, entries)
	lists = append(lists, coreLists(ts, entries)...)
	for i, t := range ts.Tools {
		entries[i] = schema.SlimDefinition(t)
	}
	slim := List{Name: "slim", Kind: Slim, Scope: ts.Scopes[0]}
	slim.fill(ts, entries)
	return append(lists, all, static, slim)
}

// coreLists are the core lists in each scenario; none where no state adds to them.
func coreLists(ts *model.Toolset, entries [][]byte) (lists []List) {
	if !slices.ContainsFunc(ts.Tools, func(t *model.Tool) bool { return t.Joins != nil }) {
		return nil
	}
	for _, scenario := range ts.Scenarios {
		l := List{Name: "core." + scenario.Name, Kind: Core, Scope: ts.Scopes[0], Facts: factBits(scenario)}
		l.fill(ts, entries)
		lists = append(lists, l)
	}
	return lists
}

// fill lists the tools that belong, with their entries, which are in the order of the tool set.
func (l *List) fill(ts *model.Toolset, entries [][]byte) {
	var data [][]byte
	add := func(belongs func(*model.Tool) bool) {
		for i, t := range ts.Tools {
			if l.lists(t) && belongs(t) {
				l.Tools = append(l.Tools, t)
				data = append(data, entries[i])
			}
		}
	}
	add(func(t *model.Tool) bool { return l.Kind != Core || t.IsCore() })
	add(func(t *model.Tool) bool { return l.Kind == Core && !t.IsCore() })
	l.Data = slices.Concat([]byte("["), bytes.Join(data, []byte(",")), []byte("]"))
}

func (l *List) lists(t *model.Tool) bool {
	if !slices.Contains(t.Scopes, l.Scope) || l.Kind != Static && l.Kind != Core && !t.Visible.Holds(l.Facts) || l.Under != nil && l.Under.Excludes(t) {
		return false
	}
	if t.Capability.OptIn { // no list has it that is not asked for it
		return false
	}
	switch l.Kind {
	case All:
		return true
	case Slim:
		return t.Slim != nil
	case Static:
		return t.Tier == 1
	case Core:
		return t.IsCore() || t.JoinsIn(l.Facts)
	default:
		return t.ListedIn(l.Facts)
	}
}

func factBits(s *model.Scenario) uint64 {
	var bits uint64
	for _, f := range s.Facts {
		bits |= 1 << f.Bit
	}
	return bits
}

// entry is one tool of surface.json: all of the surface but the schemas, which have files of their own. Lists
// are never null, so that a reader needs no second case.
type entry struct {
	Name        string   `json:"name"`
	Capability  string   `json:"capability"`
	Tier        int      `json:"tier"`
	Scopes      []string `json:"scopes"`
	Effects     effects  `json:"effects"`
	Visible     string   `json:"visible"`
	Surfaces    []string `json:"surfaces"`
	Was         []string `json:"was"`
	Bytes       int      `json:"bytes"`
	PaidBytes   int      `json:"paid_bytes"`
	SlimBytes   int      `json:"slim_bytes,omitempty"`
	Asks        []string `json:"asks,omitempty"`
	Confirm     string   `json:"confirm,omitempty"`
	ResultBytes int      `json:"result_bytes"`
	TimeoutMS   int      `json:"timeout_ms"`
}

type effects struct {
	ReadOnly    bool `json:"read_only"`
	Destructive bool `json:"destructive"`
	Idempotent  bool `json:"idempotent"`
	OpenWorld   bool `json:"open_world"`
}

func surfaceFile(ts *model.Toolset) (output.File, error) {
	entries := slicesx.List(ts.Tools, summary)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(struct {
		Tools     []entry           `json:"tools"`
		Prompts   []promptSummary   `json:"prompts,omitempty"`
		Resources []resourceSummary `json:"resources,omitempty"`
	}{entries, promptSummaries(ts), resourceSummaries(ts)})
	return output.File{Path: "snapshot/surface.json", Data: b.Bytes()}, err
}

func summary(t *model.Tool) entry {
	e := entry{
		Name: t.Name, Capability: t.Capability.Name, Tier: t.Tier, Scopes: []string{},
		Effects: effects(t.Effects), Visible: "always",
		Surfaces: append([]string{}, t.Surfaces...), Was: append([]string{}, t.Was...),
		Bytes: len(schema.Definition(t)), PaidBytes: schema.PaidBytes(t), SlimBytes: len(schema.SlimDefinition(t)),
		Asks: model.AskNames(t.Asks), ResultBytes: t.ResultBytes, TimeoutMS: t.TimeoutMS,
	}
	for _, s := range t.Scopes {
		e.Scopes = append(e.Scopes, s.Name)
	}
	if !t.Visible.Always() {
		e.Visible = t.Visible.Text
	}
	if t.Confirm != nil {
		e.Confirm = t.Confirm.Text
	}
	return e
}
