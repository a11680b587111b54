package toolkit

import (
	"cmp"
	"slices"
)

// list fills initial, followed and core. A capability that is asked for by name lists its lowest tier, whatever
// that is, where its tools are visible; a tool that is asked for is listed always.
func (t *table) list(scope string, opt Options, only []int) {
	t.raised = t.raise(scope, opt.ToolsOnly)
	borrowed := t.borrow(opt.ToolsOnly)
	whole := opt.AllTools || opt.Slim
	t.initial.fill(len(t.reg.Tools), func(i int) bool {
		return t.allowed.Has(i) && (whole || t.reg.Tools[i].Tier <= 1 || t.raised.Has(i) || slices.Contains(only, i))
	})
	t.followed.fill(len(t.reg.Tools), func(i int) bool {
		return t.initial.Has(i) && (whole || t.raised.Has(i) || t.reg.Tools[i].Listed == nil && !borrowed.Has(i) || slices.Contains(only, i))
	})
	// Tools of tier 3 are revealed where capabilities are asked for by name: that list is to be short.
	t.added.fill(len(t.reg.Tools), func(i int) bool {
		return t.allowed.Has(i) && !t.raised.Has(i) && (len(opt.ToolsOnly) == 0 || t.reg.Tools[i].Tier < 3)
	})
	t.core.fill(len(t.reg.Tools), func(i int) bool {
		return t.initial.Has(i) && (whole || slices.Contains(only, i) || !t.raised.Has(i) && !borrowed.Has(i) && t.reg.Tools[i].Joins == nil)
	})
}

// raise returns the tools of higher tiers that are listed because their capability is asked for by name: the lowest tier of
// each capability that has none in tier 1. In the order of the names, capabilities are raised as long as the list is no
// longer than the one without flags; the others wait to be revealed.
func (t *table) raise(scope string, capabilities []string) (out Set) {
	var unfiltered, listed Set
	unfiltered.fill(len(t.reg.Tools), func(i int) bool {
		return t.reg.Tools[i].inScope(scope) && t.reg.Tools[i].Tier <= 1 && t.reg.missing(&t.reg.Tools[i], Options{}) == ""
	})
	listed.fill(len(t.reg.Tools), func(i int) bool { return t.allowed.Has(i) && t.reg.Tools[i].Tier <= 1 })
	most := t.reg.length(unfiltered)
	for _, c := range capabilities {
		var of Set
		lowest := t.lowestTier(c)
		of.fill(len(t.reg.Tools), func(i int) bool {
			return lowest > 1 && t.allowed.Has(i) && t.reg.Tools[i].Capability == c && t.reg.Tools[i].Tier == lowest
		})
		if next := listed.Union(of); listed.Len() == 0 || t.reg.length(next) <= most {
			listed, out = next, out.Union(of)
		}
	}
	return out
}

// borrow fills borrowed, and returns the tools in it.
func (t *table) borrow(capabilities []string) (out Set) {
	at := make(map[string]int)
	for i := range t.reg.Tools {
		tool := &t.reg.Tools[i]
		if a := tool.also(capabilities); a != nil && t.allowed.Has(i) && !slices.Contains(capabilities, tool.Capability) {
			t.borrowed, out = addToGroup(t.borrowed, at, i, a.When, a.Holds), out.With(i)
		}
	}
	return out
}

// also returns how a tool belongs to one of the capabilities beside its own, or nil.
func (t *Tool) also(capabilities []string) *Also {
	for i := range t.Also {
		if slices.Contains(capabilities, t.Also[i].Capability) {
			return &t.Also[i]
		}
	}
	return nil
}

// length returns the bytes of the entries of a set in a static list.
func (r *Registry) length(of Set) (n int) {
	for i := range r.Tools {
		if of.Has(i) {
			n += len(cmp.Or(r.Tools[i].StaticDefinition, r.Tools[i].Definition)) + len(",")
		}
	}
	return n
}

// lowestTier returns the lowest tier of a capability's tools; 0 when it has none.
func (t *table) lowestTier(capability string) (lowest int) {
	for i := range t.reg.Tools {
		if tool := &t.reg.Tools[i]; t.allowed.Has(i) && tool.Capability == capability && (lowest == 0 || tool.Tier < lowest) {
			lowest = tool.Tier
		}
	}
	return lowest
}

// neverListed returns the facts that no tool of the table and no event can make true, where a session would see none of
// the tools in any state, and "" where it sees one.
func (t *table) neverListed() string {
	var tools []*Tool
	var wanted Facts
	for i := range t.reg.Tools {
		tool := &t.reg.Tools[i]
		switch {
		case !t.allowed.Has(i):
			continue
		case tool.Visible == nil:
			return ""
		}
		tools = append(tools, tool)
		for _, need := range tool.Needs {
			if need.Want {
				wanted |= need.Fact
			}
		}
	}
	for facts := range t.reg.reachable(0, tools) {
		if slices.ContainsFunc(tools, func(tool *Tool) bool { return tool.Visible(facts) }) {
			return ""
		}
		wanted &^= facts
	}
	return t.reg.factNames(wanted)
}

// keepRevealer serves the tool that reveals others while a tool of tier 2 is allowed and not listed from the start, if the
// options, which are without filters of capabilities, allow it. Tools of tier 3 alone are not worth its place.
func (t *table) keepRevealer(scope string, opt Options, only, except []int) {
	i, ok := t.reg.Lookup(t.reg.Revealer)
	if !ok || !t.reg.Tools[i].inScope(scope) || t.allowed.Has(i) || !t.keepsBack() {
		return
	}
	if t.reg.excludingFlag(&t.reg.Tools[i], opt, i, only, except) == "" {
		t.excludedBy[i] = ""
		t.allowed, t.initial, t.followed, t.core = t.allowed.With(i), t.initial.With(i), t.followed.With(i), t.core.With(i)
	}
}

// keepsBack reports whether a tool below tier 3 is allowed and not listed from the start.
func (t *table) keepsBack() bool {
	for i := range t.reg.Tools {
		if t.allowed.Has(i) && !t.initial.Has(i) && t.reg.Tools[i].Tier < 3 {
			return true
		}
	}
	return false
}
