package schema_test

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/callsheet/callsheet/gen/model"
)

// object is the schema of a closed object as a library writes it, which the compiler's is held against.
func object(properties []*model.Property) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type:                 "object",
		Properties:           jsonschema.NewProperties(),
		AdditionalProperties: jsonschema.FalseSchema,
	}
	for _, p := range properties {
		s.Properties.Set(p.Name, member(p))
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}
	return s
}

func member(p *model.Property) *jsonschema.Schema {
	s := value(p.Type)
	s.Description = strings.TrimSpace(p.Description + " " + numbered(p.Type))
	if p.Default != nil && (p.Type.Kind != model.Boolean || p.Default.Bool) { // false goes without saying
		s.Default = literal(p.Type.Kind, p.Default)
	}
	return s
}

// numbered says which number of an enum means what, of a value or of the values in it; "" for other types.
func numbered(t *model.Type) string {
	for t.Items != nil || t.Values != nil {
		t = cmp.Or(t.Items, t.Values)
	}
	parts := make([]string, len(t.Numbers))
	for i, n := range t.Numbers {
		parts[i] = strconv.Itoa(n.Value) + " = " + n.Name
	}
	return strings.Join(parts, ", ")
}

func value(t *model.Type) *jsonschema.Schema {
	s := certain(t)
	if !t.Nullable {
		return s
	}
	if s.AnyOf != nil {
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: null})
		return s
	}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	s.Extras = map[string]any{"type": []string{s.Type, null}}
	s.Type = ""
	return s
}

// null is the type of null.
const null = "null"

// certain is the schema of the values that are not null.
func certain(t *model.Type) *jsonschema.Schema {
	switch {
	case t.Kind == model.Free:
		return &jsonschema.Schema{Extras: map[string]any{}} // without extras it would be written true
	case t.Open():
		return &jsonschema.Schema{Type: "object"}
	case t.Values != nil:
		return mapping(t)
	case t.Union != nil:
		s := &jsonschema.Schema{}
		for _, v := range t.Union.Variants {
			s.AnyOf = append(s.AnyOf, object(v.Object.Properties))
		}
		return s
	case t.Kind == model.Nested:
		return object(t.Object.Properties)
	}
	s := &jsonschema.Schema{
		Type:      string(t.Kind),
		Pattern:   t.Pattern,
		Format:    string(t.Format),
		MinLength: count(t.MinLength), MaxLength: count(t.MaxLength),
		Minimum: bound(t.Minimum), Maximum: bound(t.Maximum),
		MinItems: count(t.MinItems), MaxItems: count(t.MaxItems),
	}
	for _, v := range t.Enum {
		s.Enum = append(s.Enum, v)
	}
	for _, n := range t.Numbers {
		s.Enum = append(s.Enum, number(float64(n.Value)))
	}
	if t.Items != nil {
		s.Items = value(t.Items)
	}
	return s
}

// mapping is the schema of a map.
func mapping(t *model.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", AdditionalProperties: value(t.Values),
		MinProperties: count(t.MinProperties), MaxProperties: count(t.MaxProperties),
	}
	if t.NamePattern != "" {
		s.PropertyNames = &jsonschema.Schema{Pattern: t.NamePattern}
	}
	return s
}

// literal is a default as encoding/json writes it; an interface holding false or "" is not dropped
// by omitempty.
func literal(k model.Kind, v *model.Value) any {
	switch k {
	case model.Boolean:
		return v.Bool
	case model.Integer, model.Number:
		return number(v.Number)
	default:
		return v.String
	}
}

func count(n *int) *uint64 {
	if n == nil {
		return nil
	}
	return new(uint64(*n))
}

func bound(f *float64) json.Number {
	if f == nil {
		return ""
	}
	return number(*f)
}

// number writes a float the way encoding/json does, so that 30000 stays 30000 and a huge bound does
// not become a line of zeros.
func number(f float64) json.Number { return json.Number(encoded(f)) }

func encoded(f float64) string {
	b, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return string(b)
}
