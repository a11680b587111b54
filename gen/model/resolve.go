package model

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
)

// MaxFacts is how many facts there may be: the prover enumerates their combinations, a million.
// Should all of them be reachable, that takes seconds and a gigabyte; invariants keep real tool
// sets thousands of times below it.
const MaxFacts = 20

// Resolve looks up every name of the tree and types every value. All problems come back in one
// list, in the tree's order; when it holds errors the tool set is incomplete and good for nothing
// but further checks that tolerate that. Module is the import path of the module the generated code
// will live in. Linear in the size of the tree.
func Resolve(module string, tree *spec.Tree) (*Toolset, diag.List) {
	r := &resolver{
		set:    &Toolset{Module: module},
		claims: make(map[string]claim),
		idents: paramspec.Claims{},
	}
	for _, name := range []string{"Handlers", "Tools", "Prompts", "Resources", "State", "NewState", "TraitsOf", "RoleNamed", "Refused"} {
		r.idents.Reserve(name, "the generated "+name)
	}
	r.mute(tree.Unread)
	vocabulary{r}.declare(tree)
	types := &paramspec.Resolver{Diags: &r.diags, Declared: r, Initialisms: r.set.Initialisms}
	entries := entryResolver{r, types}
	settings{r}.providers(tree.Providers)
	types.Named(tree.Types, typesOfOutputs(tree))
	settings{r}.listStyle(tree.List)
	tools := toolResolver{r, types, tree.ListOutputs.Set() && !tree.ListOutputs.Value}
	areaResolver{r, tools, entries}.areas(tree.Areas)
	entries.checkEntries()
	r.set.Logging = tree.Logging.Value
	types.MarkUsed()
	r.set.Types = types.Types
	r.refusedByAll(types, tree.Not)
	refusalResolver{r}.refusals(tree.Refusals)
	settings{r}.addressed(tree.AddressedBy, tree.Incomplete)
	cliResolver{r}.commandLine(tree)
	settings{r}.server(tree.Server)
	settings{r}.upstream(tree.Upstream)
	r.set.ListBytes, r.set.DefaultListBytes = tree.ListBytes.Value, tree.DefaultBytes.Value
	misdeclared(r, &r.fact, ruleUnknownFact, "fact", func(f *Fact) diag.Pos { return f.Pos })
	misdeclared(r, &r.capability, ruleUnknownCapability, "capability", func(c *Capability) diag.Pos { return c.Pos })
	misdeclared(r, &r.scope, ruleUnknownScope, "scope", func(s *Scope) diag.Pos { return s.Pos })
	return r.set, r.diags
}

// resolver holds the state that all parts of one run of Resolve share: the tool set, its problems,
// and the names declared so far. Each part resolves one section of the manifest and embeds it.
type resolver struct {
	set   *Toolset
	diags diag.List

	capability table[Capability]
	fact       table[Fact]
	scope      table[Scope]
	surface    table[Surface]
	power      table[Power]
	role       table[Role]
	roleOf     map[string]*Role // names of parameters that must state a role
	claims     map[string]claim // names of tools, current and old, of prompts and of resources
	idents     paramspec.Claims // identifiers of the generated package
	muted      bool             // inside a tool whose name clashes, and with it everything named after it
}

// mute keeps names unjudged whose section could not be read: the section is reported.
func (r *resolver) mute(sections []string) {
	for name, unread := range map[string]*bool{
		"capabilities": &r.capability.unread, "facts": &r.fact.unread, "scopes": &r.scope.unread, "powers": &r.power.unread, "surfaces": &r.surface.unread, "traits": &r.role.unread,
	} {
		*unread = slices.Contains(sections, name)
	}
}

// claim is the first declaration of a name.
type claim struct {
	what string
	pos  diag.Pos
}

// unknown reports a name that is not in a closed set.
func (r *resolver) unknown(name spec.Text, rule, what string, valid []string) *diag.Diagnostic {
	return r.diags.Unknown(name.Pos, rule, what, name.Value, valid)
}

func (r *resolver) errorf(at diag.Pos, rule, format string, args ...any) *diag.Diagnostic {
	return r.diags.Errorf(at, rule, format, args...)
}

// ident claims an identifier of the generated package and reports whether it was free.
func (r *resolver) ident(name, what string, at diag.Pos) bool {
	return r.muted || r.idents.Claim(&r.diags, name, what, at)
}

// Claim implements paramspec.Declarations.
func (r *resolver) Claim(goName, what string, at diag.Pos) bool { return r.ident(goName, what, at) }

// Role implements paramspec.Declarations.
func (r *resolver) Role(name spec.Text) *Role {
	return r.role.find(r, name, paramspec.RuleUnknownTrait, "role")
}

// RoleOf implements paramspec.Declarations.
func (r *resolver) RoleOf(parameter string) *Role { return r.roleOf[parameter] }

// unique drops repeated names of a list and reports them.
func (r *resolver) unique(names []spec.Text) []spec.Text {
	seen := make(map[string]diag.Pos, len(names))
	return slices.DeleteFunc(slices.Clone(names), func(t spec.Text) bool {
		first, again := seen[t.Value]
		if again {
			d := r.errorf(t.Pos, ruleDuplicateEntry, "%q is already in this list", t.Value)
			d.Related = &diag.Related{Pos: first, Message: "first here"}
			return true
		}
		seen[t.Value] = t.Pos
		return false
	})
}

// notEmpty reports a text that says nothing.
func (r *resolver) notEmpty(t spec.Text, what string) {
	if t.Set() && strings.TrimSpace(t.Value) == "" {
		r.errorf(t.Pos, ruleEmptyText, "%s is empty", what)
	}
}

// names matches the names of tools, capabilities, facts, scenarios, scopes and areas; properties
// may use camel case, and an event has its source before a dot.
func (r *resolver) name(t spec.Text, what string) {
	if !isName(t.Value) {
		r.errorf(t.Pos, paramspec.RuleBadName, "%q is no name for %s", t.Value, what).Hint = nameHint
	}
}

// notReserved keeps names apart that snapshots are called by.
func (r *resolver) notReserved(t spec.Text, what string) {
	if t.Value == "all" || t.Value == "slim" {
		r.errorf(t.Pos, paramspec.RuleBadName, "%q is no name for %s", t.Value, what).Hint = "a list of tools is called that"
	}
}

const nameHint = "a name is a small letter, then small letters, digits and underscores, 64 characters at most"

func isName(s string) bool { return len(s) <= 64 && paramspec.Matches(s, "") }

// change resolves the names of facts that change. The prover decides whether the lists make sense together.
func (r *resolver) change(in spec.Changes) Change {
	return Change{
		Sets: r.factList(in.Sets), Clears: r.factList(in.Clears),
		MaySet: r.factList(in.MaySet), MayClear: r.factList(in.MayClear), Pos: in.Pos,
	}
}

func (r *resolver) factList(in []spec.Text) []*Fact {
	var out []*Fact
	for _, t := range r.unique(in) {
		if f := r.fact.find(r, t, ruleUnknownFact, "fact"); f != nil {
			out = append(out, f)
		}
	}
	return out
}
