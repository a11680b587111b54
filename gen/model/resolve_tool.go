package model

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// What a tool has when its entry is silent.
const (
	defaultTier        = 1
	maxTier            = 3
	defaultCapability  = "core"
	defaultResultBytes = 25000
	defaultTimeoutMS   = 30000
)

// toolResolver resolves live tools.
type toolResolver struct {
	*resolver
	types           *paramspec.Resolver
	outputsUnlisted bool // lists leave out the schemas of outputs
}

func (r toolResolver) tool(area *Area, in *spec.Tool) *Tool {
	name := in.Name.Value
	t := &Tool{
		Name: name, Title: in.Title.Value, GoName: r.goName(name), Description: in.Description.Value,
		Area: area, Pos: in.Name.Pos, At: positions(in), List: r.set.List,
		ResultBytes: r.positive(in.Budget.ResultBytes, "result_bytes", defaultResultBytes),
		TimeoutMS:   r.positive(in.Budget.TimeoutMS, "timeout_ms", defaultTimeoutMS),
	}
	r.forward(in, t)
	r.name(in.Name, "a tool")
	r.notEmpty(in.Title, "the title")
	if !r.ident("Tool"+t.GoName, "tool \""+name+"\"", t.Pos) {
		r.muted = true
	}
	t.Capability, t.Tagged, t.CapabilityPos = r.taggedWith(in.Capability, in.Name, "tool")
	t.Scopes = r.scopeList(in.Scopes)
	t.Tier = r.tier(in.Tier)
	t.Effects = r.effects(in)
	if in.Visible.Set() {
		t.Visible = r.predicate(in.Visible, 0, in.Visible.Value)
	}
	t.Listed, t.Joins = r.listing(in.Listed), r.listing(in.Joins)
	for _, a := range in.Also {
		if c := r.capability.find(r.resolver, a.Capability, ruleUnknownCapability, "capability"); c != nil {
			t.Also = append(t.Also, Also{c, r.predicate(a.When, 0, a.When.Value)})
		}
	}
	t.Changes = r.change(in.Changes)
	t.Surfaces = r.surfaces(in.Surfaces)
	t.Traits = r.toolTraits(in)
	r.input(in, t)
	if in.Output != nil {
		t.Output = r.types.Output(in.Output, t.GoName+"Result", "the output of \""+name+"\"")
		t.OutputUnlisted = r.outputsUnlisted
	}
	r.toolPowers(in, t)
	t.Requirements = r.requirements(in.Require, t.Input)
	t.Slim = r.slim(in.Slim, t)
	r.toolAsks(in, t)
	r.builtin(in, t)
	for _, old := range in.Was {
		t.Was = append(t.Was, old.Value)
	}
	return t
}

// listing resolves a predicate that an entry may leave out.
func (r *resolver) listing(in spec.Text) *Predicate {
	if !in.Set() {
		return nil
	}
	p := r.predicate(in, 0, in.Value)
	return &p
}

func (r *resolver) scopeList(in []spec.Text) []*Scope {
	var out []*Scope
	for _, s := range r.unique(in) {
		if scope := r.scope.find(r, s, ruleUnknownScope, "scope"); scope != nil {
			out = append(out, scope)
		}
	}
	return out
}

// input resolves the parameters.
func (r toolResolver) input(in *spec.Tool, t *Tool) {
	if in.Input == nil && t.Forward != nil {
		in.Input = new(spec.Object) // its parameters are not known by name
	}
	t.Input = r.types.Parameters(in.Input, t.GoName+"Params", t.GoName, "the input of \""+t.Name+"\"")
	r.types.Forms(in.Input, in.Not, t.Input)
}

// positions finds where the entry says what clients are promised.
func positions(in *spec.Tool) Positions {
	or := func(at diag.Pos) diag.Pos {
		if at.IsZero() {
			return in.Name.Pos
		}
		return at
	}
	out := Positions{
		Tier: or(in.Tier.Pos), Visible: or(in.Visible.Pos), Listed: or(in.Listed.Pos), Joins: or(in.Joins.Pos), Surfaces: in.Name.Pos,
		Powers: or(in.PowersPos), Traits: or(in.Traits.Pos), Description: or(in.Description.Pos),
	}
	if len(in.Surfaces) > 0 {
		out.Surfaces = in.Surfaces[0].Pos
	}
	return out
}

// taggedWith finds the capability of a tool, a prompt or a resource, and says where it is written. What
// has none is core for now: the manifest stays usable while someone decides, and the warning and the
// release gate see to it that someone does.
func (r *resolver) taggedWith(in, name spec.Text, what string) (c *Capability, tagged bool, at diag.Pos) {
	if in.Set() {
		return r.capability.find(r, in, ruleUnknownCapability, "capability"), true, in.Pos
	}
	if c = r.capability.items[defaultCapability]; c == nil && r.capability.unread {
		return nil, false, name.Pos
	} else if c == nil {
		r.errorf(name.Pos, ruleUnknownCapability, "%s %q has no capability, and none is called %q to assume", what, name.Value, defaultCapability)
		return nil, false, name.Pos
	}
	r.diags.Warnf(name.Pos, RuleUntaggedTool, "%s %q has no capability; %q is assumed", what, name.Value, defaultCapability)
	return c, false, name.Pos
}

func (r toolResolver) tier(in spec.Scalar[int]) int {
	if !in.Set() {
		return defaultTier
	}
	if in.Value < 1 || in.Value > maxTier {
		r.errorf(in.Pos, ruleBadTier, "tier %d is not one of 1, 2, 3", in.Value).Hint = "1 is listed by default, 2 and 3 once a call reveals them"
	}
	return in.Value
}

func (r *resolver) positive(in spec.Scalar[int], what string, otherwise int) int {
	if !in.Set() {
		return otherwise
	}
	if in.Value < 1 {
		r.errorf(in.Pos, ruleBadBudget, "%s must be at least 1", what).Hint = "leave it out for no limit of its own"
	}
	return in.Value
}

func (r toolResolver) effects(in *spec.Tool) Effects {
	var missing []string
	for _, name := range []string{"read_only", "destructive", "idempotent", "open_world"} {
		if !yamltree.HasKey(in.Effects.Keys, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		at := in.Effects.Pos
		if at.IsZero() {
			at = in.Name.Pos
		}
		how := "add " + strings.Join(missing, ": …, ") + ": …"
		if in.Effects.Pos.IsZero() {
			how = "add effects: {" + strings.Join(missing, ": …, ") + ": …}"
		}
		r.errorf(at, ruleMissingEffect, "tool %q does not say whether it is %s", in.Name.Value, strings.Join(missing, ", ")).Hint = how + ", each true or false"
	}
	e := in.Effects
	if e.ReadOnly.Value && e.Destructive.Value {
		d := r.errorf(e.Destructive.Pos, ruleEffectContradiction, "tool %q cannot be both read-only and destructive", in.Name.Value)
		d.Hint = "what destroys something does not only read: write read_only: false"
		d.Related = &diag.Related{Pos: e.ReadOnly.Pos, Message: "read_only is true here"}
	}
	return Effects{ReadOnly: e.ReadOnly.Value, Destructive: e.Destructive.Value, Idempotent: e.Idempotent.Value, OpenWorld: e.OpenWorld.Value}
}

func (r *resolver) surfaces(in []spec.Text) []string {
	var out []string
	for _, s := range r.unique(in) {
		r.surface.find(r, s, ruleUnknownSurface, "surface")
		out = append(out, s.Value)
	}
	slices.Sort(out)
	return out
}

func (r toolResolver) slim(in *spec.Slim, t *Tool) *Slim {
	if in == nil {
		return nil
	}
	r.notEmpty(in.Description, "the slim description")
	s := &Slim{Description: in.Description.Value, Pos: in.Pos}
	for _, name := range r.unique(in.Input) {
		p := r.property(t.Input, name)
		if p == nil {
			continue
		}
		if s.Properties = append(s.Properties, p); p.Unlisted {
			r.errorf(name.Pos, paramspec.RuleUnlistedRequired, "%q is not listed, and the slim form lists it", p.Name)
		}
	}
	for _, p := range t.Input.Properties {
		if p.Required && !slices.Contains(s.Properties, p) {
			r.errorf(in.Pos, ruleSlimRequired, "the slim form of %q leaves out %q, which every call needs", t.Name, p.Name).Hint =
				"add it to input of slim"
		}
	}
	return s
}

// addressed finds the property by which calls name their connection. It must be a string wherever
// it occurs, because the guard reads it before the call's arguments are decoded. Of a set that is
// incomplete, any tool that is missing may take it.
func (r settings) addressed(name spec.Text, incomplete bool) {
	if !name.Set() {
		return
	}
	r.set.AddressedBy = name.Value
	found := false
	for _, t := range r.set.Tools {
		for _, p := range t.Input.Properties {
			if p.Name != name.Value {
				continue
			}
			found = true
			if p.Type != nil && p.Type.Kind != String {
				d := r.errorf(p.Pos, ruleBadAddress, "%q addresses a connection, so it must be a string", p.Name)
				d.Related = &diag.Related{Pos: name.Pos, Message: "addressed_by is here"}
			}
		}
	}
	if !found && !incomplete {
		r.errorf(name.Pos, ruleBadAddress, "no tool takes %q", name.Value)
	}
}

// property finds a property by name, and reports an unknown one.
func (r *resolver) property(o *Object, name spec.Text) *Property {
	for _, p := range o.Properties {
		if p.Name == name.Value {
			return p
		}
	}
	if o.Unread {
		return nil
	}
	names := make([]string, len(o.Properties))
	for i, p := range o.Properties {
		names[i] = p.Name
	}
	r.unknown(name, ruleUnknownProperty, "property", names)
	return nil
}

func (r toolResolver) requirements(in []spec.Requirement, o *Object) []*Requirement {
	var out []*Requirement
	for _, s := range in {
		q := &Requirement{Pos: s.Pos}
		r.condition(q, s, o)
		r.demand(q, s, o)
		out = append(out, q)
	}
	return out
}

// condition resolves when: one property, and values of its enum.
func (r toolResolver) condition(q *Requirement, in spec.Requirement, o *Object) {
	if len(in.When) > 1 {
		r.errorf(in.When[1].Property.Pos, ruleBadRequirement, "when tests one property, not %d", len(in.When))
	}
	if len(in.When) == 0 {
		return
	}
	c := in.When[0]
	if q.When = r.property(o, c.Property); q.When == nil {
		return
	}
	if q.When.Type == nil || len(q.When.Type.Enum) == 0 {
		r.errorf(c.Property.Pos, ruleBadRequirement, "when tests %q, which has no enum", c.Property.Value)
		return
	}
	var values []spec.Text
	for _, v := range c.Values {
		if v.Kind != spec.StringLiteral || !slices.Contains(q.When.Type.Enum, v.Text.Value) {
			r.unknown(v.Text, ruleUnknownValue, "value", q.When.Type.Enum)
			continue
		}
		values = append(values, v.Text)
	}
	for _, v := range r.unique(values) {
		q.Values = append(q.Values, v.Value)
	}
}

// exclude turns the values that take the names of only into those that take none of them.
func (r toolResolver) exclude(q *Requirement, in spec.Requirement) {
	if len(in.When) == 0 {
		r.errorf(in.Only.Key, ruleBadRequirement, "only needs when: the values that take the names")
	}
	if q.When == nil || q.When.Type == nil {
		return
	}
	q.Values = slices.DeleteFunc(slices.Clone(q.When.Type.Enum), func(v string) bool { return slices.Contains(q.Values, v) })
}

// demand resolves the one of all, any, one and only that is written.
func (r toolResolver) demand(q *Requirement, in spec.Requirement, o *Object) {
	var names *spec.Names
	written := 0
	for _, m := range []struct {
		mode  Mode
		names *spec.Names
	}{{All, in.All}, {Any, in.Any}, {One, in.One}, {None, in.Only}} {
		if m.names != nil {
			q.Mode, names = m.mode, m.names
			written++
		}
	}
	if written != 1 {
		r.errorf(in.Pos, ruleBadRequirement, "an entry of require_when has exactly one of all, any, one, only; this has %d", written)
		return
	}
	for _, name := range r.unique(names.Names) {
		p := r.property(o, name)
		switch {
		case p == nil:
			continue
		case p.Required:
			r.errorf(name.Pos, ruleBadRequirement, "%q is required anyway", name.Value)
		case p == q.When:
			r.errorf(name.Pos, ruleBadRequirement, "%q is what when tests", name.Value)
		}
		q.Names = append(q.Names, p)
	}
	switch {
	case (q.Mode == All || q.Mode == None) && len(names.Names) < 1:
		r.errorf(names.Key, ruleBadRequirement, "%s has no names", map[Mode]string{All: "all", None: "only"}[q.Mode])
	case q.Mode == None:
		r.exclude(q, in)
	case q.Mode != All && len(names.Names) < 2:
		r.errorf(names.Key, ruleBadRequirement, "%s chooses among two names or more", q.Mode)
	}
}
