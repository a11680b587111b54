package lsp

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/invopop/jsonschema"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/lsp/place"
)

// grammar is the schema of the manifest's files, which says which keys stand where.
var grammar = sync.OnceValue(schema.Manifest)

// schemasAt lists the schemas that apply at a path: several where a value has several forms.
func schemasAt(path []place.Step) []*jsonschema.Schema {
	at := forms(grammar())
	for _, step := range path {
		var next []*jsonschema.Schema
		for _, s := range at {
			switch {
			case step.Entry && s.Items != nil:
				next = append(next, forms(s.Items)...)
			case step.Entry:
			default:
				next = append(next, forms(memberOf(s, step.Key))...)
			}
		}
		at = next
	}
	return at
}

// memberOf returns the schema of a member; nil when the mapping takes none of that name.
func memberOf(s *jsonschema.Schema, key string) *jsonschema.Schema {
	if s.Properties != nil {
		if p, ok := s.Properties.Get(key); ok {
			return p
		}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
		return s.AdditionalProperties
	}
	return nil
}

// forms follows references and lists the alternatives of a schema.
func forms(s *jsonschema.Schema) []*jsonschema.Schema {
	if s == nil {
		return nil
	}
	out := []*jsonschema.Schema{s}
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		out = append(out, forms(grammar().Definitions[name])...)
	}
	for _, alternative := range slices.Concat(s.AnyOf, s.OneOf) {
		out = append(out, forms(alternative)...)
	}
	return out
}

// keysAt lists the keys that the mapping at a path takes, with what each is for.
func keysAt(path []place.Step) []named {
	var out []named
	for _, s := range schemasAt(path) {
		if s.Properties == nil {
			continue
		}
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			if !slices.ContainsFunc(out, func(n named) bool { return n.name == p.Key }) {
				out = append(out, named{name: p.Key, doc: describe(forms(p.Value))})
			}
		}
	}
	return out
}

// valuesAt lists the values that the grammar names at a path.
func valuesAt(path []place.Step) []named {
	var out []named
	for _, s := range schemasAt(path) {
		for _, v := range s.Enum {
			out = append(out, named{name: fmt.Sprint(v)})
		}
		if s.Type == "boolean" {
			out = append(out, named{name: "true"}, named{name: "false"})
		}
	}
	return out
}

// describe returns what the first schema that says anything says.
func describe(all []*jsonschema.Schema) string {
	for _, s := range all {
		if s.Description != "" {
			return s.Description
		}
	}
	return ""
}
