package model

import (
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
)

// given is the condition that a parameter is in a call, whatever its value.
const given = "given"

// Power is something dangerous that code can do. Generated code has a type for each, and only a tool
// that uses the power is handed a value of it.
type Power struct {
	Name, Description string
	GoName            string   // FileWrite
	Surface           string   // the policy surface that the power belongs to; "" when there is none
	Changes           bool     // a call that uses the power changes something
	Asks              bool     // without a decision of the operator, a person is asked before each call that uses the power
	DemandedBy        []string // functions that take a value of it, by package below the module and name
	Pos               diag.Pos
}

// ToolPower is a power that a tool uses: on every call, or on those whose argument When is one of
// Values, or, without Values, is given.
type ToolPower struct {
	Power  *Power
	When   *Property // nil: on every call
	Values []string  // as JSON text without quotes
	Pos    diag.Pos
}

// Default reports whether a call that leaves the parameter out uses the power.
func (p *ToolPower) Default() bool {
	return p.When != nil && p.When.Default != nil && slices.Contains(p.Values, textOf(p.When.Default, p.When.Type.Kind))
}

// textOf returns the value as a condition writes it.
func textOf(v *Value, kind Kind) string {
	if kind == Boolean {
		return strconv.FormatBool(v.Bool)
	}
	return v.String
}

// Condition says when a call uses the power: "" on every call, "type is function", "path is given".
func (p *ToolPower) Condition() string {
	switch {
	case p.When == nil:
		return ""
	case len(p.Values) == 0:
		return p.When.Name + " is " + given
	}
	return p.When.Name + " is " + strings.Join(p.Values, " or ")
}

// ListedEffects are the promises that hold for every call of the tool: those of its entry, less what
// powers under a condition can do.
func (t *Tool) ListedEffects() Effects {
	out := t.Effects
	for _, p := range t.Powers {
		if p.When != nil && p.Power.Changes {
			out.ReadOnly, out.Idempotent, out.Destructive = false, false, true
		}
	}
	return out
}

// powers resolves the vocabulary of the root file.
func (r vocabulary) powers(in []spec.Power) {
	idents := paramspec.Claims{}
	if slices.ContainsFunc(in, func(p spec.Power) bool { return p.Asks.Value }) {
		idents.Reserve("Asks", "the function that lists the powers with asks")
	}
	for _, p := range in {
		r.name(p.Name, "a power")
		r.notEmpty(p.Description, "the description")
		item := &Power{
			Name: p.Name.Value, Description: p.Description.Value, GoName: r.goName(p.Name.Value), Changes: p.Changes.Value, Asks: p.Asks.Value, Pos: p.Name.Pos,
		}
		for _, name := range []string{item.GoName, "New" + item.GoName} {
			if !idents.Claim(&r.diags, name, "power "+strconv.Quote(item.Name), p.Name.Pos) {
				break
			}
		}
		for _, f := range r.unique(p.DemandedBy) {
			item.DemandedBy = append(item.DemandedBy, f.Value)
		}
		if p.Surface.Set() {
			item.Surface = p.Surface.Value
			r.surface.find(r.resolver, p.Surface, ruleUnknownSurface, "surface")
		}
		r.power.add(item.Name, item)
		r.set.Powers = append(r.set.Powers, item)
	}
}

// toolPowers resolves the powers of a live tool, whose input is resolved. Each belongs to a surface
// that the tool states, so that no policy about surfaces misses a tool.
func (r toolResolver) toolPowers(in *spec.Tool, t *Tool) {
	for _, p := range in.Powers {
		power := r.power.find(r.resolver, p.Name, ruleUnknownPower, "power")
		if power == nil {
			continue
		}
		item := &ToolPower{Power: power, Pos: p.Name.Pos}
		if !p.Always && !r.powerCondition(item, p, t) {
			continue
		}
		t.Powers = append(t.Powers, item)
		if power.Surface != "" && !slices.Contains(t.Surfaces, power.Surface) && !r.misspells(in.Surfaces, power.Surface) {
			r.errorf(p.Name.Pos, rulePowerSurface, "tool %q uses the power %q and does not state its policy surface %q", t.Name, power.Name, power.Surface).
				Hint = "write surfaces: [" + strings.Join(append(slices.Clone(t.Surfaces), power.Surface), ", ") + "]"
		}
		if item.When == nil && power.Changes && t.Effects.ReadOnly {
			d := r.errorf(p.Name.Pos, rulePowerReadOnly, "tool %q cannot be read-only: each of its calls uses the power %q", t.Name, power.Name)
			d.Hint = "write read_only: false, or the condition under which a call uses the power"
			d.Related = &diag.Related{Pos: in.Effects.ReadOnly.Pos, Message: "read_only is true here"}
		}
	}
	slices.SortStableFunc(t.Powers, func(a, b *ToolPower) int { return strings.Compare(a.Power.Name, b.Power.Name) })
}

// misspells reports whether one of the surfaces that a tool states is unknown and near a name; that is
// reported.
func (r toolResolver) misspells(stated []spec.Text, name string) bool {
	return slices.ContainsFunc(stated, func(t spec.Text) bool {
		return !slices.Contains(r.surface.names, t.Value) && diag.Nearest(t.Value, []string{name}) != ""
	})
}

// powerCondition resolves the one parameter of a condition, and its values.
func (r toolResolver) powerCondition(to *ToolPower, in spec.ToolPower, t *Tool) bool {
	if len(in.When) != 1 {
		r.errorf(in.Name.Pos, rulePowerCondition, "the condition of %q names %d parameters, and one decides", in.Name.Value, len(in.When))
		return false
	}
	c := in.When[0]
	if to.When = r.property(t.Input, c.Property); to.When == nil || to.When.Type == nil {
		return false
	}
	for _, v := range c.Values {
		choices := to.When.Type.Enum
		switch {
		case v.Kind == spec.StringLiteral && v.Text.Value == given && len(c.Values) == 1 && !slices.Contains(choices, given):
			return r.givenIsOptional(to, c)
		case v.Kind == spec.StringLiteral && slices.Contains(choices, v.Text.Value):
		case v.Kind == spec.BoolLiteral && to.When.Type.Kind == Boolean:
		case len(choices) > 0:
			r.unknown(v.Text, ruleUnknownValue, "value", append(slices.Clone(choices), given))
			return false
		default:
			r.errorf(v.Text.Pos, rulePowerCondition, "%q is no value that decides about a power", v.Text.Value).Hint =
				"a value of an enum, true or false of a boolean, or " + given
			return false
		}
		to.Values = append(to.Values, v.Text.Value)
	}
	if len(to.Values) == 0 {
		r.errorf(c.Property.Pos, rulePowerCondition, "the condition of %q has no values", in.Name.Value)
	}
	return len(to.Values) > 0
}

// givenIsOptional reports a condition that holds for every call.
func (r toolResolver) givenIsOptional(to *ToolPower, c spec.Condition) bool {
	if to.When.Required {
		r.errorf(c.Values[0].Text.Pos, rulePowerCondition, "%q is required, so it is always given", to.When.Name).Hint = "write always"
	}
	return !to.When.Required
}
