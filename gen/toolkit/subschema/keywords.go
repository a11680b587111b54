package subschema

import (
	"encoding/json"
	"maps"
	"slices"
)

// limitTypes are the keywords of limits with the types that they limit.
func limitTypes(keyword string) types {
	return map[string]types{
		"minimum": integer | fraction, "maximum": integer | fraction, "exclusiveMinimum": integer | fraction, "exclusiveMaximum": integer | fraction,
		"minLength": text, "maxLength": text, "minItems": array, "maxItems": array, "minProperties": object, "maxProperties": object,
	}[keyword]
}

// node reads the keywords of one schema, but for references and unions.
func (p part) node(s map[string]any) *node {
	n := anyNode()
	for _, keyword := range slices.Sorted(maps.Keys(s)) {
		v := s[keyword]
		switch keyword {
		case "type":
			n.types = typesOf(v)
		case "enum":
			list, _ := v.([]any)
			n.enum, n.hasEnum = list, true
		case "const":
			n.enum, n.hasEnum = []any{v}, true
		case "pattern":
			n.patterns = appendText(n.patterns, v)
		case "format":
			n.formats = appendText(n.formats, v)
		case "required":
			list, _ := v.([]any)
			for _, name := range list {
				n.required = appendText(n.required, name)
			}
			slices.Sort(n.required)
		case "properties", "additionalProperties", "items", "prefixItems":
			p.children(n, keyword, v)
		case "$ref", "anyOf", "oneOf", "allOf", "then", "else", "additionalItems":
		default:
			p.other(n, s, keyword)
		}
	}
	if s["additionalItems"] != nil && len(n.prefix) > 0 {
		n.items = schema{{s["additionalItems"], p.doc}}
	}
	if n.hasEnum {
		n.types &= typesOfAll(n.enum)
		n.enum = slices.DeleteFunc(slices.Clone(n.enum), func(v any) bool { return typeOfValue(v)&n.types == 0 })
	}
	return n
}

func typesOfAll(values []any) types {
	var t types
	for _, v := range values {
		t |= typeOfValue(v)
	}
	return t
}

func appendText(list []string, v any) []string {
	if s, ok := v.(string); ok {
		return append(list, s)
	}
	return list
}

// children reads a keyword that holds schemas.
func (p part) children(n *node, keyword string, v any) {
	switch keyword {
	case "properties":
		members, _ := v.(map[string]any)
		n.order = slices.Sorted(maps.Keys(members))
		for name, child := range members {
			n.properties[name] = schema{{child, p.doc}}
		}
	case "additionalProperties":
		n.closed, n.isOpen = v == false, v == true
		if m, ok := v.(map[string]any); ok {
			n.isOpen = len(m) == 0 // as some generators write it
			if !n.isOpen {
				n.others = schema{{v, p.doc}}
			}
		}
	case "items":
		if list, ok := v.([]any); ok { // of older drafts
			p.children(n, "prefixItems", list)
			return
		}
		n.items = schema{{v, p.doc}}
	case "prefixItems":
		list, _ := v.([]any)
		for _, child := range list {
			n.prefix = append(n.prefix, schema{{child, p.doc}})
		}
	}
}

// other reads limits, and keeps the keywords that are only compared as a whole.
func (p part) other(n *node, s map[string]any, keyword string) {
	v := s[keyword]
	if limitTypes(keyword) != 0 {
		if number, ok := v.(json.Number); ok {
			if f, err := number.Float64(); err == nil {
				n.limits[keyword] = f
			}
			return
		}
	}
	switch keyword {
	case "if":
		if s["then"] != nil || s["else"] != nil {
			whole := map[string]any{"if": v, "then": s["then"], "else": s["else"]}
			n.opaque["if "+canonical(whole)] = canonical(whole)
		}
	case "uniqueItems":
		if v == true {
			n.opaque["uniqueItems"] = "true"
		}
	case "not", "contains", "minContains", "maxContains", "dependentRequired", "dependentSchemas", "dependencies", "propertyNames", "patternProperties", "multipleOf",
		"unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef", "exclusiveMinimum", "exclusiveMaximum":
		if size, ok := size(v); ok && size == 0 && keyword != "not" || v == true {
			return // it refuses nothing
		}
		n.opaque[keyword+" "+canonical(v)] = keyword + ": " + canonical(v)
	}
}
