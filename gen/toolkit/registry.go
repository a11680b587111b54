package toolkit

import (
	"context"
	"slices"
	"time"
)

// Registry is everything the generator knows about a tool set. It is immutable after New of the generated package.
type Registry struct {
	Tools        []Tool // sorted by name
	Capabilities []Capability
	Scopes       []string
	Facts        []string // names in bit order
	Address      string   // the property of arguments that names the connection a call is for; "" when there is none
	Advice       []Advice // how to reach what is hidden, by predicate

	names  map[string]int // names and old names → index
	always Set            // tools without a predicate
	groups []group        // the others
}

// group is the tools that share a predicate, which is evaluated once for all of them.
type group struct {
	visible func(Facts) bool
	tools   Set
}

// Capability is one gate of the command line.
type Capability struct{ Name, Title, Description string }

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
	Was         []string // older names, accepted in flags and calls

	Requires string           // the predicate's text; "" when the tool is always visible
	Visible  func(Facts) bool // nil when always visible
	Needs    []Literal        // facts of the predicate, for saying which are unmet

	Definition     string // the tool's entry in tools/list: compact JSON, exactly as sent
	SlimDefinition string // its entry under --slim; "" when it is not in that list

	ResultBytes int           // most bytes of text in a result
	Timeout     time.Duration // deadline of a call

	// Invoke decodes the arguments strictly and runs the handler.
	Invoke func(ctx context.Context, call *Call, args []byte) (Result, error)
	// Check decodes the arguments and reports their Violations without running anything.
	Check func(args []byte) error
}

// Literal is one fact of a predicate as it stands there: Want false for "!fact".
type Literal struct {
	Fact Facts
	Name string
	Want bool
}

// Effects are a tool's promises about what a call does.
type Effects struct{ ReadOnly, Destructive, Idempotent, OpenWorld bool }

// Index makes the registry ready for look-ups. The generated constructor calls it once.
func (r *Registry) Index() *Registry {
	r.names = make(map[string]int, len(r.Tools))
	for i := range r.Tools {
		r.names[r.Tools[i].Name] = i
		for _, old := range r.Tools[i].Was {
			r.names[old] = i
		}
	}
	r.group()
	return r
}

// group sorts the tools by predicate. The text identifies one; a predicate without a text is its own.
func (r *Registry) group() {
	r.always, r.groups = Set{}, nil
	at := make(map[string]int)
	for i := range r.Tools {
		t := &r.Tools[i]
		if t.Visible == nil {
			r.always = r.always.With(i)
			continue
		}
		g, ok := at[t.Requires]
		if !ok || t.Requires == "" {
			g = len(r.groups)
			at[t.Requires] = g
			r.groups = append(r.groups, group{visible: t.Visible})
		}
		r.groups[g].tools = r.groups[g].tools.With(i)
	}
}

// Lookup finds a tool by its name or by one of its old names.
func (r *Registry) Lookup(name string) (index int, ok bool) {
	index, ok = r.names[name]
	return index, ok
}

// inScope reports whether the tool belongs to the scope.
func (t *Tool) inScope(scope string) bool { return slices.Contains(t.Scopes, scope) }

// capabilityNames lists the capabilities in manifest order.
func (r *Registry) capabilityNames() []string {
	out := make([]string, len(r.Capabilities))
	for i, c := range r.Capabilities {
		out[i] = c.Name
	}
	return out
}
