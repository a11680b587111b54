package offer

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
	"github.com/callsheet/callsheet/internal/webmcp/lock"
)

// Limits of the schema that a client is shown.
const (
	maxPublicBytes = 4000
	maxWords       = 20  // arguments with words of the page
	maxWordBytes   = 200 // of one argument
)

// keywords are those that a client is shown, by what their values are.
type keywords struct{ values, schemas, lists, maps []string }

func shownKeywords() keywords {
	return keywords{
		values: []string{
			"type", "required", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
			"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "format", "pattern", "$ref",
		},
		schemas: []string{"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"},
		lists:   []string{"anyOf", "oneOf", "allOf", "prefixItems"},
		maps:    []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"},
	}
}

// public returns a schema as clients are shown it, and the words of the page about the arguments. A schema
// that is too long is any object: arguments are validated all the same.
func public(raw json.RawMessage) (schema json.RawMessage, words []string) {
	anything := json.RawMessage(`{"type":"object"}`)
	var in map[string]json.RawMessage
	if len(raw) > lock.MaxSchema || json.Unmarshal(raw, &in) != nil {
		return anything, nil
	}
	root := withoutWords(shownKeywords(), raw, 0)
	out, ok := root.(map[string]any)
	if !ok {
		return anything, nil
	}
	out["type"] = "object"
	schema, err := json.Marshal(out)
	if err != nil || len(schema) > maxPublicBytes {
		schema = anything
	}
	var properties map[string]json.RawMessage
	_ = json.Unmarshal(in["properties"], &properties) // without properties, nothing has words
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		var p struct{ Description, Title string }
		_ = json.Unmarshal(properties[name], &p)
		if p.Description == "" {
			p.Description = p.Title
		}
		if p.Description != "" && len(words) < maxWords {
			words = append(words, text.ClipBytes(fence.Line(name), maxName)+": "+text.ClipBytes(fence.Line(p.Description), maxWordBytes))
		}
	}
	return schema, words
}

// withoutWords copies a schema with the keywords that callers need.
func withoutWords(shown keywords, raw json.RawMessage, depth int) any {
	var in map[string]json.RawMessage
	if depth > lock.MaxNesting || json.Unmarshal(raw, &in) != nil {
		var b bool
		if json.Unmarshal(raw, &b) == nil {
			return b
		}
		return true
	}
	out := make(map[string]any)
	for _, k := range shown.values {
		if v, ok := in[k]; ok {
			out[k] = v
		}
	}
	for _, k := range shown.schemas {
		if v, ok := in[k]; ok {
			out[k] = withoutWords(shown, v, depth+1)
		}
	}
	for _, k := range shown.lists {
		var list []json.RawMessage
		if json.Unmarshal(in[k], &list) != nil {
			continue
		}
		copies := slicesx.List(list, func(s json.RawMessage) any { return withoutWords(shown, s, depth+1) })
		out[k] = copies
	}
	for _, k := range shown.maps {
		var members map[string]json.RawMessage
		if json.Unmarshal(in[k], &members) != nil {
			continue
		}
		copies := make(map[string]any, len(members))
		for name, s := range members {
			copies[name] = withoutWords(shown, s, depth+1)
		}
		out[k] = copies
	}
	return out
}
