package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/record/replay"
)

// placeholderPattern matches {name}, and neither {secret:NAME} nor other braces.
var placeholderPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`) })

// values returns the values of a tool's parameters: the arguments, the defaults and the values of the
// site.
func (s *Site) values(t *Tool, args json.RawMessage) (map[string]any, error) {
	out := maps.Clone(s.Values)
	if out == nil {
		out = map[string]any{}
	}
	given := map[string]any{}
	if len(args) > 0 {
		d := json.NewDecoder(bytes.NewReader(args))
		d.UseNumber()
		if err := d.Decode(&given); err != nil {
			return nil, fmt.Errorf("read the arguments of %s: %w", t.Name, err)
		}
	}
	var missing []string
	for _, p := range t.Parameters {
		v, ok := given[p.Name]
		switch {
		case ok && v != nil:
			out[p.Name] = v
		case p.Default != nil:
			var value any
			if err := json.Unmarshal(p.Default, &value); err != nil {
				return nil, fmt.Errorf("read the default of %s: %w", p.Name, err)
			}
			out[p.Name] = value
		case p.Required:
			missing = append(missing, p.Name)
		}
	}
	if len(missing) > 0 {
		return nil, &replay.MissingParametersError{Names: missing}
	}
	return out, nil
}

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

// fillJSON replaces the parameters in every text of a JSON value, texts of members named url as
// addresses, and those of selectors escaped.
func fillJSON(raw json.RawMessage, values map[string]any) (json.RawMessage, error) {
	if len(raw) == 0 {
		return raw, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("fill in parameters: %w", err)
	}
	return json.Marshal(fillValue("", v, values))
}

func fillValue(name string, v any, values map[string]any) any {
	switch v := v.(type) {
	case string:
		switch {
		case name == "url":
			return fillAddress(v, values)
		case isSelector(name, v):
			return fillText(v, values, escapeCSS)
		}
		return fillText(v, values, same)
	case []any:
		for i := range v {
			v[i] = fillValue("", v[i], values)
		}
	case map[string]any:
		kind, _ := v["type"].(string)
		for _, key := range slices.Collect(maps.Keys(v)) {
			member := key
			if key == "value" && strings.HasPrefix(kind, "selector") { // what wait_for waits for
				member = "selector"
			}
			v[key] = fillValue(member, v[key], values)
		}
	}
	return v
}

// fillArgs is fillJSON for the arguments of a tool: a text that is one parameter becomes the value with its
// type, unless the argument has a role, such as typed text, which is a text.
func fillArgs(tool string, raw json.RawMessage, values map[string]any) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &all) != nil {
		return fillJSON(raw, values)
	}
	for key, arg := range all {
		var text string
		if json.Unmarshal(arg, &text) != nil || toolset.TraitsOf(tool).Role("/"+key) != "" || placeholderPattern().FindString(text) != text || text == "" {
			continue
		}
		v, ok := values[text[1:len(text)-1]]
		if _, isText := v.(string); ok && !isText { // a text is filled in below, once
			all[key] = json.RawMessage(compact(v))
		}
	}
	filled, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return fillJSON(filled, values)
}

func fillIdentity(id page.Identity, values map[string]any) page.Identity {
	for _, text := range []*string{&id.Role, &id.Name, &id.TestID, &id.Text, &id.Label, &id.Kind, &id.Tag} {
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
