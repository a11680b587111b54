package schema

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/invopop/jsonschema"
	orderedmap "github.com/pb33f/ordered-map/v2"
)

// wire mirrors the keywords of the manifest grammar in the order in which a reader wants them: the
// type, what it means, the limits, then what is inside. jsonschema.Schema itself writes the type
// after the properties and escapes HTML, which costs five bytes per character in every session that
// lists the tool. A property test compares the two.
type wire struct {
	Type                 kinds                                 `json:"type,omitempty"`
	Description          string                                `json:"description,omitempty"`
	Enum                 []any                                 `json:"enum,omitempty"`
	Format               string                                `json:"format,omitempty"`
	Default              any                                   `json:"default,omitempty"`
	Minimum              json.Number                           `json:"minimum,omitempty"`
	Maximum              json.Number                           `json:"maximum,omitempty"`
	MinLength            *uint64                               `json:"minLength,omitempty"`
	MaxLength            *uint64                               `json:"maxLength,omitempty"`
	Pattern              string                                `json:"pattern,omitempty"`
	MinItems             *uint64                               `json:"minItems,omitempty"`
	MaxItems             *uint64                               `json:"maxItems,omitempty"`
	Items                *wire                                 `json:"items,omitempty"`
	Properties           *orderedmap.OrderedMap[string, *wire] `json:"properties,omitempty"`
	Required             []string                              `json:"required,omitempty"`
	MinProperties        *uint64                               `json:"minProperties,omitempty"`
	MaxProperties        *uint64                               `json:"maxProperties,omitempty"`
	PropertyNames        *wire                                 `json:"propertyNames,omitempty"`
	AnyOf                []*wire                               `json:"anyOf,omitempty"`
	AdditionalProperties *additional                           `json:"additionalProperties,omitempty"`
}

// kinds are the types of a value: one, or one and null.
type kinds []string

// MarshalJSON writes one type as a text.
func (k kinds) MarshalJSON() ([]byte, error) {
	if len(k) == 1 {
		return compact(k[0]), nil
	}
	return compact([]string(k)), nil
}

// additional is what other members an object may have: those of a type, or, when it is nil, none.
type additional struct{ values *wire }

// MarshalJSON writes a schema, or false.
func (a *additional) MarshalJSON() ([]byte, error) {
	if a.values == nil {
		return []byte("false"), nil
	}
	return compact(a.values), nil
}

func mirror(s *jsonschema.Schema) *wire {
	if s == nil {
		return nil
	}
	w := &wire{
		Description: s.Description, Enum: s.Enum, Format: s.Format, Default: s.Default,
		Minimum: s.Minimum, Maximum: s.Maximum,
		MinLength: s.MinLength, MaxLength: s.MaxLength, Pattern: s.Pattern,
		MinItems: s.MinItems, MaxItems: s.MaxItems, Items: mirror(s.Items),
		MinProperties: s.MinProperties, MaxProperties: s.MaxProperties, PropertyNames: mirror(s.PropertyNames),
		Required: s.Required,
	}
	switch {
	case s.Type != "":
		w.Type = kinds{s.Type}
	case s.Extras["type"] != nil:
		w.Type = s.Extras["type"].([]string)
	}
	for _, v := range s.AnyOf {
		w.AnyOf = append(w.AnyOf, mirror(v))
	}
	if s.AdditionalProperties == jsonschema.FalseSchema {
		w.AdditionalProperties = &additional{}
	} else if s.AdditionalProperties != nil {
		w.AdditionalProperties = &additional{mirror(s.AdditionalProperties)}
	}
	if s.Properties != nil {
		w.Properties = orderedmap.New[string, *wire](orderedmap.WithDisableHTMLEscape[string, *wire]())
		for name, p := range s.Properties.FromOldest() {
			w.Properties.Set(name, mirror(p))
		}
	}
	return w
}

// compact is the value as one line of JSON without HTML escaping and without a newline.
func compact(v any) []byte { return bytes.TrimSuffix(encode(v, ""), []byte("\n")) }

// indented is the value as JSON for people, ending in a newline.
func indented(v any) []byte { return encode(v, "  ") }

// encode panics when a value has no JSON form: that is a number that is neither finite nor absent,
// which the model cannot hold, so it is a bug of the compiler and not of a manifest.
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
