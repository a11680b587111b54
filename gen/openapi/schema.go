package openapi

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pb33f/go-yaml"

	"github.com/callsheet/callsheet/gen/toolkit/format"
)

// The bounds of a schema, in keywords: of one whose references are replaced by what they name, and of any.
const (
	maxInline   = 2000
	maxKeywords = 4000
)

var (
	errRecursive = errors.New("the schema has itself as a part")
	errLarge     = errors.New("the schema is large")
)

// schemas writes schemas of a document as JSON Schema of 2020-12.
type schemas struct {
	doc     *document
	request bool // properties that are read-only are left out; otherwise those that are write-only
	inline  bool // references are replaced by what they name
	stack   []string
	count   int
	defs    *definitions
	lost    *losses
}

// definitions are the schemas that others of a tool refer to.
type definitions struct {
	list  object
	names map[string]string // references → names in list
	taken map[string]bool
}

// losses are the keywords that were left out, with their places.
type losses struct {
	names []string
	first map[string]string
	count map[string]int
}

func (l *losses) add(keyword, at string) {
	if l.first == nil {
		l.first, l.count = map[string]string{}, map[string]int{}
	}
	if l.count[keyword]++; l.count[keyword] == 1 {
		l.names = append(l.names, keyword)
		l.first[keyword] = at
	}
}

func (l *losses) merge(other *losses) {
	for _, name := range other.names {
		l.add(name, other.first[name])
		l.count[name] += other.count[name] - 1
	}
}

// copied are the keywords that mean the same everywhere.
var copied = []string{
	"title", "description", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern",
	"maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "enum", "const", "default", "dependentRequired", "minContains", "maxContains",
}

// Keywords whose values are a schema, a list of schemas, or schemas by name.
var (
	single = []string{"items", "additionalProperties", "not", "propertyNames", "contains", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties"}
	listed = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	keyed  = []string{"properties", "patternProperties", "dependentSchemas"}
)

// schema writes a schema: an object, true or false.
func (s *schemas) schema(v value) (any, error) {
	if v.node == nil || v.node.Kind != yaml.MappingNode {
		if v.isTrue() || v.isFalse() {
			return v.isTrue(), nil
		}
		return nil, &problem{v.at, "it is no schema"}
	}
	if ref := v.get("$ref").text(); ref != "" {
		return s.reference(v, ref)
	}
	var out object
	nullable := false
	for _, m := range v.members() {
		if s.count++; s.count > maxKeywords || s.inline && s.count > maxInline {
			return nil, errLarge
		}
		if m.name == "nullable" && s.doc.is30 {
			nullable = m.isTrue()
			continue
		}
		f, err := s.keyword(v, m)
		if err != nil {
			return nil, err
		}
		if f != nil {
			out = append(out, *f)
		}
	}
	if s.doc.is30 {
		out = exclusive(out)
	}
	if nullable {
		return orNull(out), nil
	}
	return out, nil
}

// limiting are the keywords that schemas of results do not have: servers send what documents rule out, and clients
// refuse the whole result then.
var limiting = []string{
	"required", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern",
	"maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "dependentRequired", "minContains", "maxContains", "format",
	"not", "propertyNames", "contains", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties", "patternProperties", "dependentSchemas",
}

// keyword writes one member of a schema; nil leaves it out.
func (s *schemas) keyword(of value, m named) (*field, error) {
	var value any
	var err error
	if !s.request {
		if slices.Contains(limiting, m.name) || m.name == "additionalProperties" && m.isFalse() {
			return nil, nil
		}
		if m.name == "oneOf" { // without limits, several may fit
			m.name = "anyOf"
		}
	}
	switch {
	case slices.Contains(single, m.name):
		value, err = s.schema(m.value)
	case slices.Contains(listed, m.name):
		list := []any{}
		for _, item := range m.items() {
			one, err := s.schema(item)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
		value = list
	case slices.Contains(keyed, m.name):
		value, err = s.properties(m)
	case m.name == "required":
		names := s.required(of, m.value)
		if len(names) == 0 {
			return nil, nil
		}
		value = names
	case m.name == "pattern" && !compiles(m.text()):
		s.lost.add("pattern that is not of RE2", m.at)
		return nil, nil
	case m.name == "type" || slices.Contains(copied, m.name):
		value, err = m.json()
	case m.name == "format" && !s.dropsFormat(of, m.text()):
		value, err = m.json()
	default:
		s.lost.add(m.name, m.at)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &field{m.name, value}, nil
}

func compiles(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil
}

// dropsFormat reports whether a format says nothing that a call could be held to: how wide a number is, or how a
// text is shown.
func (s *schemas) dropsFormat(of value, name string) bool {
	return s.request && (of.get("type").text() != "string" || !slices.Contains(format.Names(), name))
}

// properties writes schemas by name, less those that this direction does not have.
func (s *schemas) properties(m named) (any, error) {
	out := object{}
	for _, p := range m.members() {
		if m.name == "properties" && s.hides(p.value) {
			s.lost.add(hiddenProperty(s.request), p.at)
			continue
		}
		one, err := s.schema(p.value)
		if err != nil {
			return nil, err
		}
		out = append(out, field{p.name, one})
	}
	return out, nil
}

// hiddenProperty is the loss that hides is about.
func hiddenProperty(request bool) string {
	if request {
		return "a read-only property"
	}
	return "a write-only property"
}

// hides reports whether a property is not in this direction.
func (s *schemas) hides(property value) bool {
	word := "writeOnly"
	if s.request {
		word = "readOnly"
	}
	resolved, err := property.resolve()
	return property.get(word).isTrue() || err == nil && resolved.get(word).isTrue()
}

// required lists the names that an object must have, less those of properties that are left out.
func (s *schemas) required(of, names value) []string {
	var out []string
	for _, name := range names.texts() {
		if p := of.get("properties").get(name); !p.exists() || !s.hides(p) {
			out = append(out, name)
		}
	}
	return out
}

func newDefinitions() *definitions {
	return &definitions{names: map[string]string{}, taken: map[string]bool{}}
}

func (d *definitions) clone() *definitions {
	return &definitions{slices.Clone(d.list), maps.Clone(d.names), maps.Clone(d.taken)}
}

// reference writes what a reference names, or a reference to a definition.
func (s *schemas) reference(v value, ref string) (any, error) {
	target, err := v.follow(ref)
	if err != nil {
		return nil, err
	}
	var beside object // which version 3.1 allows
	if !s.doc.is30 {
		for _, m := range v.members() {
			if m.name == "$ref" {
				continue
			}
			f, err := s.keyword(v, m)
			if err != nil {
				return nil, err
			}
			if f != nil {
				beside = append(beside, *f)
			}
		}
	}
	var out any
	if s.inline {
		if slices.Contains(s.stack, ref) {
			return nil, errRecursive
		}
		s.stack = append(s.stack, ref)
		out, err = s.schema(target)
		s.stack = s.stack[:len(s.stack)-1]
	} else {
		out, err = s.define(ref, target)
	}
	if err != nil || len(beside) == 0 {
		return out, err
	}
	known, ok := out.(object)
	if rest, _ := beside.without("description", "title", "default"); ok && len(rest) == 0 {
		out := slices.Clone(known)
		for _, f := range beside {
			out = out.with(f.name, f.value)
		}
		return out, nil
	}
	return append(object{{"allOf", []any{out}}}, beside...), nil
}

// define writes a definition once and returns a reference to it.
func (s *schemas) define(ref string, target value) (any, error) {
	name, ok := s.defs.names[ref]
	if !ok {
		base := ref[strings.LastIndex(ref, "/")+1:]
		name = base
		for n := 2; s.defs.taken[name]; n++ {
			name = base + strconv.Itoa(n)
		}
		s.defs.names[ref], s.defs.taken[name] = name, true
		place := len(s.defs.list)
		s.defs.list = append(s.defs.list, field{name: name}) // until it is written
		out, err := s.schema(target)
		if err != nil {
			return nil, err
		}
		s.defs.list[place].value = out
	}
	return object{{"$ref", "#/$defs/" + escapePointer(name)}}, nil
}

// exclusive makes limits of version 3.0, which are exclusive or not, those of JSON Schema.
func exclusive(in object) object {
	for _, word := range []struct{ flag, limit string }{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		flag := in.get(word.flag)
		if flag == nil {
			continue
		}
		limit := in.get(word.limit)
		raw, _ := encode(flag)
		out, _ := in.without(word.flag)
		if string(raw) == "true" && limit != nil {
			out, _ = out.without(word.limit)
			out = append(out, field{word.flag, limit})
		}
		in = out
	}
	return in
}

// orNull is a schema that takes null too.
func orNull(in object) any {
	kind, _ := encode(in.get("type"))
	if in.get("enum") == nil && in.get("const") == nil && len(kind) > 0 && kind[0] == '"' {
		return slices.Clone(in).with("type", []any{in.get("type"), "null"})
	}
	if len(in) == 0 {
		return in
	}
	inner, outer := in.without("description", "default", "title")
	return append(object{{"anyOf", []any{inner, object{{"type", "null"}}}}}, outer...)
}

// convert writes a schema. Defs gets the definitions that it refers to. A request has no references where that is
// possible: the manifest's grammar has none.
func (d *document) convert(v value, request bool, defs *definitions, lost *losses) (any, error) {
	if request {
		s := &schemas{doc: d, request: true, inline: true, lost: &losses{}}
		out, err := s.schema(v)
		if !errors.Is(err, errRecursive) && !errors.Is(err, errLarge) {
			lost.merge(s.lost)
			return out, err
		}
	}
	s := &schemas{doc: d, request: request, defs: defs, lost: lost}
	return s.schema(v)
}
