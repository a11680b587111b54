package model

import (
	"cmp"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// MaxFacts is how many facts there may be: the prover enumerates their combinations, a million.
// Should all of them be reachable, that takes seconds and a gigabyte; invariants keep real tool
// sets thousands of times below it.
const MaxFacts = 20

// maxProperties is what one machine word can hold: a property is a bit of what a generated reader
// has seen.
const maxProperties = 64

// Resolve looks up every name of the tree and types every value. All problems come back in one
// list, in the tree's order; when it holds errors the tool set is incomplete and good for nothing
// but further checks that tolerate that. Module is the import path of the module the generated code
// will live in. Linear in the size of the tree.
func Resolve(module string, tree *spec.Tree) (*Toolset, diag.List) {
	r := &resolver{
		set:    &Toolset{Module: module},
		claims: make(map[string]claim),
		idents: make(map[string]claim),
	}
	for _, name := range []string{"Handlers", "Tools", "Prompts", "Resources", "State", "NewState", "TraitsOf", "RoleNamed", "Refused"} {
		r.idents[name] = claim{what: "the generated " + name}
	}
	r.mute(tree.Unread)
	r.initialisms(tree.Initialisms)
	r.capabilities(tree.Capabilities)
	r.facts(tree.Facts)
	r.declareSurfaces(tree.Surfaces)
	r.powers(tree.Powers)
	r.traits(tree.Traits)
	r.invariants(tree.Invariants)
	r.events(tree.Events)
	r.scenarios(tree)
	r.scopes(tree.Scopes)
	r.profiles(tree.Profiles)
	r.providers(tree.Providers)
	r.sharedTypes(tree.Types, typesOfOutputs(tree))
	r.listStyle(tree.List)
	r.outputsUnlisted = tree.ListOutputs.Set() && !tree.ListOutputs.Value
	r.areas(tree.Areas)
	r.checkEntries()
	r.set.Logging = tree.Logging.Value
	r.markUsed()
	r.refusedByAll(tree.Not)
	r.refusals(tree.Refusals)
	r.addressed(tree.AddressedBy, tree.Incomplete)
	r.commandLine(tree)
	r.server(tree.Server)
	r.upstream(tree.Upstream)
	r.set.ListBytes, r.set.DefaultListBytes = tree.ListBytes.Value, tree.DefaultBytes.Value
	misdeclared(r, &r.fact, ruleUnknownFact, "fact", func(f *Fact) diag.Pos { return f.Pos })
	misdeclared(r, &r.capability, ruleUnknownCapability, "capability", func(c *Capability) diag.Pos { return c.Pos })
	misdeclared(r, &r.scope, ruleUnknownScope, "scope", func(s *Scope) diag.Pos { return s.Pos })
	return r.set, r.diags
}

// resolver is one run of Resolve.
type resolver struct {
	set   *Toolset
	diags diag.List

	capability table[Capability]
	fact       table[Fact]
	scope      table[Scope]
	surface    table[Surface]
	power      table[Power]
	role       table[Role]
	types      table[sharedType]
	sharing    []spec.Text      // the shared types that are being resolved, outer ones first
	plain      bool             // of a workflow: types have no constructs beside those of its readers
	roleOf     map[string]*Role // names of parameters that must state a role
	claims     map[string]claim // tool names, current and old
	idents     map[string]claim // identifiers of the generated package
	output     bool             // inside an output, whose members have no roles
	// outputsUnlisted reports that lists leave out the schemas of outputs.
	outputsUnlisted bool
	parameters      bool // the next object holds the parameters of a tool
	muted           bool // inside a tool whose name clashes, and with it everything named after it
}

// mute keeps names unjudged whose section could not be read: the section is reported.
func (r *resolver) mute(sections []string) {
	for name, unread := range map[string]*bool{
		"capabilities": &r.capability.unread, "facts": &r.fact.unread, "scopes": &r.scope.unread, "powers": &r.power.unread, "surfaces": &r.surface.unread, "traits": &r.role.unread,
	} {
		*unread = slices.Contains(sections, name)
	}
}

// claim is who has a name already.
type claim struct {
	what string
	pos  diag.Pos
}

// unknown reports a name that is not in a closed set.
func (r *resolver) unknown(name spec.Text, rule, what string, valid []string) *diag.Diagnostic {
	d := r.diags.Errorf(name.Pos, rule, "unknown %s %q", what, name.Value)
	switch {
	case d.Misspelt(name.Pos, name.Value, valid):
	case len(valid) == 0:
		d.Hint = "there is none to choose from"
	case len(valid) <= 12:
		d.Hint = "valid here: " + strings.Join(valid, ", ")
	}
	return d
}

func (r *resolver) errorf(at diag.Pos, rule, format string, args ...any) *diag.Diagnostic {
	return r.diags.Errorf(at, rule, format, args...)
}

// ident claims an identifier of the generated package and reports whether it was free.
func (r *resolver) ident(name, what string, at diag.Pos) bool {
	return r.muted || r.claimIn(r.idents, name, what, at)
}

// claimIn claims an identifier of one package and reports whether it was free.
func (r *resolver) claimIn(idents map[string]claim, name, what string, at diag.Pos) bool {
	if first, ok := idents[name]; ok {
		d := r.errorf(at, ruleGoNameClash, "%s would be called %s in Go, as is %s", what, name, first.what)
		if !first.pos.IsZero() {
			d.Related = &diag.Related{Pos: first.pos, Message: "first used here"}
		}
		return false
	}
	idents[name] = claim{what, at}
	return true
}

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
		r.errorf(t.Pos, ruleBadName, "%q is no name for %s", t.Value, what).Hint = nameHint
	}
}

// notReserved keeps names apart that snapshots are called by.
func (r *resolver) notReserved(t spec.Text, what string) {
	if t.Value == "all" || t.Value == "slim" {
		r.errorf(t.Pos, ruleBadName, "%q is no name for %s", t.Value, what).Hint = "a list of tools is called that"
	}
}

const nameHint = "a name is a small letter, then small letters, digits and underscores, 64 characters at most"

func isName(s string) bool     { return len(s) <= 64 && matches(s, "") }
func isProperty(s string) bool { return len(s) <= 64 && matches(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") }

// matches reports whether s is [a-z][a-z0-9_]* with the further letters allowed anywhere.
func matches(s, letters string) bool {
	for i, c := range s {
		small := c >= 'a' && c <= 'z' || strings.ContainsRune(letters, c)
		if !small && (i == 0 || (c != '_' && (c < '0' || c > '9'))) {
			return false
		}
	}
	return s != ""
}

func (r *resolver) capabilities(in []spec.Capability) {
	for _, c := range in {
		r.name(c.Name, "a capability")
		r.notEmpty(c.Title, "the title")
		r.notEmpty(c.Description, "the description")
		item := &Capability{Name: c.Name.Value, Title: c.Title.Value, Description: c.Description.Value, OptIn: c.OptIn.Value, Pos: c.Name.Pos}
		if item.OptIn && item.Name == defaultCapability {
			r.errorf(c.OptIn.Pos, ruleOptInCore, "%q is assumed of tools without a capability and cannot be opt-in", item.Name)
		}
		r.capability.add(item.Name, item)
		r.set.Capabilities = append(r.set.Capabilities, item)
	}
}

func (r *resolver) facts(in []spec.Fact) {
	reserved := []string{always, "never", "true", "false"}
	for i, f := range in {
		r.name(f.Name, "a fact")
		if token.IsKeyword(f.Name.Value) || slices.Contains(reserved, f.Name.Value) {
			r.errorf(f.Name.Pos, ruleBadName, "%q is no name for a fact", f.Name.Value).Hint = "predicates read it as something else"
		}
		if i == MaxFacts {
			r.errorf(f.Name.Pos, RuleTooManyFacts, "there are %d facts; %d can be proven", len(in), MaxFacts)
		}
		r.notEmpty(f.Description, "the description")
		item := &Fact{Name: f.Name.Value, Description: f.Description.Value, GoName: "Fact" + r.goName(f.Name.Value), Bit: i, Pos: f.Name.Pos}
		r.ident(item.GoName, "fact \""+item.Name+"\"", f.Name.Pos)
		r.fact.add(item.Name, item)
		r.set.Facts = append(r.set.Facts, item)
	}
}

// invariants reads "a -> b" as "!a || b"; an invariant without an arrow is a plain predicate.
func (r *resolver) invariants(in []spec.Text) {
	for _, t := range in {
		inv := &Invariant{Text: t.Value, Pos: t.Pos}
		if i := strings.Index(t.Value, "->"); i >= 0 {
			left, right := r.predicate(t, 0, t.Value[:i]), r.predicate(t, i+2, t.Value[i+2:])
			if left.Expr != nil && right.Expr != nil {
				inv.Predicate.Expr = OrExpr{NotExpr{left.Expr}, right.Expr}
				inv.Predicate.Text = canonical(inv.Predicate.Expr, 0)
			}
		} else if i := strings.Index(t.Value, "=>"); i >= 0 {
			d := r.errorf(t.At(i, 2), rulePredicate, "%q is not part of a predicate", "=>")
			d.Hint = `write "->"`
			if d.Pos.Len == 2 {
				d.Fix = diag.FixBy("write ->", diag.Replace(d.Pos, "->"))
			}
		} else {
			inv.Predicate = r.predicate(t, 0, t.Value)
		}
		r.set.Invariants = append(r.set.Invariants, inv)
	}
}

func (r *resolver) events(in []spec.Event) {
	name := regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`)
	for _, e := range in {
		if !name.MatchString(e.Name.Value) {
			r.errorf(e.Name.Pos, ruleBadName, "%q is no name for an event", e.Name.Value).Hint = "write source.happening in small letters"
		}
		item := &Event{Name: e.Name.Value, Pos: e.Name.Pos}
		if e.When.Set() {
			item.When = r.predicate(e.When, 0, e.When.Value)
		}
		item.Changes = r.change(e.Changes)
		r.set.Events = append(r.set.Events, item)
	}
}

// change resolves what happens to facts. Whether the lists make sense together is for the prover.
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

func (r *resolver) scenarios(tree *spec.Tree) {
	for _, s := range tree.Scenarios {
		r.name(s.Name, "a scenario")
		r.notReserved(s.Name, "a scenario")
		item := &Scenario{Name: s.Name.Value, Facts: r.factList(s.Facts), Pos: s.Name.Pos}
		r.set.Scenarios = append(r.set.Scenarios, item)
	}
	switch {
	case len(tree.Scenarios) > 0 || slices.Contains(tree.Unread, "scenarios"):
	case len(tree.Facts) == 0: // one state is all there is
		r.set.Scenarios = []*Scenario{{Name: "default", Pos: diag.Pos{File: tree.Root}}}
	default:
		r.errorf(tree.Facts[0].Name.Pos, ruleNoScenario, "there are facts and no scenario").Hint = `write "scenarios: {default: []}"`
	}
}

func (r *resolver) scopes(in []spec.Scope) {
	for _, s := range in {
		r.name(s.Name, "a scope")
		r.notReserved(s.Name, "a scope")
		if s.Status.Set() && s.Status.Value != "frozen" && s.Status.Value != "open" {
			r.unknown(s.Status, ruleUnknownStatus, "status", []string{"frozen", "open"})
		}
		r.since(s.Since, "scope \""+s.Name.Value+"\"")
		item := &Scope{Name: s.Name.Value, Frozen: s.Status.Value == "frozen", Since: s.Since.Value, Pos: s.Name.Pos}
		r.scope.add(item.Name, item)
		r.set.Scopes = append(r.set.Scopes, item)
	}
}

// areas resolves the tools. All names are claimed first, so that an old name clashes with a tool
// further down too.
func (r *resolver) areas(in []spec.Area) {
	duplicates := r.claimNames(in)
	seen := make(map[string]diag.Pos)
	for _, a := range in {
		first, again := seen[a.Name.Value]
		if again {
			d := r.errorf(a.Name.Pos, ruleDuplicateArea, "area %q comes from two files", a.Name.Value)
			d.Hint = "give one of the two files another base name"
			d.Related = &diag.Related{Pos: first, Message: "first here"}
		} else if seen[a.Name.Value] = a.Name.Pos; !isName(a.Name.Value) || token.IsKeyword(a.Name.Value) {
			r.errorf(a.Name.Pos, ruleBadName, "%q is no name for an area", a.Name.Value).Hint = "the area is the file's base name, and a Go package"
		}
		area := &Area{Name: a.Name.Value, GoName: r.goName(a.Name.Value), File: a.File}
		for _, t := range a.Tools {
			if r.muted = duplicates[t]; t.Deferred != nil {
				r.deferral(a, t)
				continue
			}
			area.Tools = append(area.Tools, r.tool(area, t))
		}
		r.entries(area, a)
		if len(area.Tools)+len(area.Prompts)+len(area.Resources) == 0 {
			continue // nothing to implement, hence no interface and no package
		}
		r.muted = again
		r.ident(area.Package(), "area \""+area.Name+"\"", a.Name.Pos)
		slices.SortStableFunc(area.Tools, byName)
		r.set.Areas = append(r.set.Areas, area)
		r.set.Tools = append(r.set.Tools, area.Tools...)
		r.set.Prompts, r.set.Resources = append(r.set.Prompts, area.Prompts...), append(r.set.Resources, area.Resources...)
	}
	slices.SortStableFunc(r.set.Areas, func(a, b *Area) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(r.set.Tools, byName)
	slices.SortStableFunc(r.set.Deferrals, func(a, b *Deferral) int { return cmp.Compare(a.Name, b.Name) })
}

func byName(a, b *Tool) int { return cmp.Compare(a.Name, b.Name) }

// claimNames gives every tool its names, current ones before old ones, and returns the tools whose
// name was taken.
func (r *resolver) claimNames(in []spec.Area) map[*spec.Tool]bool {
	duplicates := make(map[*spec.Tool]bool)
	for _, a := range in {
		for _, t := range a.Tools {
			what := "tool"
			if t.Deferred != nil {
				what = "deferral"
			}
			if !r.claim(t.Name, what, "declared") {
				duplicates[t] = true
			}
		}
	}
	for _, a := range in {
		for _, t := range a.Tools {
			for _, old := range t.Was {
				r.name(old, "a tool")
				r.claim(old, "old name", "used")
			}
		}
	}
	return duplicates
}

func (r *resolver) claim(name spec.Text, what, verb string) bool {
	claimants := map[string]string{"tool": "a tool", "old name": "an old name", "deferral": "a deferral"}
	if first, ok := r.claims[name.Value]; ok {
		rule := ruleDuplicateTool
		if deferral := claimants["deferral"]; (first.what == deferral) != (claimants[what] == deferral) {
			rule = RuleLiveAndDeferred
		}
		d := r.errorf(name.Pos, rule, "%s %q is already %s", what, name.Value, verb)
		d.Hint = "give one of the two another name"
		d.Related = &diag.Related{Pos: first.pos, Message: "first as " + first.what + " here"}
		return false
	}
	r.claims[name.Value] = claim{claimants[what], name.Pos}
	return true
}
