package learn

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
)

// isNumber reports whether a text is a number that is written as it was typed: 12.5, and not 1.10, which may
// be a version.
func isNumber(v string) bool {
	n, err := strconv.ParseFloat(v, 64)
	return err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) && strconv.FormatFloat(n, 'f', -1, 64) == v
}

// numbered matches labels of what is written in digits and is no quantity: it can begin with 0 or +, and no person adds it.
var numbered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(phone|telephone|tel|mobile|cell|fax|zip|post ?code|postal|card|account|iban|bic|passport|ssn|vat|pin|isbn|ean|code)\b`)
})

// isNumbered reports whether a label is that of a phone, a post code or another number that is a text.
func isNumbered(label string) bool {
	return numbered().MatchString(strings.ReplaceAll(label, "_", " "))
}

// infer returns the type that all values have.
func infer(values []string) (kind, format string) {
	every := func(fits func(string) bool) bool {
		return !slices.ContainsFunc(values, func(v string) bool { return !fits(v) })
	}
	switch {
	case every(func(v string) bool { return v == "true" || v == "false" }):
		return "boolean", ""
	case every(func(v string) bool { n, err := strconv.Atoi(v); return err == nil && strconv.Itoa(n) == v }):
		return "integer", ""
	case every(isNumber):
		return "number", ""
	case every(func(v string) bool { _, err := time.Parse(time.DateOnly, v); return err == nil }):
		return "string", "date"
	}
	return "string", ""
}

// finish makes enums of values that were chosen from lists, keeps the values as examples and proposes a
// postcondition from the common part of the last pages.
func (g *generaliser) finish(played [][]recorder.Step) {
	d := g.draft
	for i := range d.Parameters {
		p := &d.Parameters[i]
		if p.Type == "string" && p.Format == "" && chosen(d.Steps, p.Name) {
			for _, v := range p.values {
				if !slices.Contains(p.Enum, v) {
					p.Enum = append(p.Enum, v)
				}
			}
			g.note("%s is chosen from a list; the options of the recordings are %s: add the others, or remove the enum", p.Name, quoteAll(p.Enum))
		}
	}
	for n := range g.count {
		example := map[string]any{}
		for _, p := range d.Parameters {
			if !p.Secret {
				example[p.Name] = typed(p.values[n], p.Type)
			}
		}
		d.Examples = append(d.Examples, example)
	}
	d.Postcondition = g.postcondition(played)
}

// chosen reports whether a parameter is the value of a list of options.
func chosen(steps []Step, name string) bool {
	for _, s := range steps {
		id := s.Targets["/ref"]
		if toolset.TraitsOf(s.Tool).Replay == toolset.ReplayFill && s.Args["value"] == "{"+name+"}" && (id.Role == "listbox" || id.Role == "combobox" && id.Tag == "select" || id.Role == "radio") {
			return true
		}
	}
	return false
}

// postcondition returns the common part of the ends of all recordings: their address, and their last assertion.
func (g *generaliser) postcondition(played [][]recorder.Step) map[string]any {
	ends := make([]string, len(played))
	for n, steps := range played {
		last := steps[len(steps)-1]
		path, _ := pathOf(last.URL)
		ends[n], _, _ = strings.Cut(path, "?")
	}
	if ends[0] == "" {
		g.note("the recordings tell no address of their end: write a postcondition")
		return nil
	}
	if allSame(ends) && ends[0] == "/" {
		g.note("the recordings end at /, which every address contains: write a postcondition")
		return nil
	}
	if allSame(ends) {
		return map[string]any{"url": map[string]any{"contains": ends[0]}}
	}
	if filled, ok := g.explained(ends, url.PathEscape); ok {
		return map[string]any{"url": map[string]any{"contains": filled}}
	}
	shared := prefix(ends)
	if at := strings.LastIndexByte(shared, '/'); at > 0 {
		g.note("the recordings end at %s: the postcondition proves only what they share", quoteAll(ends))
		return map[string]any{"url": map[string]any{"contains": shared[:at+1]}}
	}
	g.note("the recordings end at %s, which share nothing: write a postcondition", quoteAll(ends))
	return nil
}

func prefix(all []string) string {
	out := all[0]
	for _, s := range all[1:] {
		for !strings.HasPrefix(s, out) {
			out = out[:len(out)-1]
		}
	}
	return out
}

// typed returns a value with its type.
func typed(value, kind string) any {
	switch kind {
	case "integer":
		if n, err := strconv.Atoi(value); err == nil {
			return n
		}
	case "number":
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			return n
		}
	case "boolean":
		return value == "true"
	}
	return value
}

// unnamed is the name of a parameter of which no label tells more.
const unnamed = "value"

// labelFor returns the name of the field that an argument is about: of the element beside it.
func labelFor(targets map[string]locate.Identity, pointer string) string {
	return cmp.Or(replay.FieldName(targets, pointer), unnamed)
}

func description(label string) string {
	first, size := utf8.DecodeRuneInString(label)
	if size == 0 {
		return "Value."
	}
	return string(unicode.ToUpper(first)) + label[size:] + "."
}

// parameterName returns a label as the name of a parameter.
func parameterName(label string) string { return cmp.Or(argument.ParameterName(label), unnamed) }

func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

func allSame(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return v != values[0] })
}

func allEqual(values []any) bool {
	return !slices.ContainsFunc(values, func(v any) bool { return !reflect.DeepEqual(v, values[0]) })
}

func asAll[T any](values []any) []T {
	out := make([]T, len(values))
	for n, v := range values {
		one, ok := v.(T)
		if !ok {
			return nil
		}
		out[n] = one
	}
	return out
}

func sameLength(lists [][]any) bool {
	return !slices.ContainsFunc(lists, func(l []any) bool { return len(l) != len(lists[0]) })
}

func quoteAll(values []string) string {
	parts := slicesx.List(values, strconv.Quote)
	return strings.Join(parts, ", ")
}

// remove deletes the member at a pointer of an object.
func remove(args map[string]any, pointer string) {
	visit(args, pointer, func(in map[string]any, key string) { delete(in, key) })
}

func set(args map[string]any, pointer string, value any) {
	visit(args, pointer, func(in map[string]any, key string) { in[key] = value })
}

func visit(args map[string]any, pointer string, do func(in map[string]any, key string)) {
	tokens := argument.Tokens(pointer)
	var at any = args
	for i, token := range tokens {
		switch in := at.(type) {
		case map[string]any:
			if i == len(tokens)-1 {
				do(in, token)
				return
			}
			at = in[token]
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(in) {
				return
			}
			at = in[n]
		default:
			return
		}
	}
}
