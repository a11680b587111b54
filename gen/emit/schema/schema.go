// Package schema turns resolved tools into JSON Schema values and into the exact bytes that
// tools/list carries for them.
//
// It is the one place that knows which key comes before which: the generated registry, the
// snapshots and the size budget all take their bytes from here, so they cannot disagree. It must
// not know Go source, markdown, or which tools a server lists.
package schema

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
)

// Emit plans schema/<tool>.json (the input) and schema/<tool>.output.json for every tool, indented
// for reviewers, and schema/manifest.schema.json for editors where the layout has references. The error is always nil; the
// signature is that of every emitter.
func Emit(ts *model.Toolset) ([]output.File, error) {
	files := make([]output.File, 0, len(ts.Tools)+1)
	for _, t := range ts.Tools {
		files = append(files, output.File{Path: "schema/" + t.Name + ".json", Data: indented(json.RawMessage(Contract(t)))})
		if t.Output != nil {
			files = append(files, output.File{Path: "schema/" + t.Name + ".output.json", Data: indented(mirror(Output(t)))})
		}
	}
	if ts.Layout.WithoutReferences {
		return files, nil
	}
	return append(files, output.File{Path: "schema/manifest.schema.json", Data: indented(Manifest())}), nil
}

// Input is the schema of a tool's arguments: a closed object that has "properties" even when there
// are none, because some clients refuse a tool without that key.
func Input(t *model.Tool) *jsonschema.Schema { return object(t.Input.Properties, full) }

// Output is the schema of a tool's structured content, or nil when the tool returns free content.
func Output(t *model.Tool) *jsonschema.Schema {
	if t.Output == nil {
		return nil
	}
	return object(t.Output.Properties, full)
}

// detail says how much of a property reaches the schema.
type detail int

const (
	full detail = iota
	bare        // no descriptions and no defaults: what the slim list pays for
)

func object(properties []*model.Property, d detail) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type:                 "object",
		Properties:           jsonschema.NewProperties(),
		AdditionalProperties: jsonschema.FalseSchema,
	}
	for _, p := range properties {
		s.Properties.Set(p.Name, member(p, d))
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}
	return s
}

func member(p *model.Property, d detail) *jsonschema.Schema {
	s := value(p.Type, d)
	if d == bare {
		return s
	}
	s.Description = strings.TrimSpace(p.Description + " " + numbered(p.Type))
	if p.Default != nil && (p.Type.Kind != model.Boolean || p.Default.Bool) { // false is what anyone expects
		s.Default = literal(p.Type.Kind, p.Default)
	}
	return s
}

// numbered says which number of an enum means what, of a value or of the values in it; "" for other types.
func numbered(t *model.Type) string {
	for t.Items != nil || t.Values != nil {
		t = cmp.Or(t.Items, t.Values)
	}
	parts := make([]string, len(t.Numbers))
	for i, n := range t.Numbers {
		parts[i] = strconv.Itoa(n.Value) + " = " + n.Name
	}
	return strings.Join(parts, ", ")
}

func value(t *model.Type, d detail) *jsonschema.Schema {
	s := certain(t, d)
	if !t.Nullable {
		return s
	}
	if s.AnyOf != nil {
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: null})
		return s
	}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	s.Extras = map[string]any{"type": []string{s.Type, null}}
	s.Type = ""
	return s
}

// null is the type of null.
const null = "null"

// certain is the schema of the values that are not null.
func certain(t *model.Type, d detail) *jsonschema.Schema {
	switch {
	case t.Kind == model.Free:
		return &jsonschema.Schema{Extras: map[string]any{}} // without extras it would be written true
	case t.Open():
		return &jsonschema.Schema{Type: "object"}
	case t.Values != nil:
		return mapping(t, d)
	case t.Union != nil:
		s := &jsonschema.Schema{}
		for _, v := range t.Union.Variants {
			s.AnyOf = append(s.AnyOf, object(v.Object.Properties, d))
		}
		return s
	case t.Kind == model.Nested:
		return object(t.Object.Properties, d)
	}
	s := &jsonschema.Schema{
		Type:      string(t.Kind),
		Pattern:   t.Pattern,
		Format:    string(t.Format),
		MinLength: count(t.MinLength), MaxLength: count(t.MaxLength),
		Minimum: bound(t.Minimum), Maximum: bound(t.Maximum),
		MinItems: count(t.MinItems), MaxItems: count(t.MaxItems),
	}
	for _, v := range t.Enum {
		s.Enum = append(s.Enum, v)
	}
	for _, n := range t.Numbers {
		s.Enum = append(s.Enum, number(float64(n.Value)))
	}
	if t.Items != nil {
		s.Items = value(t.Items, d)
	}
	return s
}

// mapping is the schema of a map.
func mapping(t *model.Type, d detail) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", AdditionalProperties: value(t.Values, d),
		MinProperties: count(t.MinProperties), MaxProperties: count(t.MaxProperties),
	}
	if t.NamePattern != "" {
		s.PropertyNames = &jsonschema.Schema{Pattern: t.NamePattern}
	}
	return s
}

// literal is a default as encoding/json writes it; an interface holding false or "" is not dropped
// by omitempty.
func literal(k model.Kind, v *model.Value) any {
	switch k {
	case model.Boolean:
		return v.Bool
	case model.Integer, model.Number:
		return number(v.Number)
	default:
		return v.String
	}
}

func count(n *int) *uint64 {
	if n == nil {
		return nil
	}
	return new(uint64(*n))
}

func bound(f *float64) json.Number {
	if f == nil {
		return ""
	}
	return number(*f)
}

// number writes a float the way encoding/json does, so that 30000 stays 30000 and a huge bound does
// not become a line of zeros.
func number(f float64) json.Number { return json.Number(compact(f)) }
