// Package subschema decides whether every value that one JSON Schema takes is taken by another, and
// names what is not.
//
// It follows references, unions, intersections and enums, and reports as Unknown what it cannot decide.
// It must not know what the schemas belong to.
package subschema

import "encoding/json"

// Kind is the subject of a difference.
type Kind string

// The kinds of differences.
const (
	Deleted  Kind = "deleted"  // a property is no longer declared
	Required Kind = "required" // a property must be given, or is no longer sure to be there
	Type     Kind = "type"     // another type, or a lost or new variant of a union
	Enum     Kind = "enum"     // a value is no longer taken, or is new in a result
	Bounds   Kind = "bounds"   // a limit, pattern, format or closed object
	Unknown  Kind = "unknown"  // it cannot be decided whether this breaks
)

// Difference is one reason why a value of the old schema may be refused.
type Difference struct {
	Kind    Kind
	Path    string // of the value, as in filter.names[]; "" is the whole
	Message string
	Was     string // the old side where the message does not say it; "" otherwise
	Now     string
}

// Schema is a decoded schema. It may be compared by one goroutine at a time.
type Schema struct {
	document *document
	err      error
	key      string
}

// Parse decodes a schema. One that is empty takes everything; one that is no JSON differs from all others in a
// way that is Unknown.
func Parse(text json.RawMessage) *Schema {
	d, err := parse(text)
	if err != nil {
		return &Schema{err: err, key: string(text)}
	}
	return &Schema{document: d, key: d.canonical(d.root)}
}

// Key is a text that is equal for schemas which differ only in order and in descriptive keywords.
func (s *Schema) Key() string { return s.key }

// Inputs lists why arguments that the old schema took could be refused by the new one. Arguments of
// names that the old schema did not declare do not count: callers follow the schema.
func Inputs(was, now *Schema) []Difference { return compare(was, now, false) }

// Results lists why a reader of results of the old schema could be surprised by those of the new one. A
// result may have more members than before unless the old schema forbade others.
func Results(was, now *Schema) []Difference { return compare(was, now, true) }

// compare compares schemas of whole arguments or results, which are objects whatever the schemas say.
func compare(was, now *Schema, results bool) []Difference {
	switch {
	case was.key == now.key:
		return nil
	case was.err != nil:
		return []Difference{{Kind: Unknown, Message: "the old schema cannot be read: " + was.err.Error()}}
	case now.err != nil:
		return []Difference{{Kind: Unknown, Message: "the new schema cannot be read: " + now.err.Error()}}
	}
	old, new := was.document, now.document
	whole := part{map[string]any{"type": "object"}, nil}
	old.work, new.work = 0, 0
	c := &comparer{recursive: old.refers || new.refers, results: results, open: map[string]bool{}, documents: [2]*document{old, new}}
	a, b := schema{{old.root, old}, whole}, schema{{new.root, new}, whole}
	if results { // the values of the new schema are those that come
		a, b = b, a
	}
	out := c.compare("", a, b)
	if c.exhausted() {
		return []Difference{{Kind: Unknown, Message: "the schemas differ, and comparing them takes too long to decide what breaks"}}
	}
	return distinct(out)
}

// distinct keeps the first of equal differences.
func distinct(in []Difference) []Difference {
	seen := map[Difference]bool{}
	var out []Difference
	for _, d := range in {
		if !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	return out
}
