// Package extract fills a schema from the data of a page: JSON-LD, microdata, meta elements,
// tables, term lists, and elements whose markup names a field.
//
// It works on gathered data alone and must not know browsers, pages or tools.
package extract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Field is one property of a record.
type Field struct {
	Name string
	// Type is string, number, integer, boolean, array, object, or "" for any.
	Type string
}

// Schema is the fields of a record, in the order of their names.
type Schema struct {
	Fields []Field
	// IsList says that a list of records is wanted.
	IsList bool
}

// Limits of a schema; a larger one is a mistake or an attack.
const (
	maxFields      = 100
	maxSchemaBytes = 20_000
)

// Parse reads a JSON Schema of an object with properties or of an array of such objects; or,
// shorter, an object of field names and types: {"title": "string", "price": "number"}.
func Parse(text string) (Schema, error) {
	if len(text) > maxSchemaBytes {
		return Schema{}, fault.New(codes.Failed, fmt.Sprintf("the schema is longer than %d bytes", maxSchemaBytes))
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &top); err != nil {
		return Schema{}, fmt.Errorf("the schema is no JSON object: %w", err)
	}
	var s Schema
	if kind(top["type"]) == "array" && top["items"] != nil {
		s.IsList = true
		var items map[string]json.RawMessage
		if err := json.Unmarshal(top["items"], &items); err != nil {
			return Schema{}, fmt.Errorf("items is no JSON object: %w", err)
		}
		top = items
	}
	fields := top
	if top["properties"] != nil {
		fields = nil
		if err := json.Unmarshal(top["properties"], &fields); err != nil {
			return Schema{}, fmt.Errorf("properties is no JSON object: %w", err)
		}
	}
	for name, raw := range fields {
		f, err := field(name, raw)
		if err != nil {
			return Schema{}, err
		}
		s.Fields = append(s.Fields, f)
	}
	if len(s.Fields) == 0 || len(s.Fields) > maxFields {
		return Schema{}, fault.New(codes.Failed, fmt.Sprintf("a schema has 1 to %d fields, this one has %d", maxFields, len(s.Fields)))
	}
	slices.SortFunc(s.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return s, nil
}

func field(name string, raw json.RawMessage) (Field, error) {
	f := Field{Name: name, Type: kind(raw)}
	if f.Type == "" {
		var described struct {
			Type json.RawMessage `json:"type"`
		}
		if json.Unmarshal(raw, &described) != nil {
			return f, fault.New(codes.Failed, fmt.Sprintf("the field %q is neither a type nor a schema", name))
		}
		f.Type = kind(described.Type)
	}
	switch f.Type {
	case "", "string", "number", "integer", "boolean", "array", "object":
	default:
		return f, fault.New(codes.Failed, fmt.Sprintf("the field %q has the unknown type %q", name, f.Type))
	}
	if normalize(name) == "" {
		return f, fault.New(codes.Failed, fmt.Sprintf("the field name %q has no letter or digit", name))
	}
	return f, nil
}

// kind returns the type's name; of a list of types the first that is not null.
func kind(raw json.RawMessage) string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return one
	}
	var several []string
	if json.Unmarshal(raw, &several) == nil {
		for _, s := range several {
			if s != "null" {
				return s
			}
		}
	}
	return ""
}

// Names returns the names of the fields.
func (s Schema) Names() []string {
	return slicesx.List(s.Fields, func(f Field) string { return f.Name })
}
