package prove

import (
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
)

func (p *Proof) tooManyFacts(report diag.Report) {
	if n := len(p.set.Facts); n > MaxFacts {
		f := p.set.Facts[MaxFacts]
		report(f.Pos, "%q is fact number %d of %d; at most %d can be proven", f.Name, MaxFacts+1, n, MaxFacts)
	}
}

func (p *Proof) unsetFact(report diag.Report) {
	for _, f := range p.set.Facts {
		if len(p.setters(f)) == 0 && p.usedFacts().Has(f) {
			d := report(f.Pos, "no tool and no event sets fact %q", f.Name)
			d.Hint = "let one set it, or delete it"
			if p.stage() != walked {
				continue
			}
			if hidden := hides(p.hiddenFor(bit(f)), nil); hidden != "" {
				d.Hint = "let one set it; " + hidden
			}
		}
	}
}

// usedFacts gives the facts that decide something.
func (p *Proof) usedFacts() State {
	var used State
	for _, s := range steps(p.set) {
		used |= mentioned(s.When().Expr)
		if s.Tool != nil && s.Tool.Listed != nil {
			used |= mentioned(s.Tool.Listed.Expr)
		}
		if s.Tool != nil && s.Tool.Joins != nil {
			used |= mentioned(s.Tool.Joins.Expr)
		}
	}
	for _, x := range conditional(p.set) {
		used |= mentioned(model.EntryOf(x).Visible.Expr)
	}
	for _, i := range p.set.Invariants {
		used |= mentioned(i.Predicate.Expr)
	}
	return used
}

func (p *Proof) unusedFact(report diag.Report) {
	used := p.usedFacts()
	for _, f := range p.set.Facts {
		if !used.Has(f) {
			report(f.Pos, "fact %q decides nothing: no predicate, event condition or invariant mentions it", f.Name).Hint = "delete it, or use it"
		}
	}
}

func (p *Proof) changeConflict(report diag.Report) {
	for _, s := range steps(p.set) {
		c := s.Changes()
		words := map[*model.Fact][]string{}
		for _, l := range []struct {
			word  string
			facts []*model.Fact
		}{{"sets", c.Sets}, {"clears", c.Clears}, {"may_set", c.MaySet}, {"may_clear", c.MayClear}} {
			for _, f := range l.facts {
				words[f] = append(words[f], l.word)
			}
		}
		for _, f := range p.set.Facts {
			if w := words[f]; len(w) > 1 && !slices.Equal(w, []string{"may_set", "may_clear"}) {
				report(s.changePos(), "%s %q names fact %q under %s", s.kind(), s.name(), f.Name, joined(w, "and")).Hint =
					"keep one of them; a fact that may become either is under may_set and may_clear"
			}
		}
	}
}

func (p *Proof) illegalInitialState(report diag.Report) {
	for _, i := range broken(p.set, Initial) {
		report(i.Pos, "invariant %q is false in the initial state, where no fact is true", i.Text).Hint = "write it so that it holds before anything has happened"
	}
}

func (p *Proof) scenarioIllegal(report diag.Report) {
	for _, s := range p.set.Scenarios {
		for _, i := range broken(p.set, StateOf(s.Facts)) {
			if !holds(i.Predicate, Initial) {
				continue // reported as false from the beginning
			}
			d := report(s.Pos, "scenario %q, %s, breaks the invariant %q", s.Name, p.describe(StateOf(s.Facts)), i.Text)
			d.Hint, d.Related = "add the facts that the invariant demands, or take out those that demand them", related(i.Pos, "the invariant")
		}
	}
}

func (p *Proof) neverTrue(report diag.Report) {
	for _, s := range steps(p.set) {
		if !p.space.isPossible(s.When()) {
			d := report(s.pos(), "the condition of %s %q is false in every legal state: %s", s.kind(), s.name(), s.When().Text)
			d.Hint, d.Cause = "write a condition that the invariants allow", s.When().Text
		}
	}
	p.entryNeverTrue(report)
}

func (p *Proof) alwaysTrue(report diag.Report) {
	for _, s := range steps(p.set) {
		when := s.When()
		if when.Always() || p.space.holdsSomewhere(func(s State) bool { return !holds(when, s) }) {
			continue
		}
		d := report(s.pos(), "the condition of %s %q is true in every legal state: %s", s.kind(), s.name(), when.Text)
		d.Hint, d.Cause = "write always", when.Text
	}
	p.entryAlwaysTrue(report)
}

// setters lists the steps that set a fact or may set it. Those that leave it either way only change
// the subject.
func (p *Proof) setters(f *model.Fact) []Step {
	return slices.DeleteFunc(steps(p.set), func(s Step) bool {
		e := effectOf(s.Changes())
		return !(e.sets | e.maySet&^e.mayClear).Has(f)
	})
}

// mentioned gives the facts an expression is about.
func mentioned(e model.Expr) State {
	switch e := e.(type) {
	case model.FactExpr:
		return bit(e.Fact)
	case model.NotExpr:
		return mentioned(e.X)
	case model.AndExpr:
		return mentioned(e.X) | mentioned(e.Y)
	case model.OrExpr:
		return mentioned(e.X) | mentioned(e.Y)
	}
	return 0
}

// joined writes an enumeration: "a", "a and b", "a, b and c".
func joined(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// quoted is joined over quoted names.
func quoted(steps []Step) string {
	names := slicesx.List(steps, func(s Step) string { return strconv.Quote(s.name()) })
	return joined(names, "and")
}
