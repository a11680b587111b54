package toolkit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/gen/toolkit/internal/key"
)

// Power is something dangerous that the code of a module can do, as its manifest declares it.
type Power struct {
	Name, Description string
	Surface           string // the policy surface it belongs to; "" when there is none
	Changes           bool   // a call that uses it changes something
}

// Use is a power that a tool uses: on every call, or on those in which the argument Param has one of
// Values.
type Use struct {
	Power   string
	Param   string   // "" on every call
	Values  []string // texts, or JSON of booleans; none: whatever the value
	Default bool     // also when Param is left out
}

// holds reports whether a call with the arguments uses the power.
func (u Use) holds(args []byte) bool {
	if u.Param == "" {
		return true
	}
	value, ok := memberValue(args, u.Param)
	if !ok || value.Kind() == 'n' {
		return u.Default
	}
	if len(u.Values) == 0 {
		return true
	}
	text := string(value)
	if value.Kind() == '"' {
		text = unquoted(value)
	}
	return slices.Contains(u.Values, text)
}

// Condition says when calls use the power: "" always.
func (u Use) Condition() string {
	switch {
	case u.Param == "":
		return ""
	case len(u.Values) == 0:
		return u.Param + " is given"
	}
	return u.Param + " is " + strings.Join(u.Values, " or ")
}

// PowersOf lists the powers that a call with these arguments uses, sorted. It is nil when there is none.
func (t *Tool) PowersOf(args []byte) []string {
	var out []string
	for _, u := range t.Powers {
		if u.holds(args) && !slices.Contains(out, u.Power) {
			out = append(out, u.Power)
		}
	}
	return out
}

// AllPowers lists the powers that some call of the tool uses, sorted.
func (t *Tool) AllPowers() []string {
	var out []string
	for _, u := range t.Powers {
		if !slices.Contains(out, u.Power) {
			out = append(out, u.Power)
		}
	}
	return out
}

// withheld returns the refusal of a call that uses a power which flags withhold, or nil.
func (s *Surface) withheld(t *Tool, uses []string) *Refusal {
	for _, power := range uses {
		flag := s.table().reg.withholds(s.opt, s.table().reg.power(power))
		if flag == "" {
			continue
		}
		when := ""
		for _, u := range t.Powers {
			if u.Power == power && u.Param != "" {
				when = " when " + u.Condition()
			}
		}
		fields := []Field{{"power", power}}
		if surface := s.table().reg.power(power).Surface; surface != "" {
			fields = append(fields, Field{"surface", surface})
		}
		r := Refuse(PolicyDenied, fmt.Sprintf("%s uses the power %s%s, and this server runs with %s", t.Name, power, when, flag), fields...)
		r.Tool = t.Name
		return r
	}
	return nil
}

// withholds names the flag by which no call has the power, or is "".
func (r *Registry) withholds(o Options, p Power) string {
	switch {
	case p.Surface != "" && slices.Contains(o.DisableSurfaces, p.Surface):
		return r.surfaceFlag(p.Surface)
	case r.excludesPrincipal(o, p):
		return flagExcludeTools + " " + r.principal(p).Name
	case o.ReadOnly && p.Changes:
		return flagReadOnly
	case o.Powers != nil && !slices.Contains(o.Powers, p.Name):
		return flagPowers
	}
	return ""
}

// principal returns the tool that stands for a power whose surface has a flag: of those that use the power in each call,
// one of the lowest tier; nil where there is none.
func (r *Registry) principal(p Power) (lowest *Tool) {
	if p.Surface == "" || r.surfaceFlag(p.Surface) == flagDisableSurfaces {
		return nil
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		always := slices.ContainsFunc(t.Powers, func(u Use) bool { return u.Power == p.Name && u.Param == "" })
		if always && (lowest == nil || t.Tier < lowest.Tier) {
			lowest = t
		}
	}
	return lowest
}

// excludesPrincipal reports whether the tool that stands for a power is excluded: then no other has the power.
func (r *Registry) excludesPrincipal(o Options, p Power) bool {
	if len(o.ExcludeTools) == 0 {
		return false
	}
	t := r.principal(p)
	return t != nil && slices.ContainsFunc(o.ExcludeTools, func(name string) bool {
		i, ok := r.Lookup(name)
		return ok && &r.Tools[i] == t
	})
}

// HasGates reports whether an option withholds a power or a tool from every call.
func (o Options) HasGates() bool {
	return len(o.DisableSurfaces) > 0 || len(o.ExcludeTools) > 0 || o.ReadOnly || o.Powers != nil
}

// Withholds reports whether the gates withhold a power from every call.
func (o Options) Withholds(reg *Registry, power string) bool {
	return reg.withholds(o, reg.power(power)) != ""
}

// withheldAlways names the flag that withholds a power which each call of the tool uses, or is "".
func (o Options) withheldAlways(reg *Registry, t *Tool) string {
	for _, u := range t.Powers {
		if flag := reg.withholds(o, reg.power(u.Power)); u.Param == "" && flag != "" {
			return flag
		}
	}
	return ""
}

func (r *Registry) powerNames() []string {
	return slicesx.List(r.Powers, func(p Power) string { return p.Name })
}

// power finds a power by its name; the zero Power when the registry has none of the name.
func (r *Registry) power(name string) Power {
	for _, p := range r.Powers {
		if p.Name == name {
			return p
		}
	}
	return Power{}
}

// grantOf makes the grant of a call that uses powers. End takes them back.
func (t *Tool) grantOf(args []byte) (g grant.Grant, end func()) {
	uses := t.PowersOf(args)
	if len(uses) == 0 {
		return grant.Grant{}, func() {}
	}
	return grant.New(key.New(), t.Name, uses...)
}
