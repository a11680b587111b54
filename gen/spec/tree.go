// Package spec reads manifest text into a typed tree: what the author wrote, key by key, each
// scalar with its place.
//
// It knows the grammar — which keys stand where, which are required, what kind of node each takes —
// and nothing of meaning: whether a capability exists or a bound makes sense is for model to say.
// Nothing of the YAML library shows in the exported tree.
package spec

import (
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// The values of a file, and the written types of parameters and results, as the toolkit reads them.
type (
	File          = yamltree.File
	Text          = yamltree.Text
	Scalar[T any] = yamltree.Scalar[T]
	Literal       = yamltree.Literal
	LiteralKind   = yamltree.LiteralKind
	Object        = paramspec.Object
	Property      = paramspec.Property
	Schema        = paramspec.Schema
	Refused       = paramspec.Refused
	Enum          = paramspec.Enum
	Union         = paramspec.Union
	Variant       = paramspec.Variant
)

// The kinds of literals.
const (
	StringLiteral = yamltree.StringLiteral
	NumberLiteral = yamltree.NumberLiteral
	BoolLiteral   = yamltree.BoolLiteral
	NullLiteral   = yamltree.NullLiteral
	OtherLiteral  = yamltree.OtherLiteral
)

// Tree is a whole manifest: the root file and what it includes.
type Tree struct {
	Root         string      // file name of the root
	AddressedBy  Text        // the property that names the connection a call is for
	ListBytes    Scalar[int] // the budget of a list in any state
	DefaultBytes Scalar[int] // the budget of a default list in any state
	List         ListStyle   // how lists are written
	// ListOutputs says whether lists have the schemas of outputs; they do where it is not written.
	ListOutputs  Scalar[bool]
	Server       *Server   // nil when not written
	CLI          *CLI      // nil when not written
	Upstream     *Upstream // nil when not written
	Capabilities []Capability
	Facts        []Fact
	Powers       []Power
	Traits       *Traits // nil when not written
	Invariants   []Text
	Events       []Event
	Scenarios    []Scenario
	Scopes       []Scope
	Profiles     []Profile
	Types        []Property // shared types by name
	Providers    []Text     // of models, whose limits on schemas hold
	Not          []Refused  // parameters that no tool takes
	Refusals     []Refusal
	Surfaces     []Surface
	Logging      Scalar[bool]
	Initialisms  []Text // words that Go names write as they stand here
	Areas        []Area // in include order; the root's own tools come last, as area "tools"

	Unread     []string // sections of the root that are missing or of another kind, and reported: names in them are not known
	Incomplete bool     // a file with tools could not be read, and is reported: there are more tools than these
}

// Capability is an entry of capabilities.
type Capability struct {
	Name, Title, Description Text
	OptIn                    Scalar[bool]
}

// Fact is an entry of facts.
type Fact struct{ Name, Description Text }

// Event is an entry of events.
type Event struct {
	Name, When Text
	Changes    Changes
}

// Changes are the four lists of facts that a tool or an event changes. Pos is that of a tool's key,
// zero when that is missing, and of an event's name.
type Changes struct {
	Pos                            diag.Pos
	Sets, Clears, MaySet, MayClear []Text
}

// Scenario is an entry of scenarios.
type Scenario struct {
	Name  Text
	Facts []Text
}

// Scope is an entry of scopes.
type Scope struct {
	Name, Status, Since Text
	Records             Scalar[bool]
}

// Profile is an entry of profiles.
type Profile struct {
	Name    Text
	Exclude []Text // scopes
}

// Area is one included file: its tools, prompts and resources. Name is the file's base name, at the position
// of the include.
type Area struct {
	Name      Text
	File      string
	Tools     []*Tool
	Prompts   []*Prompt
	Resources []*Resource
}

// Also is a capability that has a tool beside the tool's own.
type Also struct{ Capability, When Text }

// Tool is one entry under tools.
type Tool struct {
	Pos         diag.Pos // of the entry's first key
	Name        Text
	Title       Text
	Description Text
	Capability  Text
	Scopes      []Text
	Tier        Scalar[int]
	Effects     Effects
	Visible     Text
	Listed      Text
	Joins       Text
	Also        []Also
	Changes     Changes
	Surfaces    []Text
	Powers      []ToolPower
	PowersPos   diag.Pos // of the key powers; zero when it is missing
	Traits      ToolTraits
	Asks        []Text  // what the handler asks the client for
	Confirm     Text    // the question that a person answers before the handler runs
	Forward     Text    // the upstream's name of the tool; not set: handlers run it
	Input       *Object // nil when not written, which only a forwarded tool may leave out
	Output      *Object // nil when not written
	Require     []Requirement
	Budget      Budget
	Slim        *Slim // nil when not written
	Builtin     Text  // the handler of the toolkit that runs the tool
	CLI         []Verb
	Was         []Text
	Not         []Refused
	Deferred    *Deferred // nil when not written; then the tool is live
	Live        []Text    // beside deferred: the keys that only a live tool has
}

// Deferred says why a tool is deliberately not there, and what to use instead.
type Deferred struct {
	Pos           diag.Pos
	Reason, Since Text
	CLI           CLIEquivalent
	Competitor    CompetitorRef
	Surfaces      []Text
}

// CLIEquivalent is the command that does what the deferred tool would do.
type CLIEquivalent struct {
	Pos  diag.Pos
	Verb Text
	Args []Text
}

// CompetitorRef is a tool of another product; or, in None, why that product has no such tool.
type CompetitorRef struct {
	Pos                 diag.Pos
	Product, Tool, None Text
}

// Effects are a tool's four promises. Pos is zero when the key itself is missing; Keys are the
// promises that are written, readable or not.
type Effects struct {
	Pos                                          diag.Pos
	Keys                                         []Text
	ReadOnly, Destructive, Idempotent, OpenWorld Scalar[bool]
}

// Budget is the limits of a call: bytes of result text, milliseconds.
type Budget struct{ ResultBytes, TimeoutMS Scalar[int] }

// Slim is the short form of a tool.
type Slim struct {
	Pos         diag.Pos
	Description Text
	Input       []Text
}

// CLI is the program's own part of its command line, beside the tools' verbs.
type CLI struct {
	Pos             diag.Pos
	Program         Text
	Commands, Flags []Text
}

// Verb is one entry of a tool's cli.
type Verb struct {
	Pos               diag.Pos
	Verb, Description Text
	Example           Text
	Args              *Names // nil when not written
	Hide              []Text
	Set               []Setting
	Flags             []Flag
	Save, Watch       Scalar[bool]
}

// Setting is a property with the value that a verb gives it.
type Setting struct {
	Property Text
	Value    Literal
}

// Flag is a name on the command line and what it stands for: a property, or properties with their
// values.
type Flag struct {
	Name, Property Text
	Set            []Setting
}

// Requirement is one entry of require_when. All, Any, One and Only are nil when not written.
type Requirement struct {
	Pos                 diag.Pos
	When                []Condition
	All, Any, One, Only *Names
}

// Condition is one member of when: a property and the values that make the requirement apply.
type Condition struct {
	Property Text
	Values   []Literal
}

// Names is a list of property names with the place of its key.
type Names struct {
	Key   diag.Pos
	Names []Text
}

// Lock is the file of frozen scopes.
type Lock struct {
	File     string
	Version  int // 1: who decided is in the log; 2: in each row
	Scopes   []LockedScope
	Deferred []LockedDeferral
	Promoted []LockedDeferral
	Dropped  []LockedDeferral // promoted once and gone
	Declared []LockedDeclared
	Entries  []LockedEntry // prompts and resources of frozen scopes
	List     LockedList
	Released LockedRelease
	// Remembered is the digest of which tools Deferred, Promoted and Dropped have, whether Released is set, and whether there are parts.
	Remembered Text
	Log        []LogEntry // of a lock from before each row had its decision; empty otherwise
}

// Decision says when, by whom and why a row of the lock was written. Digest covers it and the row, so that an
// edit by hand shows. It is empty in a lock that has a log.
type Decision struct{ Date, Who, Why, Digest Text }

// LockedList says how lists are written. Style is not set where that is the usual way.
type LockedList struct {
	Style   Text
	Decided Decision
}

// LockedRelease is the last release, and the digest of its record. Both are empty before the first
// release.
type LockedRelease struct {
	Version, Record Text
	Decided         Decision
}

// LockedDeferral is a tool that is or was deferred, or that joined a scope which defers tools; and
// since when.
type LockedDeferral struct {
	Tool, Scope, Since Text
	Surfaces           []Text // policy surfaces that it may not lose; nil in a lock from before they were signed
	Tests              []Text // of a promoted tool: the tests that proved it, each with a digest
	Decided            Decision
}

// LockedDeclared is a code of refusals, or another part of the manifest, with the hash of what the manifest says
// of it. Kind is code or part.
type LockedDeclared struct {
	Kind        string
	Name, Terms Text
	Decided     Decision
}

// LockedEntry is a prompt or a resource that a frozen scope promises: the hash of what requests depend on,
// and what clients are promised beside it.
type LockedEntry struct {
	Kind                string // prompt or resource
	Name, Scope, Since  Text
	Contract            Text // hash
	Capability, Visible Text
	Texts               Text // hash
	Decided             Decision
}

// LockedScope is one frozen scope.
type LockedScope struct {
	Name  Text
	Tools []LockedTool
}

// LockedTool is one frozen tool: its name, the hash of its contract, the version that promised it,
// and what clients are promised beside the contract. An older lock has no such terms.
type LockedTool struct {
	Tool, Schema, Since Text
	Tier                Scalar[int]
	Capability, Visible Text
	Listed, Joins, Also Text
	Surfaces            []Text
	Powers              Text
	Traits, Texts       Text   // hashes
	Parameters          Text   // hash of their older names and other forms; "" where there is none
	Asks                []Text // what the handler asks the client for
	Decided             Decision
}
