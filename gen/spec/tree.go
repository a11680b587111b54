// Package spec reads manifest text into a typed tree: what the author wrote, key by key, each scalar with its place.
//
// It knows the grammar — which keys stand where, which are required, what kind of node each takes — and nothing of
// meaning: whether a capability exists or a bound makes sense is for model to say. It is the only package that knows the
// YAML library; nothing of it shows in the exported tree.
package spec

import "github.com/callsheet/callsheet/gen/diag"

// File is one source file. Name is slash-separated and relative to the module root; diagnostics show it as it is.
type File struct {
	Name string
	Data []byte
}

// Scalar is a value with its place. The zero Scalar is "not written".
type Scalar[T any] struct {
	Value T
	Pos   diag.Pos
}

// Set reports whether the author wrote the value.
func (s Scalar[T]) Set() bool { return !s.Pos.IsZero() }

// Tree is a whole manifest: the root file and what it includes.
type Tree struct {
	Root         string // file name of the root
	AddressedBy  Text   // the property that names the connection a call is for
	Capabilities []Capability
	Facts        []Fact
	Invariants   []Text
	Events       []Event
	Scenarios    []Scenario
	Scopes       []Scope
	Areas        []Area // in include order; the root's own tools come last, as area "tools"
}

// Capability is an entry of capabilities.
type Capability struct{ Name, Title, Description Text }

// Fact is an entry of facts.
type Fact struct{ Name, Description Text }

// Event is an entry of events.
type Event struct {
	Name, When Text
	Changes    Changes
}

// Changes are the four lists of facts that a tool or an event changes. Pos is that of a tool's key, zero when that is
// missing, and of an event's name.
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
type Scope struct{ Name, Status, Since Text }

// Area is the tools of one file. Name is the file's base name; its position is that of the include.
type Area struct {
	Name  Text
	File  string
	Tools []*Tool
}

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
	Changes     Changes
	Surfaces    []Text
	Input       *Object
	Output      *Object // nil when not written
	Require     []Requirement
	Budget      Budget
	Slim        *Slim // nil when not written
	Was         []Text
}

// Effects are a tool's four promises. Pos is zero when the key itself is missing; Keys are the promises that are written,
// readable or not.
type Effects struct {
	Pos                                          diag.Pos
	Keys                                         []Text
	ReadOnly, Destructive, Idempotent, OpenWorld Scalar[bool]
}

// Budget is what a call may cost: bytes of result text, milliseconds.
type Budget struct{ ResultBytes, TimeoutMS Scalar[int] }

// Slim is the short form of a tool.
type Slim struct {
	Pos         diag.Pos
	Description Text
	Input       []Text
}

// Requirement is one entry of require_when. All, Any and One are nil when not written.
type Requirement struct {
	Pos           diag.Pos
	When          []Condition
	All, Any, One *Names
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

// Object is a mapping of property names to their schemas, in the author's order.
type Object struct {
	Pos        diag.Pos
	Properties []Property
}

// Property is one named schema.
type Property struct {
	Name   Text
	Schema *Schema
}

// Schema is what is written about a value. Keys lists the keys in the order they stand, for rules about which of them
// make sense together.
type Schema struct {
	Pos                  diag.Pos
	Keys                 []Text
	Type, Description    Text
	Required             Scalar[bool]
	Enum                 *Enum
	Default              Literal
	Minimum, Maximum     Scalar[float64]
	MinLength, MaxLength Scalar[int]
	MinItems, MaxItems   Scalar[int]
	Pattern              Text
	Items                *Schema
	Properties           *Object
}

// Enum is a list of allowed values.
type Enum struct {
	Key    diag.Pos
	Values []Literal
}

// LiteralKind is the YAML kind of a literal.
type LiteralKind string

// The kinds of literals. A list or mapping where a literal is wanted is a wrong-kind problem, except as a default, where
// Other lets model say which type was expected.
const (
	StringLiteral LiteralKind = "text"
	NumberLiteral LiteralKind = "a number"
	BoolLiteral   LiteralKind = "a boolean"
	NullLiteral   LiteralKind = "null"
	OtherLiteral  LiteralKind = "a list or mapping"
)

// Literal is a scalar of any kind. Text holds what was written whatever the kind.
type Literal struct {
	Kind   LiteralKind
	Text   Text
	Number float64
	Bool   bool
}

// Set reports whether the author wrote the value.
func (l Literal) Set() bool { return l.Text.Set() }

// Lock is the file of frozen scopes.
type Lock struct {
	File   string
	Scopes []LockedScope
	Log    []LogEntry
}

// LockedScope is one frozen scope.
type LockedScope struct {
	Name  Text
	Tools []LockedTool
}

// LockedTool is one frozen tool: its name, the hash of its contract, the version that promised it.
type LockedTool struct{ Tool, Schema, Since Text }

// LogEntry says when, by whom and why the lock was written.
type LogEntry struct{ Date, Who, Why Text }
