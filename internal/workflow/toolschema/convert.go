package toolschema

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/callsheet/callsheet/internal/workflow/template"
)

// Convert converts a value to what the schema accepts where exactly one conversion exists: "7" for
// a number becomes 7, 7 for a string becomes "7", one string for a list of strings becomes a list.
// Any other value is unchanged, for Check to report. A string stays a string wherever the schema
// accepts strings.
func (s *Schema) Convert(v any) any { return s.convert(v, 0) }

func (s *Schema) convert(v any, depth int) any {
	s = s.deref()
	if depth > maxDepth {
		return v
	}
	types := s.Types()
	takes := func(kind string) bool { return types == nil || slices.Contains(types, kind) }
	switch x := v.(type) {
	case Unresolved:
		return v
	case template.LazyValue:
		if types != nil && takes("string") && !takes("object") {
			return x.Text()
		}
		return s.convert(x.JSON(), depth+1)
	case []any:
		if !takes("array") {
			return v
		}
		items, out := s.Items(), make([]any, len(x))
		for i := range x {
			out[i] = items.convert(x[i], depth+1)
		}
		return out
	case map[string]any:
		if !takes("object") {
			return v
		}
		out := make(map[string]any, len(x))
		for key, value := range x {
			p, _ := s.Property(key)
			out[key] = p.convert(value, depth+1)
		}
		return out
	case int:
		return s.convert(int64(x), depth+1)
	case float64:
		if x == float64(int64(x)) {
			v = int64(x)
		}
	}
	return s.convertScalar(v, types, takes, depth)
}

func (s *Schema) convertScalar(v any, types []string, takes func(string) bool, depth int) any {
	kind := TypeOf(v)
	if v == nil || takes(kind) || kind == "integer" && takes("number") {
		return v
	}
	text, isText := v.(string)
	switch {
	case isText && (takes("integer") || takes("number")) && IsNumber(text):
		var f float64
		if json.Unmarshal([]byte(text), &f) == nil {
			if f == float64(int64(f)) {
				return int64(f)
			}
			return f
		}
	case isText && takes("boolean") && (text == "true" || text == "false"):
		return text == "true"
	case !isText && takes("string"):
		return template.Text(v)
	case takes("array") && !slices.ContainsFunc(types, func(t string) bool { return t != "array" && t != "null" }):
		if item := s.Items().convert(v, depth+1); len(s.Items().Check(item)) == 0 {
			return []any{item}
		}
	}
	return v
}

// IsNumber reports whether a text is a JSON number. "0123" is not.
func IsNumber(text string) bool {
	ok, err := regexp.MatchString(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`, text)
	return err == nil && ok
}
