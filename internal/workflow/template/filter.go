package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// filter describes one filter. makes is the JSON type of its result, "" if that depends on the
// value.
type filter struct {
	name  string
	args  string // one letter per argument: s string, n number, a any; upper case is optional
	makes string
	run   func(value any, args []any) (any, bool, error)
}

// filters is the closed table of filters. An absent value passes through every filter but default.
func filters() []filter {
	return []filter{
		{"default", "a", "", nil},
		{"first", "", "", func(v any, _ []any) (any, bool, error) { return elementAt(v, 0) }},
		{"join", "S", "string", join},
		{"json", "", "string", func(v any, _ []any) (any, bool, error) {
			data, err := json.Marshal(PlainJSON(v))
			return string(data), true, err
		}},
		{"last", "", "", func(v any, _ []any) (any, bool, error) { return elementAt(v, -1) }},
		{"len", "", "integer", valueLength},
		{"lines", "", "array", func(v any, _ []any) (any, bool, error) {
			var out []any
			for line := range strings.Lines(Text(v)) {
				out = append(out, strings.TrimRight(line, "\r\n"))
			}
			return out, true, nil
		}},
		{"lower", "", "string", func(v any, _ []any) (any, bool, error) { return strings.ToLower(Text(v)), true, nil }},
		{"parse", "", "", func(v any, _ []any) (any, bool, error) {
			var out any
			if err := json.Unmarshal([]byte(Text(v)), &out); err != nil {
				return nil, false, fmt.Errorf("parse: not JSON: %w", err)
			}
			return out, true, nil
		}},
		{"regex", "s", "string", matchRegexp},
		{"replace", "ss", "string", func(v any, a []any) (any, bool, error) {
			return strings.ReplaceAll(Text(v), a[0].(string), a[1].(string)), true, nil
		}},
		{"text", "", "string", func(v any, _ []any) (any, bool, error) { return Text(v), true, nil }},
		{"trim", "", "string", func(v any, _ []any) (any, bool, error) {
			return strings.TrimSpace(Text(v)), true,
				nil
		}},
		{"upper", "", "string", func(v any, _ []any) (any, bool, error) { return strings.ToUpper(Text(v)), true, nil }},
	}
}

// Filters lists the names of all filters, sorted.
func Filters() []string {
	return slicesx.Map(filters(), func(f filter) string { return f.name })
}

// Makes returns the JSON type of the filter's result, or "" if that depends on its input.
func (f Filter) Makes() string { return filterByName(f.Name).makes }

func filterByName(name string) filter {
	all := filters()
	i := slices.IndexFunc(all, func(f filter) bool { return f.name == name })
	return all[i]
}

// checkArgs checks the arguments of a filter, and compiles regular expressions to report their
// errors.
func checkArgs(f Filter) error {
	want := filterByName(f.Name).args
	need := 0
	for _, c := range want {
		if c >= 'a' {
			need++
		}
	}
	fail := func(problem string) error { return &Error{At: f.At, Len: len(f.Name), Problem: problem} }
	if len(f.Args) < need || len(f.Args) > len(want) {
		return fail(fmt.Sprintf("%s needs %d arguments, got %d", f.Name, len(want), len(f.Args)))
	}
	for i, a := range f.Args {
		if _, text := a.(string); !text && strings.ToLower(want[i:i+1]) == "s" {
			return fail(f.Name + " needs text in quotes")
		}
	}
	if f.Name == "regex" {
		if _, err := regexp.Compile(f.Args[0].(string)); err != nil {
			return fail("the expression does not compile: " + err.Error())
		}
	}
	return nil
}

func elementAt(v any, i int) (any, bool, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, false, errors.New("first and last need a list")
	}
	if i < 0 {
		i += len(list)
	}
	if i < 0 || i >= len(list) {
		return nil, false, nil
	}
	return list[i], true, nil
}

func join(v any, args []any) (any, bool, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, false, errors.New("join needs a list")
	}
	sep := ", "
	if len(args) > 0 {
		sep = args[0].(string)
	}
	parts := slicesx.List(list, Text)
	return strings.Join(parts, sep), true, nil
}

func valueLength(v any, _ []any) (any, bool, error) {
	switch v := v.(type) {
	case []any:
		return int64(len(v)), true, nil
	case map[string]any:
		return int64(len(v)), true, nil
	}
	return int64(len([]rune(Text(v)))), true, nil
}

// matchRegexp returns the first group of the first match, or the whole match of an expression
// without groups.
func matchRegexp(v any, args []any) (any, bool, error) {
	re, err := regexp.Compile(args[0].(string))
	if err != nil {
		return nil, false, err
	}
	m := re.FindStringSubmatch(Text(v))
	switch {
	case m == nil:
		return nil, false, nil
	case len(m) > 1:
		return m[1], true, nil
	}
	return m[0], true, nil
}

// LazyValue computes its parts on demand, such as the result of a step.
type LazyValue interface {
	Get(key string) (any, bool) // returns a part by name
	Text() string               // formats the value inside of a longer text
	JSON() any                  // returns a plain JSON value
}

// PlainJSON replaces lazy values by values that encoding/json encodes.
func PlainJSON(v any) any {
	switch v := v.(type) {
	case LazyValue:
		return v.JSON()
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = PlainJSON(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = PlainJSON(v[k])
		}
		return out
	}
	return v
}

// Text formats a value inside of a longer text: objects and lists as JSON, null as the empty
// string.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case LazyValue:
		return v.Text()
	}
	data, err := json.Marshal(PlainJSON(v))
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}
