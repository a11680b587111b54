package toolschema

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/diag"
)

// Problem is one way in which a value does not fit. Path leads to it: keys, and indices as numbers in text.
type Problem struct {
	Path       []string
	Text, Hint string
}

// String is the problem on one line.
func (p Problem) String() string {
	out := "/" + strings.Join(p.Path, "/") + ": " + p.Text
	if p.Hint != "" {
		out += " (" + p.Hint + ")"
	}
	return out
}

// Open marks a value that is not known yet: it fits anything.
type Open struct{}

// Fit lists every way in which a plain value does not fit.
func (s *Schema) Fit(v any) []Problem { return s.fit(v, nil, 0) }

// Validate holds a value that is wholly known against everything the schema says.
func (s *Schema) Validate(v map[string]any) []Problem {
	out := s.Fit(v)
	if len(out) > 0 || s.full == nil {
		return out
	}
	full := s.full()
	if full == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return []Problem{{Text: err.Error()}}
	}
	var plain any
	if json.Unmarshal(data, &plain) != nil {
		return nil
	}
	if err := full.Validate(plain); err != nil {
		return []Problem{{Text: err.Error()}}
	}
	return nil
}

func (s *Schema) fit(v any, path []string, depth int) []Problem {
	if _, open := v.(Open); open || depth > maxDepth {
		return nil
	}
	s = s.target()
	one := func(hint, format string, args ...any) []Problem {
		return []Problem{{Path: slices.Clone(path), Text: fmt.Sprintf(format, args...), Hint: hint}}
	}
	if s.never {
		return one("", "nothing is allowed here")
	}
	if kind := TypeOf(v); s.types != nil && !slices.Contains(s.types, kind) && (kind != "integer" || !slices.Contains(s.types, "number")) {
		hint := ""
		if kind == "string" && slices.ContainsFunc(s.types, func(t string) bool { return t == "integer" || t == "number" || t == "boolean" }) {
			hint = "without the quotes"
		}
		return one(hint, "expected %s, got %s", strings.Join(s.types, " or "), show(v))
	}
	var out []Problem
	if s.enum != nil && !slices.ContainsFunc(s.enum, func(e any) bool { return same(e, v) }) {
		text, _ := v.(string)
		hint := diag.DidYouMean(text, s.Enum())
		if hint == "" {
			hint = "one of " + show(s.enum)
		}
		out = append(out, one(hint, "%s is not a value it takes", show(v))...)
	}
	if s.constant != nil && !same(*s.constant, v) {
		out = append(out, one("", "must be %s", show(*s.constant))...)
	}
	switch v := v.(type) {
	case string:
		out = append(out, s.fitText(v, one)...)
	case int64:
		out = append(out, s.fitNumber(float64(v), one)...)
	case float64:
		out = append(out, s.fitNumber(v, one)...)
	case []any:
		out = append(out, s.fitCount(len(v), "items", one)...)
		if s.items != nil {
			for i, item := range v {
				out = append(out, s.items.fit(item, append(path, strconv.Itoa(i)), depth+1)...)
			}
		}
	case map[string]any:
		out = append(out, s.fitObject(v, path, depth, one)...)
	}
	for _, p := range s.all {
		out = append(out, p.fit(v, path, depth+1)...)
	}
	for _, group := range s.any {
		out = append(out, fitAny(group, v, path, depth)...)
	}
	return out
}

// fitAny reports the problems with the alternative that comes closest.
func fitAny(group []*Schema, v any, path []string, depth int) []Problem {
	var best []Problem
	for i, p := range group {
		problems := p.fit(v, path, depth+1)
		if len(problems) == 0 {
			return nil
		}
		if i == 0 || len(problems) < len(best) {
			best = problems
		}
	}
	if len(group) > 1 && len(best) > 0 {
		best[0].Text = fmt.Sprintf("fits none of %d alternatives; for the closest: %s", len(group), best[0].Text)
	}
	return best
}

type report func(hint, format string, args ...any) []Problem

func (s *Schema) fitText(v string, one report) []Problem {
	out := s.fitCount(utf8.RuneCountInString(v), "characters", one)
	if s.pattern != "" {
		if re, err := regexp.Compile(s.pattern); err == nil && !re.MatchString(v) {
			out = append(out, one("", "%s does not match %s", show(v), s.pattern)...)
		}
	}
	return out
}

func (s *Schema) fitCount(n int, what string, one report) []Problem {
	switch {
	case s.minN != nil && n < *s.minN:
		return one("", "needs at least %d %s, has %d", *s.minN, what, n)
	case s.maxN != nil && n > *s.maxN:
		return one("", "takes at most %d %s, has %d", *s.maxN, what, n)
	}
	return nil
}

func (s *Schema) fitNumber(v float64, one report) []Problem {
	switch {
	case s.min != nil && v < *s.min:
		return one("", "must be at least %v, is %v", *s.min, v)
	case s.max != nil && v > *s.max:
		return one("", "must be at most %v, is %v", *s.max, v)
	}
	return nil
}

func (s *Schema) fitObject(v map[string]any, path []string, depth int, one report) []Problem {
	var out []Problem
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
			out = append(out, p.fit(v[key], at, depth+1)...)
		case s.extra != nil:
			out = append(out, s.extra.fit(v[key], at, depth+1)...)
		case s.closed:
			hint := diag.DidYouMean(key, s.names)
			if hint == "" && len(s.names) > 0 {
				hint = "known: " + strings.Join(s.names, ", ")
			}
			out = append(out, Problem{Path: at, Text: "unknown argument " + strconv.Quote(key), Hint: hint})
		}
	}
	return out
}

// Unknown lists keys of an object that the schema does not name although it names others: allowed by most schemas, and
// still a misspelling more often than not.
func (s *Schema) Unknown(v map[string]any) []Problem {
	var out []Problem
	s = s.target()
	if s.closed || s.extra != nil || len(s.names) == 0 || len(s.branches()) > 0 {
		return nil
	}
	for key := range v {
		if _, ok := s.props[key]; !ok {
			out = append(out, Problem{Path: []string{key}, Text: "the schema names no argument " + strconv.Quote(key),
				Hint: diag.DidYouMean(key, s.names)})
		}
	}
	return out
}

func same(a, b any) bool {
	if TypeOf(a) == "integer" && TypeOf(b) == "integer" {
		return number(a) == number(b)
	}
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(x) == string(y)
}

func number(v any) float64 {
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

// show is a value in a message, cut short.
func show(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if r := []rune(string(data)); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return string(data)
}
