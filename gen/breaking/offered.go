package breaking

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/callsheet/callsheet/gen/remote"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// Offered is the record as the lists of a server that offers it, so that it can be compared with any other
// server. Conditional demands, tiers, scopes and visibility are in no list; a tool that must be asked for is
// left out.
func (s Surface) Offered() (*remote.Server, error) {
	out := &remote.Server{Tools: []remote.Item{}, Prompts: []remote.Item{}, Resources: []remote.Item{}, Templates: []remote.Item{}}
	for _, t := range s.Tools {
		if t.OptIn == "" {
			if err := add(&out.Tools, t.Name, t.listed()); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range s.Prompts {
		if err := add(&out.Prompts, p.Name, map[string]any{"name": p.Name, "arguments": p.Arguments}); err != nil {
			return nil, err
		}
	}
	for _, r := range s.Resources {
		list, key, address := &out.Resources, "uri", r.URI
		if r.Template != "" {
			list, key, address = &out.Templates, "uriTemplate", r.Template
		}
		if err := add(list, address, map[string]any{"name": r.Name, key: address, "mimeType": r.MIME}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func add(list *[]remote.Item, name string, entry map[string]any) error {
	raw, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("list %q: %w", name, err)
	}
	*list = append(*list, remote.Item{Name: name, Raw: raw})
	return nil
}

// listed is the tool's entry in tools/list.
func (t Tool) listed() map[string]any {
	input := objectSchema(t.Input)
	input["additionalProperties"] = false
	out := map[string]any{
		"name": t.Name, "inputSchema": input,
		"annotations": map[string]bool{
			"readOnlyHint": t.Effects.ReadOnly, "destructiveHint": t.Effects.Destructive, "idempotentHint": t.Effects.Idempotent, "openWorldHint": t.Effects.OpenWorld,
		},
	}
	if t.Output != nil {
		out["outputSchema"] = objectSchema(t.Output)
	}
	if len(t.Was) > 0 {
		out["_meta"] = map[string]any{"toolgen/was": t.Was}
	}
	return out
}

// objectSchema is the JSON Schema of an object with these members.
func objectSchema(members []Property) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, p := range members {
		properties[p.Name] = p.Type.schema()
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// schema is the JSON Schema of the type.
func (t Type) schema() map[string]any {
	out := map[string]any{}
	switch t.Kind {
	case "any":
		return out
	case "object":
		out = objectSchema(t.Properties)
	case openObject:
		out["type"], out["additionalProperties"] = "object", true
	case mapObject:
		out["type"], out["additionalProperties"] = "object", t.Values.schema()
	case unionObject:
		variants := slicesx.Map(t.Variants, func(v Variant) any { return objectSchema(v.Properties) })
		out["oneOf"] = variants
	default:
		out["type"] = t.Kind
	}
	t.limits(out)
	if t.Nullable {
		return map[string]any{"anyOf": []any{out, map[string]any{"type": "null"}}}
	}
	return out
}

// limits adds what the values of a type are limited to.
func (t Type) limits(out map[string]any) {
	if t.Items != nil {
		out["items"] = t.Items.schema()
	}
	if len(t.Enum) > 0 {
		out["enum"] = t.Enum
	}
	if len(t.Numbers) > 0 {
		out["enum"] = slices.Sorted(maps.Values(t.Numbers))
	}
	for name, value := range map[string]string{"pattern": t.Pattern, "format": t.Format} {
		if value != "" {
			out[name] = value
		}
	}
	if t.NamePattern != "" {
		out["propertyNames"] = map[string]any{"pattern": t.NamePattern}
	}
	for name, value := range map[string]*float64{
		"minimum": t.Minimum, "maximum": t.Maximum, "minLength": t.MinLength, "maxLength": t.MaxLength, "minItems": t.MinItems, "maxItems": t.MaxItems,
		"minProperties": t.MinProperties, "maxProperties": t.MaxProperties,
	} {
		if value != nil {
			out[name] = *value
		}
	}
}
