// Package paramschema writes types of parameters and results as JSON Schema, and a tool as its entry in
// tools/list.
//
// It is the one place that knows which key comes before which: generated registries, snapshots, size budgets
// and tools that are made at run time all take their bytes from here, so they cannot disagree.
package paramschema

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Schema has the keywords of JSON Schema that types need, in the order in which a reader wants them: the type,
// what it means, the limits, then what is inside.
type Schema struct {
	Type                 kinds       `json:"type,omitempty"`
	Description          string      `json:"description,omitempty"`
	Enum                 []any       `json:"enum,omitempty"`
	Format               string      `json:"format,omitempty"`
	Default              any         `json:"default,omitempty"`
	Minimum              json.Number `json:"minimum,omitempty"`
	Maximum              json.Number `json:"maximum,omitempty"`
	MinLength            *int        `json:"minLength,omitempty"`
	MaxLength            *int        `json:"maxLength,omitempty"`
	Pattern              string      `json:"pattern,omitempty"`
	MinItems             *int        `json:"minItems,omitempty"`
	MaxItems             *int        `json:"maxItems,omitempty"`
	Items                *Schema     `json:"items,omitempty"`
	Properties           *properties `json:"properties,omitempty"`
	Required             []string    `json:"required,omitempty"`
	MinProperties        *int        `json:"minProperties,omitempty"`
	MaxProperties        *int        `json:"maxProperties,omitempty"`
	PropertyNames        *Schema     `json:"propertyNames,omitempty"`
	AnyOf                []*Schema   `json:"anyOf,omitempty"`
	AdditionalProperties *additional `json:"additionalProperties,omitempty"`
}

// kinds are the types of a value: one, or one and null.
type kinds []string

// MarshalJSON writes one type as a text.
func (k kinds) MarshalJSON() ([]byte, error) {
	if len(k) == 1 {
		return Compact(k[0]), nil
	}
	return Compact([]string(k)), nil
}

// properties are the members of an object in the author's order.
type properties []property

type property struct {
	name   string
	schema *Schema
}

// MarshalJSON writes an object.
func (p *properties) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range *p {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, Compact(m.name)...), ':')
		b = append(b, Compact(m.schema)...)
	}
	return append(b, '}'), nil
}

// additional describes the further members of an object: those of a type, or, when it is nil, none.
type additional struct{ values *Schema }

// MarshalJSON writes a schema, or false.
func (a *additional) MarshalJSON() ([]byte, error) {
	if a.values == nil {
		return []byte("false"), nil
	}
	return Compact(a.values), nil
}

// Compact returns the value as one line of JSON without HTML escaping and without a newline.
func Compact(v any) []byte { return bytes.TrimSuffix(encode(v, ""), []byte("\n")) }

// Indented returns the value as JSON for people, ending in a newline.
func Indented(v any) []byte { return encode(v, "  ") }

// encode panics when a value has no JSON form: that is a number that is neither finite nor absent,
// which a type cannot hold, so it is a bug of the program and not of a file.
func encode(v any, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("encode %T as json: %v", v, err))
	}
	return b.Bytes()
}
