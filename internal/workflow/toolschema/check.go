package toolschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/internal/text"
)

// Violation is one way in which a value does not match a schema. Path has the keys and, as decimal
// strings, the indices that lead to it.
type Violation struct {
	Path          []string
	Message, Hint string
}

// String returns the violation on one line.
func (v Violation) String() string {
	out := "/" + strings.Join(v.Path, "/") + ": " + v.Message
	if v.Hint != "" {
		out += " (" + v.Hint + ")"
	}
	return out
}

// Unresolved marks a value that is not known before the run. It matches any schema.
type Unresolved struct{}

// Check lists the violations of a plain JSON value, by the keywords that this package reads.
func (s *Schema) Check(v any) []Violation { return s.check(v, nil, 0) }

// Validate lists the violations of a fully known value, by all keywords.
func (s *Schema) Validate(v map[string]any) []Violation {
	out := s.Check(v)
	if len(out) > 0 || s.compiled == nil {
		return out
	}
	full := s.compiled()
	if full == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return []Violation{{Message: err.Error()}}
	}
	plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if errors.As(full.Validate(plain), &invalid) {
		return leaves(invalid)
	}
	return nil
}

func (s *Schema) check(v any, path []string, depth int) []Violation {
	if _, open := v.(Unresolved); open || depth > maxDepth {
		return nil
	}
	s = s.deref()
	one := func(hint, format string, args ...any) []Violation {
		return []Violation{{Path: slices.Clone(path), Message: fmt.Sprintf(format, args...), Hint: hint}}
	}
	if s.rejectsAll {
		return one("", "nothing is allowed here")
	}
	if kind := TypeOf(v); s.types != nil && !slices.Contains(s.types, kind) &&
		(kind != "integer" || !slices.Contains(s.types, "number")) {
		hint := ""
		if kind == "string" && slices.ContainsFunc(s.types,
			func(t string) bool { return t == "integer" || t == "number" || t == "boolean" }) {
			hint = "without the quotes"
		}
		return one(hint, "expected %s, got %s", strings.Join(s.types, " or "), formatValue(v))
	}
	var out []Violation
	if s.enum != nil && !slices.ContainsFunc(s.enum, func(e any) bool { return isEqual(e, v) }) {
		text, _ := v.(string)
		hint := diag.DidYouMean(text, s.Enum())
		if hint == "" {
			hint = "one of " + formatValue(s.enum)
		}
		out = append(out, one(hint, "%s is not an allowed value", formatValue(v))...)
	}
	if s.constant != nil && !isEqual(*s.constant, v) {
		out = append(out, one("", "must be %s", formatValue(*s.constant))...)
	}
	out = append(out, s.checkByType(v, path, depth, one)...)
	for _, p := range s.allOf {
		out = append(out, p.check(v, path, depth+1)...)
	}
	for _, group := range s.anyOf {
		out = append(out, checkAnyOf(group, v, path, depth)...)
	}
	return out
}

// checkByType applies the keywords that concern the type of the value.
func (s *Schema) checkByType(v any, path []string, depth int, one violationFunc) []Violation {
	switch v := v.(type) {
	case string:
		return s.checkString(v, one)
	case int64:
		return s.checkNumber(float64(v), one)
	case float64:
		return s.checkNumber(v, one)
	case []any:
		out := s.checkCount(len(v), "items", one)
		if s.items != nil {
			for i, item := range v {
				out = append(out, s.items.check(item, append(path, strconv.Itoa(i)), depth+1)...)
			}
		}
		return out
	case map[string]any:
		return s.checkObject(v, path, depth, one)
	}
	return nil
}

// checkAnyOf returns the violations of the alternative with the fewest.
func checkAnyOf(group []*Schema, v any, path []string, depth int) []Violation {
	var best []Violation
	for i, p := range group {
		problems := p.check(v, path, depth+1)
		if len(problems) == 0 {
			return nil
		}
		if i == 0 || len(problems) < len(best) {
			best = problems
		}
	}
	if len(group) > 1 && len(best) > 0 {
		best[0].Message = fmt.Sprintf("matches none of %d alternatives; for the closest: %s", len(group),
			best[0].Message)
	}
	return best
}

// violationFunc returns one violation at the current path.
type violationFunc func(hint, format string, args ...any) []Violation

func (s *Schema) checkString(v string, one violationFunc) []Violation {
	out := s.checkCount(utf8.RuneCountInString(v), "characters", one)
	if s.pattern != "" {
		if re, err := regexp.Compile(s.pattern); err == nil && !re.MatchString(v) {
			out = append(out, one("", "%s does not match %s", formatValue(v), s.pattern)...)
		}
	}
	return out
}

func (s *Schema) checkCount(n int, what string, one violationFunc) []Violation {
	switch {
	case s.minCount != nil && n < *s.minCount:
		return one("", "must have at least %d %s, has %d", *s.minCount, what, n)
	case s.maxCount != nil && n > *s.maxCount:
		return one("", "must have at most %d %s, has %d", *s.maxCount, what, n)
	}
	return nil
}

func (s *Schema) checkNumber(v float64, one violationFunc) []Violation {
	switch {
	case s.min != nil && v < *s.min:
		return one("", "must be at least %v, is %v", *s.min, v)
	case s.max != nil && v > *s.max:
		return one("", "must be at most %v, is %v", *s.max, v)
	}
	return nil
}

func (s *Schema) checkObject(v map[string]any, path []string, depth int, one violationFunc) []Violation {
	var out []Violation
	for _, name := range s.required {
		if _, ok := v[name]; !ok {
			out = append(out, one("", "%q is required", name)...)
		}
	}
	keys := make([]string, 0, len(v))
	for key := range v {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		at := append(slices.Clone(path), key)
		switch p, ok := s.props[key]; {
		case ok:
			out = append(out, p.check(v[key], at, depth+1)...)
		case s.additional != nil:
			out = append(out, s.additional.check(v[key], at, depth+1)...)
		case s.rejectsUnnamed:
			hint := diag.DidYouMean(key, s.names)
			if hint == "" && len(s.names) > 0 {
				hint = "known: " + strings.Join(s.names, ", ")
			}
			out = append(out, Violation{Path: at, Message: "unknown argument " + strconv.Quote(key), Hint: hint})
		}
	}
	return out
}

// UnnamedKeys lists the keys of an object that the schema does not name although it names others.
// Most schemas accept them, but they are often misspelled.
func (s *Schema) UnnamedKeys(v map[string]any) []Violation {
	var out []Violation
	s = s.deref()
	if s.rejectsUnnamed || s.additional != nil || len(s.names) == 0 || len(s.subschemas()) > 0 {
		return nil
	}
	for key := range v {
		if _, ok := s.props[key]; !ok {
			out = append(out, Violation{Path: []string{key}, Message: "the schema names no argument " +
				strconv.Quote(key),
				Hint: diag.DidYouMean(key, s.names)})
		}
	}
	return out
}

func isEqual(a, b any) bool {
	if TypeOf(a) == "integer" && TypeOf(b) == "integer" {
		return toFloat(a) == toFloat(b)
	}
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(x) == string(y)
}

func toFloat(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case int:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// formatValue formats a value for a message, at most 80 characters long.
func formatValue(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return text.ClipRunes(string(data), 80)
}
