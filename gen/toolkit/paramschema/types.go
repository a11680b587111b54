package paramschema

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/param"
)

// Object returns the schema of a closed object. It has "properties" even when there are none, because some
// clients refuse a tool without that key.
func Object(properties []*param.Property) *Schema { return object(properties, full) }

// Bare returns the schema of a closed object without descriptions and defaults.
func Bare(properties []*param.Property) *Schema { return object(properties, bare) }

// detail says how much of a property reaches the schema.
type detail int

const (
	full detail = iota
	bare
)

func object(of []*param.Property, d detail) *Schema {
	s := &Schema{Type: kinds{"object"}, Properties: &properties{}, AdditionalProperties: &additional{}}
	for _, p := range of {
		*s.Properties = append(*s.Properties, property{p.Name, member(p, d)})
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}
	return s
}

func member(p *param.Property, d detail) *Schema {
	s := value(p.Type, d)
	if d == bare {
		return s
	}
	s.Description = strings.TrimSpace(p.Description + " " + numbered(p.Type))
	if p.Default != nil && (p.Type.Kind != param.Boolean || p.Default.Bool) { // false goes without saying
		s.Default = literal(p.Type.Kind, p.Default)
	}
	return s
}

// numbered says which number of an enum means what, of a value or of the values in it; "" for other types.
func numbered(t *param.Type) string {
	for t.Items != nil || t.Values != nil {
		t = cmp.Or(t.Items, t.Values)
	}
	parts := slicesx.List(t.Numbers, func(n *param.EnumNumber) string { return strconv.Itoa(n.Value) + " = " + n.Name })
	return strings.Join(parts, ", ")
}

func value(t *param.Type, d detail) *Schema {
	s := certain(t, d)
	if !t.Nullable {
		return s
	}
	if s.AnyOf != nil {
		s.AnyOf = append(s.AnyOf, &Schema{Type: kinds{null}})
		return s
	}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	s.Type = append(s.Type, null)
	return s
}

// null is the type of null.
const null = "null"

// certain returns the schema of the values that are not null.
func certain(t *param.Type, d detail) *Schema {
	switch {
	case t.Kind == param.Free:
		return &Schema{}
	case t.Open():
		return &Schema{Type: kinds{"object"}}
	case t.Values != nil:
		return mapping(t, d)
	case t.Union != nil:
		s := &Schema{}
		for _, v := range t.Union.Variants {
			s.AnyOf = append(s.AnyOf, object(v.Object.Properties, d))
		}
		return s
	case t.Kind == param.Nested:
		return object(t.Object.Properties, d)
	}
	s := &Schema{
		Type: kinds{string(t.Kind)}, Pattern: t.Pattern, Format: string(t.Format), MinLength: t.MinLength, MaxLength: t.MaxLength,
		Minimum: Bound(t.Minimum), Maximum: Bound(t.Maximum), MinItems: t.MinItems, MaxItems: t.MaxItems,
	}
	for _, v := range t.Enum {
		s.Enum = append(s.Enum, v)
	}
	for _, n := range t.Numbers {
		s.Enum = append(s.Enum, number(float64(n.Value)))
	}
	if t.Items != nil {
		s.Items = value(t.Items, d)
	}
	return s
}

// mapping returns the schema of a map.
func mapping(t *param.Type, d detail) *Schema {
	s := &Schema{Type: kinds{"object"}, AdditionalProperties: &additional{value(t.Values, d)},
		MinProperties: t.MinProperties, MaxProperties: t.MaxProperties}
	if t.NamePattern != "" {
		s.PropertyNames = &Schema{Pattern: t.NamePattern}
	}
	return s
}

// literal returns a default as encoding/json writes it; an interface holding false or "" is not dropped
// by omitempty.
func literal(k param.Kind, v *param.Value) any {
	switch k {
	case param.Boolean:
		return v.Bool
	case param.Integer, param.Number:
		return number(v.Number)
	default:
		return v.String
	}
}

// Bound returns a limit; "" where there is none.
func Bound(f *float64) json.Number {
	if f == nil {
		return ""
	}
	return number(*f)
}

// number writes a float the way encoding/json does, so that 30000 stays 30000 and a huge bound does
// not become a line of zeros.
func number(f float64) json.Number { return json.Number(Compact(f)) }

// ForList takes from a schema what a list need not say, because a call that ignores it is
// refused with the words for it: that objects are closed, how large, long and many values may be,
// and what is used when none is given, if that is a number or the first of its choices. What is left
// accepts all that the schema accepted. It changes the schema and returns it.
func (s *Schema) ForList() *Schema {
	if s == nil {
		return nil
	}
	if s.AdditionalProperties != nil {
		if s.AdditionalProperties.values == nil {
			s.AdditionalProperties = nil
		} else {
			s.AdditionalProperties.values.ForList()
		}
	}
	s.MinProperties, s.MaxProperties, s.PropertyNames = nil, nil, nil
	s.Minimum, s.Maximum = "", ""
	s.MinLength, s.MaxLength, s.MinItems, s.MaxItems = nil, nil, nil, nil
	if slices.Contains(s.Type, "integer") || slices.Contains(s.Type, "number") || len(s.Enum) > 0 && s.Enum[0] == s.Default {
		s.Default = nil
	}
	s.Items.ForList()
	for _, v := range s.AnyOf {
		v.ForList()
	}
	if s.Properties != nil {
		for _, p := range *s.Properties {
			p.schema.ForList()
		}
	}
	return s
}
