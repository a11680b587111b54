package toolkit

import (
	"fmt"
	"slices"
	"strings"
)

// Scenario is a named set of facts.
type Scenario struct {
	Name  string
	Facts Facts
}

// Scenario finds a scenario's facts by its name; the error names the nearest one.
func (r *Registry) Scenario(name string) (Facts, error) {
	var names []string
	for _, s := range r.Scenarios {
		if s.Name == name {
			return s.Facts, nil
		}
		names = append(names, s.Name)
	}
	return 0, fmt.Errorf("unknown scenario %q%s; known: %s", name, didYouMean(name, names), strings.Join(names, ", "))
}

// Row is one tool of the scope as a client of the surface meets it in a state.
type Row struct {
	Tool   *Tool
	Bytes  int // of its definition in a list
	Listed bool
	Reason string // it is not listed, or a call of it is refused; "" otherwise
	Cause  Cause  // of Reason
	Path   []Step // to a state where the facts that it needs hold, as a refusal advises; nil when that is not the cause
}

// Cause is the kind of reason for which a tool is not listed.
type Cause string

// The causes, in the order in which Rows looks at them.
const (
	CauseFlag   Cause = "flag"   // the command line excludes it
	CauseFacts  Cause = "facts"  // its predicate does not hold
	CauseListed Cause = "listed" // its condition on being listed does not hold
	CauseTier   Cause = "tier"   // it waits to be revealed
)

// Rows explains the surface in a state: every tool of the scope, whether it is listed, and if not,
// why. The flag that excludes a tool comes before the facts it needs, and those before its tier,
// because that is the order in which they could be changed.
func (s *Surface) Rows(facts Facts) []Row {
	var rows []Row
	table := s.table()
	for i := range table.reg.Tools {
		t := &table.reg.Tools[i]
		if !t.inScope(s.scope) {
			continue
		}
		row := Row{Tool: t, Bytes: len(s.definition(i))}
		if table.lists != Follow {
			row.Bytes = len(s.staticDefinition(i))
		}
		switch {
		case table.excludedBy[i] != "":
			row.Reason, row.Bytes, row.Cause = "excluded by "+table.excludedBy[i], len(t.Definition), CauseFlag
			if strings.HasPrefix(table.excludedBy[i], missingFlag) {
				row.Reason = "excluded " + table.excludedBy[i]
			}
		case t.Visible != nil && !t.Visible(facts):
			row.Reason, row.Cause, row.Path = "needs "+t.Requires, CauseFacts, s.via(t.Requires, facts)
			row.Listed = table.lists != Follow && table.listedIn(i, facts)
		case table.listedIn(i, facts):
			row.Listed = true
		case table.condition(i) != "":
			row.Reason, row.Cause = "listed when "+table.condition(i)+", or once it is revealed", CauseListed
		default:
			row.Reason, row.Cause = fmt.Sprintf("tier %d: until it is revealed", t.Tier), CauseTier
		}
		rows = append(rows, row)
	}
	return rows
}

// condition is the text of the condition on which the list of a session that it can change has the tool; "" when there is none.
func (t *table) condition(i int) string {
	switch {
	case !t.added.Has(i):
		return ""
	case t.lists == Core:
		return t.reg.Tools[i].Joining
	}
	return t.reg.Tools[i].Listing
}

// listedIn reports whether the list of a session has the tool, where it is visible, before anything is revealed.
func (t *table) listedIn(i int, facts Facts) (listed bool) {
	tool := &t.reg.Tools[i]
	switch t.lists {
	case Static:
		return t.initial.Has(i)
	case Core:
		listed = t.core.Has(i) || t.raised.Has(i) || t.added.Has(i) && tool.Joins != nil && tool.Joins(facts)
	default:
		listed = t.followed.Has(i) || t.added.Has(i) && tool.Listed != nil && tool.Listed(facts)
	}
	return listed || slices.ContainsFunc(t.borrowed, func(g group) bool { return g.tools.Has(i) && g.holds(facts) })
}

// Advice is how to get from a state to one where a predicate holds, for all tools that share it.
// The compiler computes it, so that a refusal advises only what is proven to help.
type Advice struct {
	Requires string // the predicate, as in Tool.Requires
	Mask     Facts  // the facts the advice depends on
	Ways     []Way
}

// Way is the shortest way from the states that agree with Facts on the mask.
type Way struct {
	Facts Facts
	Steps []Step
}

// Step is a tool to call, or an event, which cannot be called, only awaited.
type Step struct{ Tool, Event string }

// via finds the way to a predicate from a state. It is nil when there is none, or none that this
// surface allows: part of a way is no advice.
func (s *Surface) via(requires string, facts Facts) []Step {
	for _, a := range s.table().reg.Advice {
		if a.Requires != requires {
			continue
		}
		for _, w := range a.Ways {
			if w.Facts == facts&a.Mask && s.allows(w.Steps) {
				return w.Steps
			}
		}
	}
	return nil
}

// PathTo returns the compiler's shortest path from the beginning of a session to a state where a predicate
// of tools holds: of the predicates that hold under facts, and not at the beginning, one that holds in the
// fewest scenarios, and of these the farthest. requires is "" when there is none. isOpen is false when the
// surface does not serve a tool on the path.
func (s *Surface) PathTo(facts Facts) (requires string, path []Step, isOpen bool) {
	reg := s.table().reg
	fewest := 0
	for _, a := range reg.Advice {
		holds := reg.predicate(a.Requires)
		if holds == nil || !holds(facts) || holds(0) {
			continue
		}
		scenarios := 0
		for _, sc := range reg.Scenarios {
			if holds(sc.Facts) {
				scenarios++
			}
		}
		for _, w := range a.Ways {
			if w.Facts == 0 && (path == nil || scenarios < fewest || scenarios == fewest && len(w.Steps) > len(path)) {
				requires, path, fewest = a.Requires, w.Steps, scenarios
			}
		}
	}
	return requires, path, s.allows(path)
}

// predicate returns the predicate with a text, nil when no tool has it.
func (r *Registry) predicate(text string) func(Facts) bool {
	for i := range r.Tools {
		if r.Tools[i].Requires == text {
			return r.Tools[i].Visible
		}
	}
	return nil
}

func (s *Surface) allows(steps []Step) bool {
	return !slices.ContainsFunc(steps, func(step Step) bool { return step.Tool != "" && !s.Allows(step.Tool) })
}

// advise says the way in words, and gives the tools on it.
func advise(steps []Step) (text string, tools []string) {
	var b strings.Builder
	for i, step := range steps {
		switch {
		case i > 0:
			b.WriteString(", then ")
		case step.Tool != "":
			b.WriteString("; ")
		default:
			b.WriteString("; it can be called after you ")
		}
		if step.Tool != "" {
			fmt.Fprintf(&b, "call %s", step.Tool)
			tools = append(tools, step.Tool)
		} else {
			fmt.Fprintf(&b, "wait for %s", step.Event)
		}
	}
	return b.String(), tools
}
