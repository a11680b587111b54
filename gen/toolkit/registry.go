// Package toolkit is the run-time library of every generated registry, ours or a third party's:
// facts, tool sets, surfaces, sessions, argument decoding, refusals and dispatch.
//
// A registry (generated) plus a surface (command line) plus a session (one client) decide what
// tools/list shows and what tools/call does. The package knows neither a protocol library
// (mcpserver adapts it) nor what the tools are about nor the compiler, so that another server can use it with its
// own manifest. It is one package because registries, surfaces, sessions and dispatch share unexported state.
package toolkit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/code"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
)

// Registry is everything the generator knows about a tool set. It is immutable after New of the
// generated package; With and Replace make others.
type Registry struct {
	Tools        []Tool // sorted by name
	Capabilities []Capability
	Surfaces     []PolicySurface // in manifest order
	Powers       []Power         // in manifest order
	Scopes       []string
	Profiles     []Profile
	Deferred     []Deferral // sorted by name
	Prompts      []Prompt   // sorted by name
	Resources    []Resource // sorted by name; templates too
	Logs         bool       // handlers send log messages to clients that ask for them
	Facts        []string   // names in bit order
	Events       []Event    // changes of facts that no call makes
	Scenarios    []Scenario
	Address      string // the property of arguments that names the connection a call is for; "" when there is none
	// Revealer is the tool that reveals others; "" when there is none. No filter of capabilities takes it
	// away as long as a tool is left to reveal.
	Revealer  string
	Advice    []Advice        // how to reach what is hidden, by predicate
	Sentinels []code.Sentinel // errors of handlers that stand for a code
	// Unmet has, by name, what a refusal says when a fact does not hold ("!" and the name: when it
	// does). Facts without one are named.
	Unmet map[string]string

	names     map[string]int // names and old names → index
	deferrals map[string]int // names of deferred tools → index
	always    Set            // tools without a predicate
	groups    []group        // the others
	listings  []group        // tools with a condition on being listed
	joinings  []group        // tools that states add to the core list
}

// group is the tools that share a predicate, which is evaluated once for all of them.
type group struct {
	holds func(Facts) bool
	tools Set
}

// Capability is one gate of the command line. One that is OptIn is off unless Options.OptIn names
// it.
type Capability struct {
	Name, Title, Description string
	OptIn                    bool
}

// PolicySurface is a kind of dangerous thing that policies speak of. Flag is the flag of the command
// line that takes its powers away, without the leading hyphens; "" when it has none of its own.
type PolicySurface struct{ Name, Description, Flag string }

// surfaceNames lists the policy surfaces, in manifest order.
func (r *Registry) surfaceNames() []string {
	return slicesx.List(r.Surfaces, func(s PolicySurface) string { return s.Name })
}

// surfaceFlag is the flag that takes the powers of a policy surface away, as refusals name it.
func (r *Registry) surfaceFlag(name string) string {
	for _, s := range r.Surfaces {
		if s.Name == name && s.Flag != "" {
			return "--" + s.Flag
		}
	}
	return flagDisableSurfaces
}

// Tool is one row of the generated table.
type Tool struct {
	Name        string
	Description string
	Area        string
	Capability  string
	Scopes      []string
	Tier        int
	Effects     Effects
	Surfaces    []string // policy surfaces the tool may touch
	Powers      []Use    // powers that the handler is handed, sorted by name
	Was         []string // older names, accepted in flags and calls
	Traits      Traits
	Asks        InputKinds // what the handler may ask the client for

	Requires string           // the predicate's text; "" when the tool is always visible
	Visible  func(Facts) bool // nil when always visible
	Listing  string           // the text of Listed; "" when the tier decides
	Listed   func(Facts) bool // where a client that follows the list is sent the tool; nil when the tier decides
	Joining  string           // the text of Joins; "" when no state adds the tool to the core list
	Joins    func(Facts) bool // where the tool stands behind the core list; nil when no state adds it
	Also     []Also           // capabilities that have the tool beside its own
	Changes  Changes          // what a successful call does to facts
	Needs    []Literal        // facts of the predicate, for saying which are unmet

	Schema       string        // what the reader holds arguments against: a closed JSON Schema with every bound
	Requirements []Requirement // what it demands beside the schema
	Definition   string        // the tool's entry in tools/list: compact JSON, exactly as sent
	// StaticDefinition is the entry in a list that does not follow facts: it names those that the tool
	// needs. "" when that is Definition.
	StaticDefinition string
	FullDefinition   string // Definition with the parameters that lists leave out; "" when there is none
	SlimDefinition   string // its entry under --slim; "" when it is not in that list

	// OutputSchema is the schema of the structured content of a successful call: a closed JSON Schema; "" for a tool
	// that returns content alone. UnlistedOutput is the schema that the definitions leave out and Options.OutputSchemas adds,
	// which is open; "" where they have it.
	OutputSchema, UnlistedOutput string

	withdrawn bool // its definition is gone: no scope has it

	ResultBytes int           // most bytes of text in a result
	Timeout     time.Duration // deadline of a call

	// Invoke decodes the arguments strictly and runs the handler, with the powers of the grant.
	Invoke func(ctx context.Context, call *Call, g grant.Grant, args []byte) (CallResult, error)
	// Check decodes the arguments and reports their Violations without running anything.
	Check func(args []byte) error
}

// Also is a capability that has a tool beside the tool's own: where Options.ToolsOnly names that one alone, the tool is listed
// in the states that Holds says.
type Also struct {
	Capability, When string
	Holds            func(Facts) bool
}

// Literal is one fact of a predicate as it stands there: Want false for "!fact".
type Literal struct {
	Fact Facts
	Name string
	Want bool
}

// Effects are a tool's promises about the effects of a call.
type Effects struct{ ReadOnly, Destructive, Idempotent, OpenWorld bool }

// Index makes the registry ready for look-ups. The generated constructor calls it once.
func (r *Registry) Index() *Registry {
	r.names = make(map[string]int, len(r.Tools))
	for i := range r.Tools {
		if r.Tools[i].withdrawn {
			continue
		}
		r.names[r.Tools[i].Name] = i
		for _, old := range r.Tools[i].Was {
			r.names[old] = i
		}
	}
	r.deferrals = make(map[string]int, len(r.Deferred))
	for i := range r.Deferred {
		r.deferrals[r.Deferred[i].Name] = i
	}
	r.group()
	return r
}

// group sorts the tools by predicate.
func (r *Registry) group() {
	r.always, r.groups, r.listings, r.joinings = Set{}, nil, nil, nil
	visible, listed, joins := make(map[string]int), make(map[string]int), make(map[string]int)
	for i := range r.Tools {
		t := &r.Tools[i]
		if t.Visible == nil {
			r.always = r.always.With(i)
		} else {
			r.groups = addToGroup(r.groups, visible, i, t.Requires, t.Visible)
		}
		if t.Listed != nil {
			r.listings = addToGroup(r.listings, listed, i, t.Listing, t.Listed)
		}
		if t.Joins != nil {
			r.joinings = addToGroup(r.joinings, joins, i, t.Joining, t.Joins)
		}
	}
}

// added returns the conditions that add tools to a list.
func (r *Registry) added(lists Visibility) []group {
	if lists == Core {
		return r.joinings
	}
	return r.listings
}

// addToGroup adds tool i to the group of its predicate, which the text identifies. A predicate without a
// text is its own.
func addToGroup(groups []group, at map[string]int, i int, text string, holds func(Facts) bool) []group {
	g, ok := at[text]
	if !ok || text == "" {
		g = len(groups)
		at[text] = g
		groups = append(groups, group{holds: holds})
	}
	groups[g].tools = groups[g].tools.With(i)
	return groups
}

// JoinTools joins the rows of areas and sorts them by name. It is for generated code.
func JoinTools(areas ...[]Tool) []Tool {
	var order []*Tool
	for _, rows := range areas {
		for i := range rows {
			order = append(order, &rows[i])
		}
	}
	slices.SortFunc(order, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	return slicesx.List(order, func(t *Tool) Tool { return *t })
}

// Lookup finds a tool by its name or by one of its old names.
func (r *Registry) Lookup(name string) (index int, ok bool) {
	index, ok = r.names[name]
	return index, ok
}

// inScope reports whether the tool belongs to the scope.
func (t *Tool) inScope(scope string) bool { return !t.withdrawn && slices.Contains(t.Scopes, scope) }

// capabilityNames lists the capabilities in manifest order.
func (r *Registry) capabilityNames() []string {
	return slicesx.List(r.Capabilities, func(c Capability) string { return c.Name })
}

// Free reports, as an error, that a tool which is made at start-up may not have a name: a generated
// tool has it or had it, or its calls are answered with a deferral.
func (r *Registry) Free(name string) error {
	if at, taken := r.Lookup(name); taken {
		return fmt.Errorf("%q is the name of a built-in tool (%s)", name, r.Tools[at].Name)
	}
	if _, deferred := r.deferrals[name]; deferred {
		return fmt.Errorf("%q is the name of a tool that is deliberately not there, which is what a call of it would hear", name)
	}
	return nil
}

// With returns a registry that holds rows made at start-up beside the generated ones. The rows
// stand behind the given capability, or the generated one of that name, in the registry's first
// scope and in scope. A name that is not free is an error; the receiver stays as it is.
func (r *Registry) With(capability Capability, scope string, rows []Tool) (*Registry, error) {
	composed := *r
	out := &composed
	out.Tools, out.Capabilities, out.Scopes = slices.Clone(r.Tools), slices.Clone(r.Capabilities), slices.Clone(r.Scopes)
	var taken []error
	for i := range rows {
		if err := r.Free(rows[i].Name); err != nil {
			taken = append(taken, err)
			continue
		}
		row := rows[i]
		row.Capability, row.Scopes = capability.Name, []string{scope}
		if len(r.Scopes) > 0 {
			row.Scopes = append(row.Scopes, r.Scopes[0])
		}
		out.Tools = append(out.Tools, row)
	}
	if err := errors.Join(taken...); err != nil {
		return nil, err
	}
	slices.SortFunc(out.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	if !slices.ContainsFunc(r.Capabilities, func(c Capability) bool { return c.Name == capability.Name }) {
		out.Capabilities = append(out.Capabilities, capability)
	}
	if !slices.Contains(r.Scopes, scope) {
		out.Scopes = append(out.Scopes, scope)
	}
	return out.Index(), nil
}

// Replace returns a registry in which the rows of an area, made at start-up and added by With, are
// these. Every row keeps its index: new rows come last, and a row that is gone stays as one that no
// scope has. A name that is not free is an error.
func (r *Registry) Replace(area string, rows []Tool) (*Registry, error) {
	composed := *r
	out := &composed
	out.Tools = slices.Clone(r.Tools)
	at := map[string]int{}
	var pattern Tool
	for i := range out.Tools {
		if t := &out.Tools[i]; t.Area == area {
			pattern = *t
			at[t.Name] = i
			t.withdrawn = true
		}
	}
	for _, row := range rows {
		i, known := at[row.Name]
		if !known {
			if err := r.Free(row.Name); err != nil {
				return nil, err
			}
			i = len(out.Tools)
			out.Tools = append(out.Tools, Tool{})
		}
		row.Capability, row.Scopes = pattern.Capability, pattern.Scopes
		out.Tools[i] = row
	}
	return out.Index(), nil
}
