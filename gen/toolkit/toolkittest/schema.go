package toolkittest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema is a JSON Schema of the grammar that manifests have, with a validator that did not come out of the compiler.
type schema struct {
	Type                         types             `json:"type"`
	Description                  string            `json:"description"`
	Default                      json.RawMessage   `json:"default"`
	Enum                         []json.RawMessage `json:"enum"`
	Format                       string            `json:"format"`
	Pattern                      string            `json:"pattern"`
	Minimum, Maximum             *float64
	MinLength, MaxLength         *int
	MinItems, MaxItems           *int
	MinProperties, MaxProperties *int
	Items                        *schema            `json:"items"`
	Properties                   map[string]*schema `json:"properties"`
	Required                     []string           `json:"required"`
	PropertyNames                *schema            `json:"propertyNames"`
	AnyOf                        []*schema          `json:"anyOf"`
	AdditionalProperties         additional         `json:"additionalProperties"`

	validator *jsonschema.Schema
	samples   []string // texts that match the pattern, which a test gives
	drawn     []string // as of texts; nil before it is asked
}

// samples are texts by the pattern that they match.
type samples map[string][]string

// types are the values of the keyword type: one, or one and null.
type types []string

// UnmarshalJSON reads a text or a list of texts.
func (t *types) UnmarshalJSON(data []byte) error {
	if data[0] != '"' {
		return json.Unmarshal(data, (*[]string)(t))
	}
	*t = types{""}
	return json.Unmarshal(data, &(*t)[0])
}

// additional is the value of the keyword additionalProperties.
type additional struct {
	closed bool
	values *schema
}

// UnmarshalJSON reads false or a schema.
func (a *additional) UnmarshalJSON(data []byte) error {
	if string(data) == "false" {
		a.closed = true
		return nil
	}
	return decodeStrictly(data, &a.values)
}

func decodeStrictly(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// document names the schema of a tool for the validator.
const document = "mem:input"

// readSchema reads the schema of a tool's arguments. A keyword that the grammar of manifests has not is an error.
func readSchema(text string, given samples) (*schema, error) {
	s := new(schema)
	if err := decodeStrictly([]byte(text), s); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	c, err := newCompiler(document, text)
	if err != nil {
		return nil, err
	}
	return s, s.compile(c, document+"#", given)
}

// newCompiler makes a compiler of JSON Schema that knows one document.
func newCompiler(name, text string) (*jsonschema.Compiler, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // nothing is ever loaded
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	return c, c.AddResource(name, doc)
}

// compile makes the validators of a schema and of those in it, and gives them their samples. Place is its address.
func (s *schema) compile(c *jsonschema.Compiler, place string, given samples) (err error) {
	s.samples = given[s.Pattern]
	if s.validator, err = c.Compile(place); err != nil {
		return err
	}
	inner := map[string]*schema{}
	for name, p := range s.Properties {
		inner["/properties/"+strings.ReplaceAll(escapePointer(name), "%", "%25")] = p
	}
	for i, v := range s.AnyOf {
		inner[fmt.Sprintf("/anyOf/%d", i)] = v
	}
	for place, one := range map[string]*schema{"/items": s.Items, "/additionalProperties": s.AdditionalProperties.values, "/propertyNames": s.PropertyNames} {
		if one != nil {
			inner[place] = one
		}
	}
	for _, at := range slices.Sorted(maps.Keys(inner)) {
		if err := inner[at].compile(c, place+at, given); err != nil {
			return err
		}
	}
	return nil
}

// escapePointer writes a name as a token of a JSON pointer.
func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// allows reports whether the validator takes a value.
func (s *schema) allows(value json.RawMessage) bool { return s.validate(value) == nil }

func (s *schema) validate(value json.RawMessage) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return err
	}
	return s.validator.Validate(v)
}

// brokenAlone returns the keywords that a value breaks, where it breaks only one, which may stand in another; else nil.
func (s *schema) brokenAlone(value json.RawMessage) (keywords []string) {
	var failure *jsonschema.ValidationError
	if !errors.As(s.validate(value), &failure) {
		return nil
	}
	for {
		if path := failure.ErrorKind.KeywordPath(); len(path) > 0 {
			keywords = append(keywords, path[0])
		}
		switch len(failure.Causes) {
		case 0:
			return keywords
		case 1:
			failure = failure.Causes[0]
		default:
			return nil
		}
	}
}

// keywords lists those that bound values, but for the ones of unions.
func (s *schema) keywords() (out []string) {
	for keyword, used := range map[string]bool{
		"type": len(s.Type) > 0 && len(s.Enum) == 0, "enum": len(s.Enum) > 0, "format": s.Format != "", "pattern": s.Pattern != "",
		"minimum": s.Minimum != nil, "maximum": s.Maximum != nil,
		"minLength": s.MinLength != nil && *s.MinLength > 0, "maxLength": s.MaxLength != nil,
		"minItems": s.MinItems != nil && *s.MinItems > 0, "maxItems": s.MaxItems != nil,
		"minProperties": s.MinProperties != nil && *s.MinProperties > 0, "maxProperties": s.MaxProperties != nil,
		"required": len(s.Required) > 0, "propertyNames": s.PropertyNames != nil, "additionalProperties": s.AdditionalProperties.closed,
	} {
		if used {
			out = append(out, keyword)
		}
	}
	slices.Sort(out)
	return out
}

// names lists the properties, sorted.
func (s *schema) names() []string { return slices.Sorted(maps.Keys(s.Properties)) }

// kind is the type of the values that are not null: a JSON type, "map", "union", or "any". An object that takes whatever
// members is a map of them.
func (s *schema) kind() string {
	switch {
	case len(s.AnyOf) > 0:
		return "union"
	case len(s.Type) == 0:
		return "any"
	case s.Type[0] == "object" && !s.AdditionalProperties.closed:
		return "map"
	}
	return s.Type[0]
}

// variants lists the objects of a union.
func (s *schema) variants() []*schema {
	return slices.DeleteFunc(slices.Clone(s.AnyOf), func(v *schema) bool { return v.kind() == "null" })
}
