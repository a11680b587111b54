// Package model is the resolved tool set: what the manifest says once every name is looked up and
// every type is known.
//
// It is valid by construction: after Resolve without errors an emitter never meets an empty name,
// an unknown type or a dangling reference, so emitters contain no checks. Everything is in slices
// with a fixed order; no map reaches an emitter. It must not know how output looks, nor how YAML is
// read. It is one package because every kind of entry refers to the same facts, scopes and types, and
// one resolver looks them up.
package model

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/code"
	"github.com/callsheet/callsheet/gen/toolkit/paramschema"
)

// Toolset is the whole manifest, resolved.
type Toolset struct {
	Module       string        // import path of the module the generated code lives in
	Layout       Layout        // where things are in the module
	Capabilities []*Capability // in manifest order
	Facts        []*Fact       // in manifest order; the index is the fact's bit
	Surfaces     []*Surface    // in manifest order
	Initialisms  []string      // words that Go names write as they stand here, such as SQL
	Powers       []*Power      // in manifest order
	Traits       *Traits       // nil when the manifest declares none
	Invariants   []*Invariant  // in manifest order
	Events       []*Event      // in manifest order
	ListBytes    int           // most bytes of a list, every tier in it, in any state; 0 is no limit
	// DefaultListBytes is the most bytes of the list that a client is sent before anything is revealed, in any state; 0 is no limit.
	DefaultListBytes int
	List             ListStyle     // how lists are written
	ListPos          diag.Pos      // of the section that says so; zero where it is not written
	AddressedBy      string        // the input property that names the connection a call is for; "" when there is none
	Scenarios        []*Scenario   // in manifest order; always at least one
	Scopes           []*Scope      // in manifest order
	Profiles         []*Profile    // in manifest order
	Types            []*SharedType // types that properties refer to by name; each stands behind those that it refers to
	Providers        []string      // providers of models, whose limits on schemas hold; in manifest order
	Refused          []*Refused    // parameters that no tool takes, in manifest order
	Codes            []*Code       // codes of refusals, those of the toolkit first
	CommonFields     []code.Field  // fields that the envelope of each code may have
	CommonPos        diag.Pos      // of their entry
	Upstream         *Upstream     // nil when no tool is forwarded
	Server           *Server       // nil when the manifest does not describe the server for others
	CLI              *CLI          // the command line; nil when there is none, and then no tool has verbs
	Areas            []*Area       // sorted by name
	Tools            []*Tool       // live tools, sorted by name
	Prompts          []*Prompt     // sorted by name
	Resources        []*Resource   // sorted by name
	Logging          bool          // handlers send log messages to clients that ask for them
	Deferrals        []*Deferral   // tools that are deliberately not there, sorted by name
}

// Capability is a gate on the command line. It limits context size and is no security boundary.
type Capability struct {
	Name, Title, Description string
	OptIn                    bool // off unless the operator asks for it by a flag of its name
	Pos                      diag.Pos
}

// Fact is a named boolean about one connection.
type Fact struct {
	Name, Description string
	GoName            string // FactConnected
	Bit               int
	Pos               diag.Pos
}

// Invariant is a promise about every reachable state, such as "paused -> debugger_enabled".
type Invariant struct {
	Text      string // as written
	Predicate Predicate
	Pos       diag.Pos
}

// Event is a change that comes about without a call, when its condition holds.
type Event struct {
	Name    string // door.opened
	When    Predicate
	Changes Change
	Pos     diag.Pos
}

// Change lists the facts that a tool or an event sets and clears. Sets and Clears happen with every success;
// MaySet and MayClear may or may not, in any combination. A fact stands in one of the four at most,
// or in MaySet and MayClear together, which says that it may be either afterwards.
type Change struct {
	Sets, Clears, MaySet, MayClear []*Fact
	Pos                            diag.Pos
}

// Scenario is a named set of facts; each has a tools/list snapshot.
type Scenario struct {
	Name  string
	Facts []*Fact
	Pos   diag.Pos
}

// Scope is a named set of tools that a release promises.
type Scope struct {
	Name    string
	Frozen  bool
	Since   string
	Records bool // a call of a deferred tool is answered with its record, not with a refusal
	Pos     diag.Pos
}

// Profile is a second face of the first scope, for a host that must not expose certain scopes at
// all.
type Profile struct {
	Name    string
	Exclude []*Scope // no tool of these is in the profile, in the manifest's order of writing
	Pos     diag.Pos
}

// Area is where tools, prompts and resources live: one manifest file, one generated package, one handler
// package, one section of the docs. Each of its lists is sorted by name.
type Area struct {
	Name      string // billing
	GoName    string // Billing
	File      string // manifest file the area was read from, relative to the module
	Tools     []*Tool
	Prompts   []*Prompt
	Resources []*Resource
}

// HasHandlers reports whether the area has anything that its package of handlers runs.
func (a *Area) HasHandlers() bool {
	return len(a.Prompts)+len(a.Resources) > 0 || slices.ContainsFunc(a.Tools, func(t *Tool) bool { return t.Builtin == "" })
}

// Package returns the name of the area's generated package: pageapi.
func (a *Area) Package() string { return strings.ReplaceAll(a.Name, "_", "") + "api" }

// Tool is one live tool.
type Tool struct {
	Name, Title  string
	GoName       string // ReadPage
	Description  string // what the author wrote
	Area         *Area
	Capability   *Capability
	Tagged       bool // false when capability was left out and core was assumed
	Scopes       []*Scope
	Tier         int // 1, 2 or 3
	Effects      Effects
	Visible      Predicate
	Listed       *Predicate // states in which a client that follows the list is sent the tool; nil when the tier decides
	Joins        *Predicate // states in which the tool stands behind the core list; nil when no state adds it
	Also         []Also     // capabilities that have the tool beside Capability
	Changes      Change
	Surfaces     []string     // policy surfaces, sorted
	Powers       []*ToolPower // sorted by name
	Traits       ToolTraits
	Asks         []Ask          // what the handler asks the client for
	Confirm      *Confirm       // nil when the handler runs at once
	Forward      *Forward       // nil when a handler runs the tool
	Input        *Object        // without properties when the schema is the upstream's
	Requirements []*Requirement // conditional requirements among input properties
	Output       *Object        // nil when the tool returns free content
	List         ListStyle
	// OutputUnlisted reports that lists leave the schema of the output out.
	OutputUnlisted bool
	ResultBytes    int      // budget of a result's text in bytes
	TimeoutMS      int      // deadline of a call in milliseconds
	Slim           *Slim    // nil when the tool is not in the slim list
	Builtin        string   // the handler of the toolkit that runs the tool; "" when its area has one
	Verbs          []*Verb  // ways to call it from the command line, in manifest order
	Was            []string // older names, in manifest order
	Pos            diag.Pos // of the name's value
	CapabilityPos  diag.Pos // of the capability's value; of the name when untagged
	At             Positions
}

// ListedIn reports whether a client that follows the list is sent the tool in a state, before anything is revealed.
// facts are as in Predicate.Holds.
func (t *Tool) ListedIn(facts uint64) bool {
	if t.Listed == nil {
		return t.Tier == 1 && t.Visible.Holds(facts)
	}
	return t.Listed.Holds(facts) && t.Visible.Holds(facts)
}

// Also is a capability that has a tool beside the tool's own: where that one is served and the tool's own is not, the tool is
// listed in the states of When.
type Also struct {
	Capability *Capability
	When       Predicate
}

// IsCore reports whether the tool is in the core list, which has the same bytes in every state. Clients are sent tools of
// opt-in capabilities only if the operator asks for them.
func (t *Tool) IsCore() bool { return t.Tier == 1 && !t.Capability.OptIn }

// JoinsIn reports whether the tool stands behind the core list in a state. facts are as in Predicate.Holds.
func (t *Tool) JoinsIn(facts uint64) bool {
	return t.Joins != nil && t.Joins.Holds(facts)
}

// Positions are where an entry says what clients are promised beside the schema. Each is that of the
// tool's name where the entry is silent.
type Positions struct{ Tier, Visible, Listed, Joins, Surfaces, Powers, Traits, Description diag.Pos }

// Effects are the four promises a client may rely on when it decides whether to ask a person first.
type Effects = paramschema.Effects

// Slim is the short form of a tool in the list that --slim serves: its own description and the few
// parameters worth their bytes. Calls still accept every parameter.
type Slim struct {
	Description string
	Properties  []*Property
	Pos         diag.Pos
}

// Requirement is a conditional demand on the input: when the property When holds one of Values
// (always, when When is nil), the Names must be present: all of them, at least one, exactly one, or none.
type Requirement struct {
	When   *Property
	Values []string
	Mode   Mode
	Names  []*Property
	Pos    diag.Pos
}

// Mode says how many names of a requirement must be present.
type Mode string

// The modes of a requirement.
const (
	All Mode = "all"
	Any Mode = "any"
	One Mode = "one"
	// None refuses all of the names. The manifest writes its opposite: only, with the values that take the names.
	None Mode = "none"
)
