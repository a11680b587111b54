package compile

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/internal/site/compiled"
	"github.com/callsheet/callsheet/internal/site/source"
)

// defaultTimeout bounds a call of a tool that names no time.
const defaultTimeout = 2 * time.Minute

// treeOf returns the manifest that a site stands for. Everything in it has the place of the source that it
// comes from.
func treeOf(s *source.Site, frozen bool) *spec.Tree {
	tree := *s.Tree
	at := cmp.Or(s.Name.Pos, diag.Pos{File: tree.Root, Line: 1, Col: 1})
	text := func(value string) spec.Text { return spec.Text{Value: value, Pos: at} }
	if len(tree.Capabilities) == 0 {
		tree.Capabilities = []spec.Capability{{Name: text(compiled.Scope), Title: text(cmp.Or(s.Title.Value, s.Name.Value, compiled.Scope)),
			Description: text(cmp.Or(s.Description.Value, "What the site offers."))}}
	}
	if len(tree.Scopes) == 0 {
		status := "open"
		if frozen {
			status = "frozen"
		}
		tree.Scopes = []spec.Scope{{Name: text(compiled.Scope), Status: text(status), Since: text("1")}}
	}
	for _, f := range s.Facts {
		tree.Facts = append(tree.Facts, factOf(f))
		tree.Events = append(tree.Events, eventsOf(f, dependents(f.Name.Value, tree.Invariants))...)
	}
	if len(s.Facts) > 0 && len(tree.Scenarios) == 0 {
		tree.Scenarios = []spec.Scenario{{Name: text("default")}} // where a session begins
	}
	area := spec.Area{Name: text(cmp.Or(s.Name.Value, compiled.Scope)), File: tree.Root}
	for _, t := range s.Tools {
		area.Tools = append(area.Tools, entryOf(t, &tree))
	}
	tree.Areas = []spec.Area{area}
	return &tree
}

func factOf(f *source.Fact) spec.Fact {
	out := spec.Fact{Name: f.Name, Description: f.Description}
	if !out.Description.Set() {
		out.Description = spec.Text{Value: "The page shows " + strings.ReplaceAll(f.Name.Value, "_", " ") + ".", Pos: f.Name.Pos}
	}
	return out
}

// dependents lists the facts that cannot hold without a fact, by invariants of the form "cart_filled ->
// logged_in": where the page shows that the fact has ended, they have ended too.
func dependents(fact string, invariants []spec.Text) []string {
	out := []string{fact}
	for i := 0; i < len(out); i++ {
		for _, in := range invariants {
			left, right, ok := strings.Cut(in.Value, "->")
			left = strings.TrimSpace(left)
			if !ok || strings.ContainsAny(left, "!&|( ") || strings.ContainsAny(right, "!|(") || slices.Contains(out, left) {
				continue
			}
			if slices.Contains(strings.Fields(strings.ReplaceAll(right, "&&", " ")), out[i]) {
				out = append(out, left)
			}
		}
	}
	return out[1:]
}

// eventsOf returns the changes of a fact that the page causes without a call. Facts that depend on it end
// with it.
func eventsOf(f *source.Fact, dependents []string) []spec.Event {
	at := cmp.Or(f.EventPos, f.Name.Pos)
	text := func(value string) spec.Text { return spec.Text{Value: value, Pos: at} }
	fact := []spec.Text{text(f.Name.Value)}
	ended := slices.Clone(fact)
	for _, name := range dependents {
		ended = append(ended, text(name))
	}
	var out []spec.Event
	if f.Event == source.EventBoth || f.Event == source.EventSet {
		out = append(out, spec.Event{Name: text("page." + f.Name.Value + "_appears"), When: text("!" + f.Name.Value), Changes: spec.Changes{Pos: at, Sets: fact}})
	}
	if f.Event == source.EventBoth || f.Event == source.EventClear {
		out = append(out, spec.Event{Name: text("page." + f.Name.Value + "_disappears"), When: text(f.Name.Value), Changes: spec.Changes{Pos: at, Clears: ended}})
	}
	return out
}

// entryOf returns the entry of a tool with what a site leaves out.
func entryOf(t *source.Tool, tree *spec.Tree) *spec.Tool {
	e := *t.Entry
	at := e.Name.Pos
	text := func(value string) spec.Text { return spec.Text{Value: value, Pos: at} }
	if !e.Title.Set() {
		words := strings.ReplaceAll(e.Name.Value, "_", " ")
		e.Title = text(strings.ToUpper(words[:1]) + words[1:])
	}
	if !e.Visible.Set() {
		e.Visible = text("always")
	}
	if !e.Capability.Set() {
		e.Capability = tree.Capabilities[0].Name
		e.Capability.Pos = at
	}
	if len(e.Scopes) == 0 {
		e.Scopes = []spec.Text{text(tree.Scopes[0].Name.Value)}
	}
	if e.Input == nil {
		e.Input = &spec.Object{Pos: at}
	}
	e.Effects = effectsOf(t, at)
	if !e.Budget.TimeoutMS.Set() {
		e.Budget.TimeoutMS = spec.Scalar[int]{Value: int(cmp.Or(t.Timeout, defaultTimeout).Milliseconds()), Pos: at}
	}
	return &e
}

// effectsOf fills in the effects that a tool does not write: one that only opens an address and reads
// changes nothing, any other may.
func effectsOf(t *source.Tool, at diag.Pos) spec.Effects {
	e := t.Entry.Effects
	set := func(dst *spec.Scalar[bool], name string, value bool) {
		if !dst.Set() {
			*dst = spec.Scalar[bool]{Value: value, Pos: at}
			e.Keys = append(slices.Clip(e.Keys), spec.Text{Value: name, Pos: at})
		}
	}
	if e.Pos.IsZero() {
		e.Pos = at
	}
	set(&e.ReadOnly, "read_only", t.Reads())
	set(&e.Destructive, "destructive", !e.ReadOnly.Value)
	set(&e.Idempotent, "idempotent", e.ReadOnly.Value)
	set(&e.OpenWorld, "open_world", true)
	return e
}
