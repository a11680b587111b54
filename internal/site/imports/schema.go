package imports

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// maxDepth bounds how deep a declared value is described, and maxProperties how many members of an object
// are. What is beyond is any value.
const (
	maxDepth      = 6
	maxProperties = 80
)

// schema is the type of a value, as far as a manifest can declare it.
type schema struct {
	kind        string // string, integer, number, boolean, array, object or any
	nullable    bool
	description string
	enum        []string
	items       *schema    // of an array
	properties  []property // of an object; none: whatever members it has
	values      *schema    // of an object that is a map; nil otherwise
}

type property struct {
	name     string
	schema   *schema
	required bool
}

// declared returns the schema in the manifest's grammar.
func (s *schema) declared(required bool) yaml.MapSlice {
	out := yaml.MapSlice{{Key: "type", Value: s.kind}}
	add := func(key string, value any) { out = append(out, yaml.MapItem{Key: key, Value: value}) }
	if required {
		add("required", true)
	}
	if s.nullable && s.kind != "any" {
		add("nullable", true)
	}
	if s.description != "" {
		add("description", s.description)
	}
	if len(s.enum) > 0 {
		add("enum", s.enum)
	}
	switch {
	case s.kind == "array":
		add("items", s.items.declared(false))
	case s.kind == "object" && len(s.properties) > 0:
		members := yaml.MapSlice{}
		for _, p := range s.properties {
			members = append(members, yaml.MapItem{Key: p.name, Value: p.schema.declared(p.required)})
		}
		add("properties", members)
	case s.kind == "object" && s.values != nil:
		add("additionalProperties", s.values.declared(false))
	case s.kind == "object":
		add("additionalProperties", true)
	}
	return out
}

// inferred returns the schema that JSON values share. The members of the outermost object keep their names;
// of objects within it, members whose name a manifest cannot have are left out, and one with no others is a map.
func inferred(values []any) *schema { return infer(values, 0) }

func infer(values []any, depth int) *schema {
	out := &schema{}
	var present []any
	for _, v := range values {
		if v == nil {
			out.nullable = true
			continue
		}
		present = append(present, v)
		switch kind := kindOf(v); {
		case out.kind == "" || out.kind == kind:
			out.kind = kind
		case isNumber(out.kind) && isNumber(kind):
			out.kind = "number"
		default:
			out.kind = "any"
		}
	}
	switch {
	case out.kind == "" || depth > maxDepth:
		out.kind = "any"
	case out.kind == "array":
		var items []any
		for _, v := range present {
			list, _ := v.([]any)
			items = append(items, list...)
		}
		out.items = infer(items, depth+1)
	case out.kind == "object":
		out.inferMembers(present, depth)
	}
	return out
}

func isNumber(kind string) bool { return kind == "integer" || kind == "number" }

// inferMembers describes the members that objects have. A member that is null in all of them has no type
// and is left out.
func (s *schema) inferMembers(objects []any, depth int) {
	values := map[string][]any{}
	for _, o := range objects {
		members, _ := o.(map[string]any)
		for name, v := range members {
			values[name] = append(values[name], v)
		}
	}
	names := make([]string, 0, len(values))
	var all []any
	for name, of := range values {
		all = append(all, of...)
		if depth == 0 || isProperty(name) {
			names = append(names, name)
		}
	}
	if slices.Sort(names); len(names) == 0 && len(all) > 0 || len(names) > maxProperties { // ids of records
		s.values = infer(all, depth+1)
		return
	}
	for _, name := range names {
		if member := infer(values[name], depth+1); member.kind != "any" || !member.nullable {
			s.properties = append(s.properties, property{name, member, depth == 0 && len(values[name]) == len(objects) && !member.nullable})
		}
	}
}

func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// typeOfTexts returns the type that all texts, such as those of a query, have.
func typeOfTexts(texts []string) *schema {
	every := func(fits func(string) bool) bool {
		return !slices.ContainsFunc(texts, func(s string) bool { return !fits(s) })
	}
	switch {
	case every(func(s string) bool { return s == "true" || s == "false" }):
		return &schema{kind: "boolean"}
	case every(func(s string) bool {
		n, err := strconv.ParseInt(s, 10, 53)
		return err == nil && strconv.FormatInt(n, 10) == s
	}):
		return &schema{kind: "integer"}
	case every(func(s string) bool {
		n, err := strconv.ParseFloat(s, 64)
		return err == nil && strconv.FormatFloat(n, 'f', -1, 64) == s
	}):
		return &schema{kind: "number"}
	case every(func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil }):
		return &schema{kind: "string", description: "A date such as 2026-01-31."}
	}
	return &schema{kind: "string"}
}

// typed returns a text as a value of a type.
func typed(text, kind string) any {
	switch kind {
	case "boolean":
		return text == "true"
	case "integer":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	case "number":
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
	}
	return text
}

// plain returns a JSON value as YAML writes it: with numbers in place of json.Number.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if n, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return n
		}
		n, _ := v.Float64() // what is beyond is infinite
		return n
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		out := yaml.MapSlice{}
		for _, name := range names {
			out = append(out, yaml.MapItem{Key: name, Value: plain(v[name])})
		}
		return out
	}
	return v
}

// compact returns a value as JSON.
func compact(v any) string {
	raw, _ := json.Marshal(v) // it was read from JSON
	return string(raw)
}

// decode reads one JSON value with numbers as they are written; false for what is none.
func decode(text string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	return v, true
}
