// Package toolschema checks and converts values by the JSON Schemas of external tools. It reports
// every violation with its place and says which JSON types a schema accepts.
//
// Its own checks cover the keywords that schemas of tools use, with places and suggestions. The
// validator of github.com/santhosh-tekuri/jsonschema checks all other keywords. The package must not
// know workflows; of templates it knows only lazy values.
package toolschema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// Schema is a parsed JSON Schema.
type Schema struct {
	types              []string // JSON types; nil accepts any type
	enum               []any
	constant           *any
	props              map[string]*Schema
	names              []string // names of props, sorted
	required           []string
	rejectsUnnamed     bool
	additional         *Schema
	items              *Schema
	allOf              []*Schema
	anyOf              [][]*Schema // groups of alternatives, from anyOf and oneOf
	rejectsAll         bool        // set for the schema false
	defaultValue       *any        // value of default
	pattern            string
	min, max           *float64
	minCount, maxCount *int // characters of a string, items of an array
	ref                string
	root               *Schema
	defs               map[string]*Schema
	compiled           func() *jsonschema.Schema // of a root: the library's schema, compiled on first use; nil if that fails
}

// rawSchema holds the keywords that this package reads.
type rawSchema struct {
	Type                 json.RawMessage            `json:"type"`
	Enum                 []any                      `json:"enum"`
	Const                *any                       `json:"const"`
	Properties           map[string]json.RawMessage `json:"properties"`
	Required             []string                   `json:"required"`
	AdditionalProperties json.RawMessage            `json:"additionalProperties"`
	Items                json.RawMessage            `json:"items"`
	AllOf                []json.RawMessage          `json:"allOf"`
	AnyOf                []json.RawMessage          `json:"anyOf"`
	OneOf                []json.RawMessage          `json:"oneOf"`
	Defs                 map[string]json.RawMessage `json:"$defs"`
	Definitions          map[string]json.RawMessage `json:"definitions"`
	Ref                  string                     `json:"$ref"`
	Default              *any                       `json:"default"`
	Pattern              string                     `json:"pattern"`
	Minimum              *float64                   `json:"minimum"`
	Maximum              *float64                   `json:"maximum"`
	MinLength            *int                       `json:"minLength"`
	MaxLength            *int                       `json:"maxLength"`
	MinItems             *int                       `json:"minItems"`
	MaxItems             *int                       `json:"maxItems"`
}

// maxDepth bounds the nesting of schemas and chains of references.
const maxDepth = 40

// Parse parses a schema. An empty text accepts any value.
func Parse(raw json.RawMessage) (*Schema, error) {
	if len(raw) == 0 {
		raw = json.RawMessage(`{}`)
	}
	root := &Schema{defs: make(map[string]*Schema)}
	if err := root.parse(raw, root, 0); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	if isTooComplex(root, make(map[*Schema]int), make(map[*Schema]bool)) {
		open := &Schema{} // accepts any value; the server may still reject it
		open.root = open
		return open, nil
	}
	root.compiled = sync.OnceValue(func() *jsonschema.Schema { return compile(raw) })
	return root, nil
}

func (s *Schema) parse(raw json.RawMessage, root *Schema, depth int) error {
	s.root = root
	if depth > maxDepth {
		return fmt.Errorf("nested more than %d deep", maxDepth)
	}
	switch strings.TrimSpace(string(raw)) {
	case "true":
		return nil
	case "false":
		s.rejectsAll = true
		return nil
	}
	var w rawSchema
	if err := json.Unmarshal(raw, &w); err != nil {
		return err
	}
	s.types = parseTypes(w.Type)
	s.enum, s.constant, s.defaultValue, s.required, s.pattern, s.ref = w.Enum, w.Const, w.Default, w.Required,
		w.Pattern, w.Ref
	s.min, s.max = w.Minimum, w.Maximum
	s.minCount, s.maxCount = w.MinLength, w.MaxLength
	if s.minCount == nil {
		s.minCount = w.MinItems
	}
	if s.maxCount == nil {
		s.maxCount = w.MaxItems
	}
	p := childParser{root: root, depth: depth + 1}
	s.parseProperties(&p, &w)
	s.parseAlternatives(&p, &w)
	if len(w.Items) > 0 && w.Items[0] != '[' {
		s.items = p.parse(w.Items)
	}
	for name, def := range w.Defs {
		root.defs["#/$defs/"+name] = p.parse(def)
	}
	for name, def := range w.Definitions {
		root.defs["#/definitions/"+name] = p.parse(def)
	}
	return p.err
}

// childParser parses the subschemas of one schema and keeps the first error.
type childParser struct {
	root  *Schema
	depth int
	err   error
}

func (p *childParser) parse(raw json.RawMessage) *Schema {
	out := &Schema{}
	if err := out.parse(raw, p.root, p.depth); err != nil && p.err == nil {
		p.err = err
	}
	return out
}

func (s *Schema) parseProperties(p *childParser, w *rawSchema) {
	if w.Properties != nil {
		s.props = make(map[string]*Schema, len(w.Properties))
		for name, raw := range w.Properties {
			s.props[name] = p.parse(raw)
			s.names = append(s.names, name)
		}
		slices.Sort(s.names)
	}
	switch strings.TrimSpace(string(w.AdditionalProperties)) {
	case "", "true":
	case "false":
		s.rejectsUnnamed = true
	default:
		s.additional = p.parse(w.AdditionalProperties)
	}
}

func (s *Schema) parseAlternatives(p *childParser, w *rawSchema) {
	for _, raw := range w.AllOf {
		s.allOf = append(s.allOf, p.parse(raw))
	}
	for _, group := range [][]json.RawMessage{w.AnyOf, w.OneOf} {
		alternatives := slicesx.Map(group, p.parse)
		if alternatives != nil {
			s.anyOf = append(s.anyOf, alternatives)
		}
	}
}

func parseTypes(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var many []string
	_ = json.Unmarshal(raw, &many) // neither form accepts any type
	return many
}

// deref follows references. It returns a schema that accepts anything for an unresolvable one;
// the library reports it.
func (s *Schema) deref() *Schema {
	for range maxDepth {
		switch {
		case s.ref == "":
			return s
		case s.ref == "#":
			s = s.root
		case s.root.defs[s.ref] != nil:
			s = s.root.defs[s.ref]
		default:
			return &Schema{root: s.root}
		}
	}
	return &Schema{root: s.root}
}

// Types lists the JSON types that a value may have; nil for any.
func (s *Schema) Types() []string { return s.typesAt(0) }

func (s *Schema) typesAt(depth int) []string {
	s = s.deref()
	if depth > maxDepth {
		return nil
	}
	out := s.types
	if s.types == nil {
		for _, v := range s.enum {
			out = append(out, TypeOf(v))
		}
		if s.constant != nil {
			out = append(out, TypeOf(*s.constant))
		}
	}
	narrow := func(types []string) {
		switch {
		case types == nil:
		case out == nil:
			out = types
		default:
			out = slices.DeleteFunc(slices.Clone(out), func(t string) bool { return !slices.Contains(types, t) })
		}
	}
	for _, p := range s.allOf {
		narrow(p.typesAt(depth + 1))
	}
	for _, group := range s.anyOf {
		var union []string
		for _, p := range group {
			types := p.typesAt(depth + 1)
			if types == nil {
				union = nil
				break
			}
			union = append(union, types...)
		}
		narrow(union)
	}
	return out
}

// Accepts reports whether the schema may accept values of a JSON type.
func (s *Schema) Accepts(kind string) bool {
	types := s.Types()
	return types == nil || slices.Contains(types, kind) || kind == "integer" && slices.Contains(types, "number") ||
		kind == "number" && slices.Contains(types, "integer")
}

// Property returns the schema of a property; known is false if the schema does not name it.
func (s *Schema) Property(name string) (p *Schema, known bool) {
	s = s.deref()
	if p, ok := s.props[name]; ok {
		return p, true
	}
	for _, branch := range s.subschemas() {
		if p, ok := branch.Property(name); ok {
			return p, true
		}
	}
	if s.additional != nil {
		return s.additional, false
	}
	return &Schema{root: s.root}, false
}

func (s *Schema) subschemas() []*Schema {
	out := s.allOf
	for _, group := range s.anyOf {
		out = append(out[:len(out):len(out)], group...)
	}
	return out
}

// Items returns the schema of the items of an array.
func (s *Schema) Items() *Schema {
	s = s.deref()
	if s.items != nil {
		return s.items
	}
	for _, branch := range s.subschemas() {
		if t := branch.deref(); t.items != nil {
			return t.items
		}
	}
	return &Schema{root: s.root}
}

// Names lists the properties that the schema names, sorted.
func (s *Schema) Names() []string { return s.deref().names }

// Required lists the required properties of an object.
func (s *Schema) Required() []string { return s.deref().required }

// Enum lists the strings that a value may be; nil for any.
func (s *Schema) Enum() []string {
	var out []string
	for _, v := range s.deref().enum {
		if text, ok := v.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

// TypeOf returns the JSON type of a value.
func TypeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case int64, int:
		return "integer"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// FillDefaults adds the defaults of absent properties. Not every server does that itself.
func (s *Schema) FillDefaults(v map[string]any) {
	for name, p := range s.deref().props {
		if _, ok := v[name]; !ok && p.deref().defaultValue != nil {
			v[name] = *p.deref().defaultValue
		}
	}
}
