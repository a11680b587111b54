package run

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/record/contract"
)

// placeholderPattern matches {name}, and neither {secret:NAME} nor other braces.
var placeholderPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`) })

// unfilled returns the first parameter in a text that has no value, or "".
func unfilled(text string, known map[string]bool, values map[string]any) string {
	for _, m := range placeholderPattern().FindAllStringSubmatch(text, -1) {
		if _, ok := values[m[1]]; !ok && known[m[1]] {
			return m[1]
		}
	}
	return ""
}

// fillText replaces the parameters that have values.
func fillText(text string, values map[string]any, escape func(string) string) string {
	return placeholderPattern().ReplaceAllStringFunc(text, func(at string) string {
		v, ok := values[at[1:len(at)-1]]
		if !ok {
			return at
		}
		return escape(textOf(v))
	})
}

func same(text string) string { return text }

// fillAddress is fillText with values escaped for a path or a query. A text that is one parameter is a
// whole address.
func fillAddress(text string, values map[string]any) string {
	if m := placeholderPattern().FindString(text); m == text {
		return fillText(text, values, same)
	}
	path, query, has := strings.Cut(text, "?")
	path = fillText(path, values, url.PathEscape)
	if !has {
		return path
	}
	return path + "?" + fillText(query, values, url.QueryEscape)
}

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return compact(v)
}

// filling fills in the parameters of a JSON value.
type filling struct {
	values map[string]any
	// typed reports whether a text that is one parameter becomes the value with its type; nil: never.
	typed func(pointer string) bool
}

// value returns a JSON value with every text filled in: texts of members named url as addresses, and
// selectors with escaped values.
func (f filling) value(pointer, name string, v any) any {
	switch v := v.(type) {
	case string:
		return f.text(pointer, name, v)
	case []any:
		for i := range v {
			v[i] = f.value(pointer+"/"+strconv.Itoa(i), "", v[i])
		}
	case map[string]any:
		kind, _ := v["type"].(string)
		for key, member := range v {
			name := key
			if key == "value" && strings.HasPrefix(kind, "selector") { // what wait_for waits for
				name = "selector"
			}
			v[key] = f.value(pointer+"/"+argument.Escape(key), name, member)
		}
	}
	return v
}

func (f filling) text(pointer, name, text string) any {
	if m := placeholderPattern().FindString(text); m == text && text != "" && f.typed != nil && f.typed(pointer) {
		if v, ok := f.values[text[1:len(text)-1]]; ok {
			return v
		}
	}
	switch {
	case name == "url":
		return fillAddress(text, f.values)
	case isSelector(name, text):
		return fillText(text, f.values, escapeCSS)
	}
	return fillText(text, f.values, same)
}

func decodeJSON(raw json.RawMessage) (v any, err error) {
	if v, err = decodeWhole(raw); err != nil {
		return nil, fmt.Errorf("fill in parameters: %w", err)
	}
	return v, nil
}

// fillArgs fills in the arguments of a tool. A text that is one parameter becomes the value with its type,
// unless the argument has a role, such as typed text, which is a text.
func fillArgs(tool string, raw json.RawMessage, values map[string]any) (json.RawMessage, error) {
	if len(raw) == 0 {
		return json.RawMessage("{}"), nil
	}
	v, err := decodeJSON(raw)
	if err != nil {
		return nil, err
	}
	args, _ := v.(map[string]any)
	roles := argument.Roles(tool, args)
	return json.Marshal(filling{values, func(pointer string) bool { return roles[pointer] == "" }}.value("", "", v))
}

// fillContract fills in a contract. A text that is one parameter becomes the value with its type where the
// contract takes no text. The error is contract.Problems.
func fillContract(raw json.RawMessage, values map[string]any) (*contract.Contract, error) {
	noText := map[string]bool{}
	for {
		v, err := decodeJSON(raw)
		if err != nil {
			return nil, err
		}
		filled, err := json.Marshal(filling{values, func(pointer string) bool { return noText[pointer] }}.value("", "", v))
		if err != nil {
			return nil, err
		}
		parsed, problems := contract.Parse(filled)
		if len(problems) == 0 {
			return parsed, nil
		}
		before := len(noText)
		for _, p := range problems {
			noText[p.Path] = true
		}
		if len(noText) == before {
			return nil, problems
		}
	}
}

func fillIdentity(id locate.Identity, values map[string]any) locate.Identity {
	for _, text := range []*string{&id.Role, &id.Name, &id.TestID, &id.Text, &id.Label, &id.Kind, &id.Tag, &id.Frame, &id.Words} {
		*text = fillText(*text, values, same)
	}
	id.Leads = fillText(id.Leads, values, url.PathEscape)
	return id
}

func fillElement(e *Element, values map[string]any) *Element {
	if e == nil {
		return nil
	}
	out := *e
	out.Identity = fillIdentity(e.Identity, values)
	out.NotText, out.Has = fillText(e.NotText, values, same), fillText(e.Has, values, same)
	out.CSS = fillText(e.CSS, values, escapeCSS)
	out.Within = fillElement(e.Within, values)
	return &out
}

func fillObservation(o *Observation, values map[string]any) *Observation {
	if o == nil {
		return nil
	}
	out := &Observation{Element: fillElement(o.Element, values), URL: fillAddress(o.URL, values), Not: fillObservation(o.Not, values)}
	for _, part := range o.All {
		out.All = append(out.All, fillObservation(part, values))
	}
	for _, part := range o.Any {
		out.Any = append(out.Any, fillObservation(part, values))
	}
	return out
}
