package prove

import (
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/model"
)

func (p *proof) tooManyFacts(id string) {
	if n := len(p.set.Facts); n > MaxFacts {
		f := p.set.Facts[MaxFacts]
		p.list.Errorf(f.Pos, id, "%q is fact number %d of %d; at most %d can be proven", f.Name, MaxFacts+1, n, MaxFacts)
	}
}

func (p *proof) unsetFact(id string) {
	for _, f := range p.set.Facts {
		if len(p.setters(f)) == 0 {
			p.list.Errorf(f.Pos, id, "no tool and no event sets fact %q", f.Name)
		}
	}
}

func (p *proof) unusedFact(id string) {
	var used State
	for _, s := range steps(p.set) {
		used |= mentioned(s.When().Expr)
	}
	for _, i := range p.set.Invariants {
		used |= mentioned(i.Predicate.Expr)
	}
	for _, f := range p.set.Facts {
		if !used.Has(f) {
			p.list.Errorf(f.Pos, id, "fact %q decides nothing: no predicate, event condition or invariant mentions it", f.Name)
		}
	}
}

func (p *proof) changeConflict(id string) {
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
				p.list.Errorf(s.changePos(), id, "%s %q names fact %q under %s", s.kind(), s.name(), f.Name, joined(w, "and"))
			}
		}
	}
}

func (p *proof) illegalInitialState(id string) {
	for _, i := range broken(p.set, Initial) {
		p.list.Errorf(i.Pos, id, "invariant %q is false in the initial state, where no fact is true", i.Text)
	}
}

func (p *proof) scenarioIllegal(id string) {
	for _, s := range p.set.Scenarios {
		for _, i := range broken(p.set, StateOf(s.Facts)) {
			d := p.list.Errorf(s.Pos, id, "scenario %q, %s, breaks the invariant %q", s.Name, p.place(StateOf(s.Facts)), i.Text)
			d.Related = related(i.Pos, "the invariant")
		}
	}
}

func (p *proof) neverTrue(id string) {
	for _, s := range steps(p.set) {
		if !p.possible(s.When()) {
			p.list.Errorf(s.pos(), id, "the condition of %s %q is false in every legal state: %s",
				s.kind(), s.name(), s.When().Text)
		}
	}
}

func (p *proof) alwaysTrue(id string) {
	for _, s := range steps(p.set) {
		when := s.When()
		if when.Always() || p.somewhere(func(s State) bool { return !holds(when, s) }) {
			continue
		}
		d := p.list.Errorf(s.pos(), id, "the condition of %s %q is true in every legal state: %s", s.kind(), s.name(), when.Text)
		d.Hint = "write always"
	}
}

// possible reports whether the predicate is true in any legal state.
func (p *proof) possible(when model.Predicate) bool {
	return p.somewhere(func(s State) bool { return holds(when, s) })
}

// somewhere reports whether ok accepts any legal state.
func (p *proof) somewhere(ok func(State) bool) bool {
	for s, legal := range p.space.legal {
		if legal && ok(State(s)) {
			return true
		}
	}
	return false
}

// setters lists the steps that set a fact or may set it. Those that leave it either way only change the subject.
func (p *proof) setters(f *model.Fact) []Step {
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
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = strconv.Quote(s.name())
	}
	return joined(names, "and")
}
