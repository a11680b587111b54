package model

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/uritemplate"
)

// Entry is the common part of prompts and resources.
type Entry struct {
	Name, Title   string
	GoName        string // Triage
	Description   string
	Area          *Area
	Capability    *Capability
	Tagged        bool // false when capability was left out and core was assumed
	Scopes        []*Scope
	Visible       Predicate
	List          ListStyle
	Asks          []Ask    // what the handler asks the client for
	TimeoutMS     int      // deadline of a request in milliseconds
	Pos           diag.Pos // of the name's value
	CapabilityPos diag.Pos // of the capability's value; of the name when untagged
	VisiblePos    diag.Pos
}

// Kind says what the entry is.
func (p *Prompt) Kind() string { return "prompt" }

// Kind says what the entry is.
func (r *Resource) Kind() string { return "resource" }

// Prompt is one prompt.
type Prompt struct {
	Entry
	Arguments []*Argument // in the author's order
}

// Argument is an argument of a prompt, or a variable of a template of resources. Its value is a text.
type Argument struct {
	Name, GoName       string
	Title, Description string
	Required           bool  // true of each variable
	Type               *Type // of kind String; its Enum holds all values where the author lists them
	Completed          bool  // a handler completes the value
	Pos                diag.Pos
}

// Resource is one resource, or with Template all resources of a template.
type Resource struct {
	Entry
	URI       string                // "" for a template
	Template  *uritemplate.Template // nil for one address
	Variables []*Argument           // of the template, in its order
	MIME      string                // "" when contents state their own
	Size      int                   // in bytes; 0 is unknown
	Audience  []string              // user, assistant; nil when not written
	Priority  *float64              // 0 to 1; nil when not written
	Subscribe bool                  // clients can subscribe to updates
	URIPos    diag.Pos
}

// Address is the text of the address or of the template.
func (r *Resource) Address() string {
	if r.Template != nil {
		return r.Template.String()
	}
	return r.URI
}

// Declared is a prompt or a resource.
type Declared interface {
	Kind() string
	entry() *Entry
}

func (e *Entry) entry() *Entry { return e }

// EntryOf returns the common part of a prompt or a resource.
func EntryOf(d Declared) *Entry { return d.entry() }

// Entries lists the prompts and then the resources.
func (ts *Toolset) Entries() []Declared {
	out := make([]Declared, 0, len(ts.Prompts)+len(ts.Resources))
	for _, p := range ts.Prompts {
		out = append(out, p)
	}
	for _, r := range ts.Resources {
		out = append(out, r)
	}
	return out
}

// ArgumentsOf lists the arguments of a prompt or the variables of a resource.
func ArgumentsOf(d Declared) []*Argument {
	switch d := d.(type) {
	case *Prompt:
		return d.Arguments
	case *Resource:
		return d.Variables
	}
	return nil
}

// In reports whether the entry belongs to the scope.
func (e *Entry) In(s *Scope) bool { return slices.Contains(e.Scopes, s) }

// Frozen reports whether a frozen scope promises the entry.
func (e *Entry) Frozen() bool {
	return slices.ContainsFunc(e.Scopes, func(s *Scope) bool { return s.Frozen })
}

// VisibleText is the predicate, or always.
func (e *Entry) VisibleText() string {
	if e.Visible.Always() {
		return "always"
	}
	return e.Visible.Text
}

// Method is the name of the handler's method.
func (p *Prompt) Method() string { return p.GoName + "Prompt" }

// Method is the name of the handler's method.
func (r *Resource) Method() string { return r.GoName + "Resource" }

// Completer is the name of the method that completes an argument of the entry.
func (e *Entry) Completer(a *Argument) string { return "Complete" + e.GoName + a.GoName }

// ArgumentsType is the Go type of a prompt's arguments.
func (p *Prompt) ArgumentsType() string { return p.GoName + "Arguments" }

// VariablesType is the Go type of a template's variables.
func (r *Resource) VariablesType() string { return r.GoName + "Variables" }
