package subschema

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// types is a set of JSON types. Numbers that are integers are a type of their own.
type types uint8

const (
	null types = 1 << iota
	boolean
	integer
	fraction
	text
	array
	object

	anyType = null | boolean | integer | fraction | text | array | object
)

func (t types) String() string {
	if t == anyType {
		return "any"
	}
	var out []string
	for _, row := range []struct {
		bits types
		name string
	}{{null, "null"}, {boolean, "boolean"}, {integer | fraction, "number"}, {integer, "integer"}, {text, "string"}, {array, "array"}, {object, "object"}} {
		if t&row.bits == row.bits {
			out = append(out, row.name)
			t &^= row.bits
		}
	}
	if t&fraction != 0 {
		out = append(out, "number that is no integer")
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, " or ")
}

func typesOf(v any) types {
	if list, ok := v.([]any); ok {
		var t types
		for _, one := range list {
			t |= typesOf(one)
		}
		return t
	}
	name, _ := v.(string)
	return map[string]types{
		"null": null, "boolean": boolean, "integer": integer, "number": integer | fraction, "string": text, "array": array, "object": object,
	}[name]
}

// typeOfValue is the type of a JSON value.
func typeOfValue(v any) types {
	switch v := v.(type) {
	case nil:
		return null
	case bool:
		return boolean
	case json.Number:
		if f, err := v.Float64(); err == nil && f != float64(int64(f)) {
			return fraction
		}
		return integer
	case string:
		return text
	case []any:
		return array
	}
	return object
}

// schema is the conjunction of parts; none is the schema of every value.
type schema []part

type part struct {
	value any // a decoded schema: a map or a bool
	doc   *document
}

// node is a schema without references and unions: the conjunction of its keywords.
type node struct {
	types      types
	enum       []any // nil is none; a node with an empty one takes nothing
	hasEnum    bool
	limits     map[string]float64 // by keyword; the exclusive ones too
	patterns   []string           // sorted, without repetition
	formats    []string
	items      schema
	prefix     []schema
	properties map[string]schema
	order      []string // of properties
	required   []string
	closed     bool              // additionalProperties is false
	others     schema            // of properties that are not declared; nil is any
	isOpen     bool              // additionalProperties is true
	opaque     map[string]string // constraints that are only compared as a whole: text by keyword and text
}

func anyNode() *node {
	return &node{types: anyType, limits: map[string]float64{}, properties: map[string]schema{}, opaque: map[string]string{}}
}

// isEmpty reports whether the node takes no value for certain.
func (n *node) isEmpty() bool { return n.types == 0 || n.hasEnum && len(n.enum) == 0 }

// lower reports a limit that values must not go below.
func lower(keyword string) bool {
	return strings.HasPrefix(keyword, "min") || keyword == "exclusiveMinimum"
}

// and is the conjunction of two nodes.
func (n *node) and(m *node) *node {
	out := anyNode()
	out.types = n.types & m.types
	out.hasEnum = n.hasEnum || m.hasEnum
	switch {
	case n.hasEnum && m.hasEnum:
		both := valueSet(m.enum)
		out.enum = slices.DeleteFunc(slices.Clone(n.enum), func(v any) bool { return !both[valueText(v)] })
	case n.hasEnum:
		out.enum = n.enum
	default:
		out.enum = m.enum
	}
	maps.Copy(out.limits, n.limits)
	for k, v := range m.limits {
		if was, ok := out.limits[k]; !ok || lower(k) == (v > was) {
			out.limits[k] = v
		}
	}
	out.patterns, out.formats = union(n.patterns, m.patterns), union(n.formats, m.formats)
	out.items = slices.Concat(n.items, m.items)
	for i := range max(len(n.prefix), len(m.prefix)) {
		out.prefix = append(out.prefix, slices.Concat(at(n.prefix, i), at(m.prefix, i)))
	}
	maps.Copy(out.properties, n.properties)
	out.order = slices.Clone(n.order)
	for _, name := range m.order {
		if _, ok := out.properties[name]; !ok {
			out.order = append(out.order, name)
		}
		out.properties[name] = slices.Concat(out.properties[name], m.properties[name])
	}
	out.required = union(n.required, m.required)
	out.closed, out.others, out.isOpen = n.closed || m.closed, slices.Concat(n.others, m.others), n.isOpen && m.isOpen
	maps.Copy(out.opaque, n.opaque)
	maps.Copy(out.opaque, m.opaque)
	return out
}

func at(list []schema, i int) schema {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func union(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// size is the number of values and members that a conjunction with the node copies, at least 1.
func (n *node) size() int { return 1 + len(n.enum) + len(n.order) + len(n.required) + len(n.opaque) }

// valueSet returns the texts of values.
func valueSet(list []any) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, v := range list {
		out[valueText(v)] = true
	}
	return out
}

func contains(list []any, v any) bool {
	key := valueText(v)
	return slices.ContainsFunc(list, func(o any) bool { return valueText(o) == key })
}

// maxVariants bounds the alternatives of a schema, and maxDepth a chain of references without a value
// between.
const (
	maxVariants = 64
	maxDepth    = 32
)

// variants returns nodes that together take what the schema takes. A schema with too many, or with a
// reference that leads nowhere, has an opaque constraint in place of the union.
func (s schema) variants(depth int) []*node {
	out := []*node{anyNode()}
	for _, p := range s {
		out = product(out, p.variants(depth), p)
	}
	return slices.DeleteFunc(out, (*node).isEmpty)
}

// product is the conjunction of two unions.
func product(a, b []*node, p part) []*node {
	if len(a)*len(b) > maxVariants {
		b = []*node{opaque("a union", p.doc.canonical(p.value))}
	}
	var out []*node
	for _, x := range a {
		for _, y := range b {
			p.doc.charge(x.size() + y.size())
			out = append(out, x.and(y))
		}
	}
	return out
}

func opaque(keyword, text string) *node {
	n := anyNode()
	n.opaque[keyword+" "+text] = text
	return n
}

func (p part) variants(depth int) []*node {
	s, ok := p.value.(map[string]any)
	if !ok {
		if p.value == false {
			return nil
		}
		return []*node{anyNode()}
	}
	if p.doc.charge(1); p.doc.exhausted() {
		return []*node{anyNode()}
	}
	out := []*node{p.node(s)}
	if ref, ok := s["$ref"].(string); ok {
		target, found := p.doc.resolve(ref)
		if !found || depth > maxDepth {
			out = product(out, []*node{opaque("$ref", ref)}, p)
		} else {
			out = product(out, schema{{target, p.doc}}.variants(depth+1), p)
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		list, ok := s[keyword].([]any)
		if !ok {
			continue
		}
		var any []*node
		for _, one := range list {
			any = append(any, schema{{one, p.doc}}.variants(depth+1)...)
		}
		if keyword == "oneOf" && (len(any) > maxVariants || !disjoint(any)) {
			any = product(any, []*node{opaque("oneOf", canonical(list))}, p)
		}
		out = product(out, any, p)
	}
	list, _ := s["allOf"].([]any)
	for _, one := range list {
		out = product(out, schema{{one, p.doc}}.variants(depth+1), p)
	}
	return out
}

// disjoint reports whether no value is of two of the nodes, as far as types, enums and tags show.
func disjoint(nodes []*node) bool {
	for i, a := range nodes {
		for _, b := range nodes[i+1:] {
			if !apart(a, b) {
				return false
			}
		}
	}
	return true
}

// apart reports whether two nodes have no value in common for certain.
func apart(a, b *node) bool {
	both := a.and(b)
	if both.isEmpty() {
		return true
	}
	if both.types != object {
		return false
	}
	for _, name := range both.required { // a tag has one value in each
		if s, ok := both.properties[name]; ok && len(s.variants(maxDepth)) == 0 {
			return true
		}
	}
	return slices.ContainsFunc(a.required, func(name string) bool { return b.closed && b.properties[name] == nil }) ||
		slices.ContainsFunc(b.required, func(name string) bool { return a.closed && a.properties[name] == nil })
}
