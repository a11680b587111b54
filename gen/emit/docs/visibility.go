package docs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/emit/snapshot"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/prove"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// visibilityData is the data of the template of VISIBILITY.md.
type visibilityData struct {
	Facts  []*model.Fact
	Events []*model.Event
	States []stateData
	Edges  []edge // of the diagram; none when it would be a tangle
	Scopes []matrix
}

// maxDrawn is how many states a diagram has at most; with more its edges cannot be followed.
const maxDrawn = 16

// stateData is one reachable state.
type stateData struct {
	ID       string // in the diagram, where some names mean something else
	Name     string // the scenario's where there is one, else a number
	Snapshot string // of the scenario's list with every tier, or ""
	Facts    []string
	Way      string // the shortest one from the initial state
	bits     prove.State
}

// edge is one arrow of the diagram.
type edge struct{ From, To, Label string }

// matrix is the table of one scope: a column for each state, a row for each tool of the scope.
type matrix struct {
	Scope  *model.Scope
	States []stateData
	Rows   []visibilityRow
	Listed []size // tier 1
	All    []size // every tier
}

type size struct{ Tools, Bytes int }

type visibilityRow struct {
	Tool  *model.Tool
	When  string
	Marks []string
}

// The marks of the matrix. They differ in shape, so that they can be told apart without colour.
const (
	listed     = "●"
	revealable = "○"
	hidden     = "·"
)

func visibilityPage(ts *model.Toolset) visibilityData {
	space := prove.Walk(ts)
	page := visibilityData{Facts: ts.Facts, Events: ts.Events}
	for _, s := range space.States() {
		d := stateData{
			ID: fmt.Sprintf("s%d", len(page.States)), Name: fmt.Sprintf("state_%d", len(page.States)),
			Facts: s.Names(ts.Facts), Way: space.Witness(s).String(), bits: s,
		}
		d.named(ts.Scenarios)
		page.States = append(page.States, d)
	}
	if n := len(page.States); n > 1 && n <= maxDrawn {
		page.Edges = edges(space, page.States)
	}
	for _, s := range ts.Scopes {
		page.Scopes = append(page.Scopes, newMatrix(s, ts.Tools, page.States))
	}
	return page
}

// named gives the state the name of the first scenario that is about it.
func (d *stateData) named(scenarios []*model.Scenario) {
	for _, sc := range scenarios {
		if prove.StateOf(sc.Facts) == d.bits {
			l := snapshot.List{Name: "all." + sc.Name}
			d.Name, d.Snapshot = sc.Name, l.Path()
			return
		}
	}
}

// edges merges what leads from one state to another into one arrow.
func edges(space *prove.Space, states []stateData) []edge {
	ids := make(map[prove.State]string, len(states))
	for _, s := range states {
		ids[s.bits] = s.ID
	}
	var out []edge
	for _, t := range space.Transitions() {
		out = append(out, edge{From: ids[t.From], To: ids[t.To], Label: label(t.Steps)})
	}
	return out
}

// maxNamed is how many steps an arrow names before it counts the rest.
const maxNamed = 3

// label names steps; events, which cannot be called, stand in brackets.
func label(steps []prove.Step) string {
	names := slicesx.Map(steps, func(s prove.Step) string { return s.String() })
	if rest := len(names) - maxNamed; rest > 1 {
		names = append(names[:maxNamed], fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(names, ", ")
}

// newMatrix measures lists as the snapshots hold them: in brackets, with commas between the
// entries.
func newMatrix(scope *model.Scope, tools []*model.Tool, states []stateData) matrix {
	empty := size{Bytes: len("[]")}
	m := matrix{Scope: scope, States: states, Listed: slices.Repeat([]size{empty}, len(states))}
	m.All = slices.Clone(m.Listed)
	for _, t := range tools {
		if !slices.Contains(t.Scopes, scope) {
			continue
		}
		r, bytes := visibilityRow{Tool: t, When: when(t, tableCode)}, len(schema.Definition(t))
		for i, s := range states {
			r.Marks = append(r.Marks, mark(t, s.bits))
			if !t.Visible.Holds(uint64(s.bits)) {
				continue
			}
			m.All[i].add(bytes)
			if t.ListedIn(uint64(s.bits)) {
				m.Listed[i].add(bytes)
			}
		}
		m.Rows = append(m.Rows, r)
	}
	return m
}

func (s *size) add(bytes int) {
	if s.Tools > 0 {
		s.Bytes += len(",")
	}
	s.Tools++
	s.Bytes += bytes
}

func mark(t *model.Tool, s prove.State) string {
	switch {
	case !t.Visible.Holds(uint64(s)):
		return hidden
	case t.ListedIn(uint64(s)):
		return listed
	default:
		return revealable
	}
}
