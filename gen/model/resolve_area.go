package model

import (
	"cmp"
	"go/token"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
)

// areaResolver resolves the manifest files: the tools, deferrals, prompts and resources of each area.
type areaResolver struct {
	*resolver
	tools   toolResolver
	entries entryResolver
}

// areas resolves the tools. All names are claimed first, so that an old name clashes with a tool
// further down too.
func (r areaResolver) areas(in []spec.Area) {
	duplicates := r.claimNames(in)
	seen := make(map[string]diag.Pos)
	for _, a := range in {
		first, again := seen[a.Name.Value]
		if again {
			d := r.errorf(a.Name.Pos, ruleDuplicateArea, "area %q comes from two files", a.Name.Value)
			d.Hint = "give one of the two files another base name"
			d.Related = &diag.Related{Pos: first, Message: "first here"}
		} else if seen[a.Name.Value] = a.Name.Pos; !isName(a.Name.Value) || token.IsKeyword(a.Name.Value) {
			r.errorf(a.Name.Pos, paramspec.RuleBadName, "%q is no name for an area", a.Name.Value).Hint = "the area is the file's base name, and a Go package"
		}
		area := &Area{Name: a.Name.Value, GoName: r.goName(a.Name.Value), File: a.File}
		for _, t := range a.Tools {
			if r.muted = duplicates[t]; t.Deferred != nil {
				r.deferral(a, t)
				continue
			}
			area.Tools = append(area.Tools, r.tools.tool(area, t))
		}
		r.entries.entries(area, a)
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
func (r areaResolver) claimNames(in []spec.Area) map[*spec.Tool]bool {
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

func (r areaResolver) claim(name spec.Text, what, verb string) bool {
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
