// Package explore describes the surface of a registry as plain data: which tool is listed in which
// state, in how many bytes, why the others are not, and how a session gets into each state.
//
// toolkit.NewSurface computes all of it, so that a description has the lists that a server with these options
// would send. The package must not know a page that shows the data, nor what tools are about.
package explore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
)

// Report is a surface in each of its states.
type Report struct {
	Scope    string     `json:"scope"`
	Static   bool       `json:"static"`   // the list of clients that do not follow states
	States   []State    `json:"states"`   // the scenarios of the manifest, and one that is asked for
	Tools    []Tool     `json:"tools"`    // of the scope, by name
	Deferred []Deferred `json:"deferred"` // by name
	Choices  Choices    `json:"choices"`
}

// State is a set of facts with the list that a client is sent.
type State struct {
	Name     string   `json:"name"` // the scenario's, or ""
	Facts    []string `json:"facts"`
	Requires string   `json:"requires,omitempty"` // the predicate of tools that Path makes true
	Path     []Step   `json:"path"`               // the compiler's shortest path from the beginning of a session
	Blocked  bool     `json:"blocked,omitempty"`  // the surface does not serve a tool on the path
	Listed   int      `json:"listed"`
	Bytes    int      `json:"bytes"` // of the list
}

// Step is a tool to call, or an event to wait for.
type Step struct {
	Tool  string `json:"tool,omitempty"`
	Event string `json:"event,omitempty"`
}

// Tool is a tool with one cell for each state, in the order of Report.States.
type Tool struct {
	Name       string   `json:"name"`
	Area       string   `json:"area"`
	Capability string   `json:"capability"`
	Tier       int      `json:"tier"`
	Requires   string   `json:"requires,omitempty"` // "" is always visible
	Listing    string   `json:"listing,omitempty"`  // the condition on being listed
	Surfaces   []string `json:"surfaces,omitempty"`
	Bytes      int      `json:"bytes"` // of its definition
	Cells      []Cell   `json:"cells"`
}

// Cell is a tool in a state.
type Cell struct {
	Listed bool          `json:"listed"`
	Cause  toolkit.Cause `json:"cause,omitempty"` // why it is not
	Reason string        `json:"reason,omitempty"`
	// Path leads from this state to one where the tool is visible, as the compiler has proven it and a
	// refusal advises it.
	Path []Step `json:"path,omitempty"`
}

// Deferred is a tool that is deliberately not there, with the record that answers a call of it.
type Deferred struct {
	Name   string          `json:"name"`
	Record json.RawMessage `json:"record"`
}

// Options are those of a surface, with how it is looked at.
type Options struct {
	toolkit.Options

	Facts []string // a state to add to the scenarios; nil adds none
}

// Describe describes the surface that a registry has under options. The error is that of
// toolkit.NewSurface, which says what options contradict each other or leave no tool, or names an unknown
// fact.
func Describe(reg *toolkit.Registry, opt Options) (Report, error) {
	surface, err := toolkit.NewSurface(reg, opt.Options)
	if err != nil {
		return Report{}, err
	}
	out := Report{Scope: opt.Scope, Static: opt.Visibility == toolkit.Static, Choices: choicesOf(reg), Deferred: []Deferred{}, Tools: []Tool{}, States: []State{}}
	if out.Scope == "" && len(reg.Scopes) > 0 {
		out.Scope = reg.Scopes[0]
	}
	scenarios := reg.Scenarios
	if len(scenarios) == 0 {
		scenarios = []toolkit.Scenario{{Name: "default"}}
	}
	for _, s := range scenarios {
		out.addState(surface, s.Name, s.Facts)
	}
	if opt.Facts != nil {
		facts, err := factsOf(reg, opt.Facts)
		if err != nil {
			return Report{}, err
		}
		out.addState(surface, "tried", facts)
	}
	for _, d := range reg.Deferred {
		out.Deferred = append(out.Deferred, Deferred{d.Name, json.RawMessage(d.Envelope)})
	}
	return out, nil
}

// addState adds a state and its cell of every tool.
func (r *Report) addState(s *toolkit.Surface, name string, facts toolkit.Facts) {
	requires, path, isOpen := s.PathTo(facts)
	state := State{Name: name, Facts: namesOf(s.Registry(), facts), Requires: requires, Path: stepsOf(path), Blocked: !isOpen}
	session := s.NewSession("", nil)
	session.Replace(facts)
	list, shown := session.Listing()
	state.Listed, state.Bytes = shown.Tools.Len(), len(list)
	r.States = append(r.States, state)
	for i, row := range s.Rows(facts) {
		if len(r.States) == 1 {
			r.Tools = append(r.Tools, toolOf(row))
		}
		r.Tools[i].Cells = append(r.Tools[i].Cells, cellOf(s, row, shown.Tools))
	}
}

func toolOf(row toolkit.Row) Tool {
	t := row.Tool
	return Tool{
		Name: t.Name, Area: t.Area, Capability: t.Capability, Tier: t.Tier, Requires: t.Requires, Listing: t.Listing, Surfaces: t.Surfaces, Bytes: row.Bytes,
	}
}

// cellOf describes the row of one tool in a session that lists the tools of set: a static list has tools that
// a state hides.
func cellOf(s *toolkit.Surface, row toolkit.Row, set toolkit.Set) Cell {
	index, _ := s.Registry().Lookup(row.Tool.Name)
	c := Cell{Listed: set.Has(index)}
	switch {
	case row.Cause == toolkit.CauseFacts: // also where it is listed: the call would be refused
		c.Cause, c.Reason, c.Path = row.Cause, row.Reason, stepsOf(row.Path)
	case !c.Listed:
		c.Cause, c.Reason = row.Cause, row.Reason
		if row.Listed {
			c.Cause, c.Reason = toolkit.CauseListed, "no static list has it; it can be called"
		}
	}
	return c
}

func stepsOf(path []toolkit.Step) []Step {
	return slicesx.List(path, func(s toolkit.Step) Step { return Step{s.Tool, s.Event} })
}

// factsOf is namesOf backwards.
func factsOf(reg *toolkit.Registry, names []string) (facts toolkit.Facts, err error) {
	for _, name := range names {
		i := slices.Index(reg.Facts, name)
		if i < 0 {
			return 0, fmt.Errorf("facts: unknown fact %q; known: %s", name, strings.Join(reg.Facts, ", "))
		}
		facts |= 1 << i
	}
	return facts, nil
}

// namesOf returns the names of facts in the order of their bits.
func namesOf(reg *toolkit.Registry, facts toolkit.Facts) []string {
	out := []string{}
	for i, name := range reg.Facts {
		if facts.Has(1 << i) {
			out = append(out, name)
		}
	}
	return out
}
