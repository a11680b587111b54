package model

import (
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
)

// vocabulary resolves the sections of the root file that declare names for tools to use.
type vocabulary struct{ *resolver }

// declare resolves the sections so that each comes after those that it refers to.
func (r vocabulary) declare(tree *spec.Tree) {
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
}

func (r vocabulary) capabilities(in []spec.Capability) {
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

func (r vocabulary) facts(in []spec.Fact) {
	reserved := []string{always, "never", "true", "false"}
	for i, f := range in {
		r.name(f.Name, "a fact")
		if token.IsKeyword(f.Name.Value) || slices.Contains(reserved, f.Name.Value) {
			r.errorf(f.Name.Pos, paramspec.RuleBadName, "%q is no name for a fact", f.Name.Value).Hint = "predicates read it as something else"
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
func (r vocabulary) invariants(in []spec.Text) {
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

func (r vocabulary) events(in []spec.Event) {
	name := regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`)
	for _, e := range in {
		if !name.MatchString(e.Name.Value) {
			r.errorf(e.Name.Pos, paramspec.RuleBadName, "%q is no name for an event", e.Name.Value).Hint = "write source.happening in small letters"
		}
		item := &Event{Name: e.Name.Value, Pos: e.Name.Pos}
		if e.When.Set() {
			item.When = r.predicate(e.When, 0, e.When.Value)
		}
		item.Changes = r.change(e.Changes)
		r.set.Events = append(r.set.Events, item)
	}
}

func (r vocabulary) scenarios(tree *spec.Tree) {
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

func (r vocabulary) scopes(in []spec.Scope) {
	for _, s := range in {
		r.name(s.Name, "a scope")
		r.notReserved(s.Name, "a scope")
		if s.Status.Set() && s.Status.Value != "frozen" && s.Status.Value != "open" {
			r.unknown(s.Status, ruleUnknownStatus, "status", []string{"frozen", "open"})
		}
		r.since(s.Since, "scope \""+s.Name.Value+"\"")
		item := &Scope{Name: s.Name.Value, Frozen: s.Status.Value == "frozen", Since: s.Since.Value, Records: s.Records.Value, Pos: s.Name.Pos}
		r.scope.add(item.Name, item)
		r.set.Scopes = append(r.set.Scopes, item)
	}
}
