package subschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// comparer looks for values of one schema, the source, that another, the target, refuses.
type comparer struct {
	recursive bool            // a schema has references
	results   bool            // the source is the new schema, and the target the old one
	open      map[string]bool // pairs under comparison: a recursive schema meets them again
	documents [2]*document
}

// exhausted reports whether the comparison has done as much as it may.
func (c *comparer) exhausted() bool {
	return c.documents[0].exhausted() || c.documents[1].exhausted()
}

// say is a difference in the words of its direction.
func (c *comparer) say(kind Kind, path, input, result string, args ...any) Difference {
	format := input
	if c.results {
		format = result
	}
	return Difference{Kind: kind, Path: path, Message: fmt.Sprintf(format, args...)}
}

// unknown is a difference that cannot be decided, with both sides.
func (c *comparer) unknown(path, what, source, target string) Difference {
	d := Difference{Kind: Unknown, Path: path, Message: what, Was: source, Now: target}
	if c.results {
		d.Was, d.Now = target, source
	}
	return d
}

func (c *comparer) compare(path string, source, target schema) []Difference {
	a, b := describe(source), describe(target)
	if c.documents[0].charge(1 + (len(a)+len(b))/textUnit); c.exhausted() {
		return nil // the whole comparison is undecided
	}
	if a == b && !strings.Contains(a, "Ref\"") && !strings.Contains(a, "$ref") {
		return nil
	}
	if c.recursive {
		key := identity(source) + "\x00" + identity(target)
		if c.open[key] {
			return nil
		}
		c.open[key] = true
		defer delete(c.open, key)
	}
	from, to := source.variants(0), target.variants(0)
	var out []Difference
	for _, n := range from {
		out = append(out, c.covered(path, n, to)...)
	}
	return distinct(out)
}

// describe is the canonical text of a schema.
func describe(s schema) string {
	parts := slicesx.Map(s, func(p part) string { return p.doc.canonical(p.value) })
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), " and ")
}

// identity tells schemas of one comparison apart: by the text, without definitions, and the document.
func identity(s schema) string {
	var b strings.Builder
	for _, p := range s {
		if p.doc == nil {
			continue // says no more than that the whole is an object
		}
		value := p.value
		if m, ok := value.(map[string]any); ok {
			m = maps.Clone(m)
			delete(m, "$defs")
			delete(m, "definitions")
			value = m
		}
		fmt.Fprintf(&b, "%p %s;", p.doc, canonical(value))
	}
	return b.String()
}

// maxSplit bounds the values of an enum that are looked at one by one.
const maxSplit = 200

// covered lists why values of the node are in none of the targets.
func (c *comparer) covered(path string, n *node, targets []*node) []Difference {
	if len(targets) == 1 {
		return c.nodes(path, n, targets[0])
	}
	for _, t := range targets {
		if len(c.nodes(path, n, t)) == 0 {
			return nil
		}
	}
	if pieces := n.split(); len(pieces) > 1 {
		var out []Difference
		for _, piece := range pieces {
			out = append(out, c.covered(path, piece, targets)...)
		}
		return out
	}
	like := slicesx.Filter(targets, func(t *node) bool { return !apart(n, t) })
	switch {
	case len(like) == 1:
		return c.nodes(path, n, like[0])
	case len(like) == 0 && n.hasEnum:
		return []Difference{c.say(Enum, path, "it no longer takes %s", "it may now be %s", list(n.enum))}
	case len(like) == 0:
		if same := sameType(n, targets); len(same) == 1 {
			return c.nodes(path, n, same[0])
		}
		return []Difference{c.say(Type, path, "it no longer takes %s", "it may now be %s", n)}
	}
	return []Difference{c.unknown(path, "a union changed, and which of its variants takes the values cannot be decided", n.String(), texts(targets))}
}

// sameType returns the targets of a type of the node.
func sameType(n *node, targets []*node) []*node {
	return slices.DeleteFunc(slices.Clone(targets), func(t *node) bool { return t.types&n.types == 0 })
}

// split divides a node into nodes of one type, and those of enums into values.
func (n *node) split() []*node {
	var out []*node
	if n.hasEnum && len(n.enum) <= maxSplit {
		for _, v := range n.enum {
			piece := *n
			piece.enum, piece.types = []any{v}, typeOfValue(v)
			out = append(out, &piece)
		}
		return out
	}
	for _, bit := range []types{null, boolean, integer, fraction, text, array, object} {
		if n.types&bit == 0 || n.hasEnum {
			continue
		}
		piece := *n
		piece.types = bit
		if bit == boolean {
			for _, v := range []any{true, false} {
				one := piece
				one.enum, one.hasEnum = []any{v}, true
				out = append(out, &one)
			}
			continue
		}
		if bit == integer && n.types&fraction != 0 {
			piece.types |= fraction
		}
		if bit == fraction && n.types&integer != 0 {
			continue
		}
		out = append(out, &piece)
	}
	return out
}

// String describes a node in a message.
func (n *node) String() string {
	var with []string
	if n.hasEnum {
		return list(n.enum)
	}
	if len(n.order) > 0 && n.types == object {
		with = append(with, "with "+strings.Join(n.order, ", "))
	}
	for _, p := range n.patterns {
		with = append(with, "like "+p)
	}
	for _, text := range n.constraints() {
		with = append(with, "where "+text)
	}
	return strings.Join(append([]string{n.types.String()}, with...), " ")
}

func texts(nodes []*node) string {
	out := slicesx.Map(nodes, func(n *node) string { return n.String() })
	return strings.Join(out, " | ")
}

// list shows the values of an enum, at most ten.
func list(values []any) string {
	var out []string
	for i, v := range values {
		if i == 10 {
			out = append(out, fmt.Sprintf("and %d more", len(values)-i))
			break
		}
		out = append(out, valueText(v))
	}
	return strings.Join(out, ", ")
}

// nodes lists why values of one node are not in another.
func (c *comparer) nodes(path string, a, b *node) []Difference {
	if c.documents[0].charge(a.size() + b.size()); c.exhausted() {
		return nil
	}
	var out []Difference
	if lost := a.types &^ b.types; lost != 0 {
		d := c.say(Type, path, "it was %s and is %s", "it was %[2]s and is %[1]s", a.types, b.types)
		if b.hasEnum && len(a.enum) > 0 {
			d = c.enums(path, a, b)[0]
		}
		if a.types&b.types == 0 || b.hasEnum {
			return []Difference{d}
		}
		out = append(out, d)
	}
	both := *a
	both.types &= b.types
	a = &both
	if d := c.enums(path, a, b); len(d) > 0 {
		return append(out, d...)
	}
	if !b.hasEnum {
		out = append(out, c.limits(path, a, b)...)
	}
	if a.types&array != 0 {
		out = append(out, c.arrays(path, a, b)...)
	}
	if a.types&object != 0 {
		out = append(out, c.objects(path, a, b)...)
	}
	return append(out, c.wholes(path, a, b)...)
}

// enums compares the values that two enums name.
func (c *comparer) enums(path string, a, b *node) []Difference {
	switch {
	case !b.hasEnum:
		return nil
	case !a.hasEnum && a.types == boolean && contains(b.enum, true) && contains(b.enum, false), !a.hasEnum && a.types == null:
		return nil
	case !a.hasEnum:
		return []Difference{c.say(Enum, path, "it took any %[2]s and takes only %[1]s", "it was one of %s and may be any %s", list(b.enum), a.types)}
	}
	taken := valueSet(b.enum)
	lost := slices.DeleteFunc(slices.Clone(a.enum), func(v any) bool { return taken[valueText(v)] })
	if len(lost) == 0 {
		return nil
	}
	return []Difference{c.say(Enum, path, "it no longer takes %s", "it may now be %s", list(lost))}
}

// constraints lists the opaque constraints.
func (n *node) constraints() []string {
	var out []string
	for key, text := range n.opaque {
		if text == "true" {
			text = key
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

// wholes compares constraints that are only compared as a whole.
func (c *comparer) wholes(path string, a, b *node) []Difference {
	var fresh []string
	for key, text := range b.opaque {
		if _, ok := a.opaque[key]; !ok && !a.meets(key, text) {
			fresh = append(fresh, text)
			if text == "true" {
				fresh[len(fresh)-1] = key
			}
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	slices.Sort(fresh)
	side := strings.Join(a.constraints(), "; ")
	if side == "" {
		side = "no such constraint"
	}
	what := "it has another constraint"
	if len(a.opaque) == 0 {
		what = "it has a constraint that it did not have"
	}
	if c.results {
		what = "a constraint changed, and the result may have other values"
	}
	return []Difference{c.unknown(path, what, side, strings.Join(fresh, "; "))}
}

// meets reports whether values of the node meet an opaque constraint for certain.
func (n *node) meets(keyword, text string) bool {
	name, _, _ := strings.Cut(keyword, " ")
	kinds := map[string]types{
		"uniqueItems": array, "contains": array, "minContains": array, "maxContains": array, "unevaluatedItems": array, "multipleOf": integer | fraction,
		"dependentRequired": object, "dependentSchemas": object, "dependencies": object, "propertyNames": object, "patternProperties": object, "unevaluatedProperties": object,
	}
	if kind, ok := kinds[name]; ok && n.types&kind == 0 {
		return true
	}
	if name != "multipleOf" {
		return false
	}
	step, ok := divisor(text)
	if !ok {
		return false
	}
	if step == 1 && n.types&fraction == 0 {
		return true
	}
	for _, other := range n.opaque {
		if was, ok := divisor(other); ok && step != 0 && was/step == float64(int64(was/step)) {
			return true
		}
	}
	return false
}

// divisor is the number of a multipleOf.
func divisor(text string) (float64, bool) {
	value, ok := strings.CutPrefix(text, "multipleOf: ")
	if !ok {
		return 0, false
	}
	f, err := json.Number(value).Float64()
	return f, err == nil
}
