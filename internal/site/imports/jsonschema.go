package imports

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/callsheet/callsheet/gen/importer"
)

// maxParts bounds the parts of a schema, references followed: those of some documents lead everywhere.
const maxParts = 600

// errLarge says that a schema has more parts than are read.
var errLarge = errors.New("its schema is too large")

// resolver reads one JSON Schema whose references lead to definitions of a document.
type resolver struct {
	defs  map[string]any
	parts int      // that were read
	open  []string // references that are being followed
}

// follow calls read with what a reference names; with nil where it leads to itself, of which a manifest
// says that it is any value.
func (r *resolver) follow(ref string, read func(any)) {
	if slices.Contains(r.open, ref) {
		read(nil)
		return
	}
	r.open = append(r.open, ref)
	read(r.defs[strings.TrimPrefix(ref, "#/$defs/")])
	r.open = r.open[:len(r.open)-1]
}

// limits are keywords that only narrow values, or say nothing of them. A manifest has no form of them, and
// the server holds calls to them.
func limits() []string {
	return []string{"uniqueItems", "multipleOf", "examples", "example", "deprecated", "readOnly", "writeOnly", "$comment", "contentEncoding", "contentMediaType", "xml", "externalDocs"}
}

// inline returns a schema with its references replaced by what they name, and without limits that a
// manifest does not have.
func (r *resolver) inline(v any) (out any, err error) {
	if r.parts++; r.parts > maxParts {
		return nil, errLarge
	}
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			if list[i], err = r.inline(v[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			r.follow(ref, func(named any) {
				if out = map[string]any{}; named != nil {
					out, err = r.inline(named)
				}
			})
			return out, err
		}
		members := map[string]any{}
		for name, member := range v {
			if slices.Contains(limits(), name) {
				continue
			}
			if name == "properties" {
				members[name], err = r.inlineEach(member)
			} else {
				members[name], err = r.inline(member)
			}
			if err != nil {
				return nil, err
			}
		}
		adapt(members)
		return members, nil
	}
	return v, nil
}

// inlineEach is inline of each schema of an object, whose names say nothing.
func (r *resolver) inlineEach(v any) (any, error) {
	schemas, _ := v.(map[string]any)
	out := make(map[string]any, len(schemas))
	for name, of := range schemas {
		var err error
		if out[name], err = r.inline(of); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// adapt rewrites keywords for which a manifest has another form.
func adapt(s map[string]any) {
	if s["type"] == "array" && s["items"] == nil {
		s["items"] = map[string]any{}
	}
	if members, ok := s["properties"].(map[string]any); ok && len(members) > 0 {
		delete(s, "additionalProperties") // objects of a manifest are closed
	}
	if values, ok := s["enum"].([]any); ok {
		isText := func(v any) bool { _, ok := v.(string); return ok }
		switch texts := !slices.ContainsFunc(values, func(v any) bool { return !isText(v) }); {
		case texts && s["type"] == nil:
			s["type"] = "string"
		case !texts: // the server holds calls to them
			delete(s, "enum")
		}
	}
	switch value := s["default"].(type) {
	case []any, map[string]any, nil:
		delete(s, "default")
	case string: // of whoever wrote the schema, who chooses no secret
		if namesSecret(value) {
			delete(s, "default")
		}
	}
}

// property returns the declaration of one parameter in the manifest's grammar.
func (r *resolver) property(name string, of any, required bool) (yaml.MapItem, error) {
	r.parts = 0
	inlined, err := r.inline(of)
	if err != nil {
		return yaml.MapItem{}, err
	}
	if s, ok := inlined.(map[string]any); ok && required {
		delete(s, "default")
	}
	object := map[string]any{"type": "object", "properties": map[string]any{name: inlined}, "additionalProperties": false}
	if required {
		object["required"] = []string{name}
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return yaml.MapItem{}, err
	}
	text, err := importer.Input(raw)
	if err != nil {
		return yaml.MapItem{}, err
	}
	var doc struct {
		Input yaml.MapSlice `yaml:"input"`
	}
	if err := yaml.UnmarshalWithOptions([]byte(text), &doc, yaml.UseOrderedMap()); err != nil {
		return yaml.MapItem{}, err
	}
	if len(doc.Input) != 1 {
		return yaml.MapItem{}, errors.New("its schema has no form in a manifest")
	}
	return doc.Input[0], nil
}
