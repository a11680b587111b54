package subschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// document is a decoded schema with the values that its references point into.
type document struct {
	root   any
	ids    map[string]any     // by $anchor and $id
	refers bool               // a $ref is somewhere
	texts  map[uintptr]string // canonical texts by the address of a map of the document
	work   int                // done in the comparison that runs, in steps
}

// maxWork bounds a comparison: a schema of a few hundred bytes can refer to its parts so often that following
// every reference takes for ever.
const maxWork = 1 << 18

// textUnit is how many bytes of text are compared in the time of a step.
const textUnit = 256

// charge counts work. A part without a document costs nothing.
func (d *document) charge(steps int) {
	if d != nil {
		d.work += steps
	}
}

// exhausted reports whether the work is as much as a comparison may do.
func (d *document) exhausted() bool { return d != nil && d.work > maxWork }

func parse(text json.RawMessage) (*document, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return &document{root: true, texts: map[uintptr]string{}}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	d := &document{ids: map[string]any{}, texts: map[uintptr]string{}}
	if err := dec.Decode(&d.root); err != nil {
		return nil, err
	}
	d.collect(d.root)
	return d, nil
}

// collect finds the anchors and whether there are references.
func (d *document) collect(v any) {
	switch v := v.(type) {
	case map[string]any:
		if anchor, ok := v["$anchor"].(string); ok {
			d.ids[anchor] = v
		}
		if id, ok := v["$id"].(string); ok {
			d.ids[id] = v
		}
		_, refers := v["$ref"]
		d.refers = d.refers || refers
		for _, child := range v {
			d.collect(child)
		}
	case []any:
		for _, child := range v {
			d.collect(child)
		}
	}
}

// resolve follows a reference within the document; false where it leads elsewhere.
func (d *document) resolve(ref string) (any, bool) {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local {
		v, ok := d.ids[ref]
		return v, ok
	}
	if pointer != "" && pointer[0] != '/' {
		v, ok := d.ids[pointer]
		return v, ok
	}
	at := d.root
	for _, step := range strings.Split(pointer, "/")[1:] {
		if plain, err := url.PathUnescape(step); err == nil {
			step = plain
		}
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch v := at.(type) {
		case map[string]any:
			next, ok := v[step]
			if !ok {
				return nil, false
			}
			at = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			at = v[i]
		default:
			return nil, false
		}
	}
	return at, true
}

// descriptive reports a keyword that refuses no value. Unknown keywords are annotations too.
func descriptive(keyword string) bool {
	return slices.Contains([]string{
		"title", "description", "default", "examples", "example", "$schema", "$comment", "$id", "$anchor", "$defs", "definitions", "deprecated", "readOnly", "writeOnly",
		"contentMediaType", "contentEncoding", "contentSchema", "markdownDescription", "$vocabulary",
	}, keyword) || strings.HasPrefix(keyword, "x-")
}

// canonical is a text that is equal for schemas which differ only in order and in descriptive keywords.
func canonical(schema any) string {
	text, err := json.Marshal(plain(schema, true))
	if err != nil {
		return fmt.Sprint(schema)
	}
	return string(text)
}

// canonical is the text of a schema of the document, which is made once.
func (d *document) canonical(schema any) string {
	m, ok := schema.(map[string]any)
	if !ok || d == nil {
		return canonical(schema)
	}
	at := reflect.ValueOf(m).Pointer()
	text, ok := d.texts[at]
	if !ok {
		text = canonical(schema)
		d.texts[at] = text
	}
	return text
}

// plain is a schema, or a map or list of schemas, without descriptive keywords and with sets sorted.
func plain(v any, isSchema bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, child := range v {
			switch {
			case !isSchema:
				out[name] = plain(child, true)
			case name == "$defs" || name == "definitions":
				out[name] = plain(child, false)
			case descriptive(name):
			case name == "const" || name == "if" && v["then"] == nil && v["else"] == nil:
				if name == "const" {
					out["enum"] = []any{normal(child)}
				}
			case name == "required" || name == "type" || name == "enum":
				out[name] = sorted(child)
			case name == "properties" || name == "patternProperties" || name == "dependentSchemas":
				out[name] = plain(child, false)
			case name == "dependentRequired":
				out[name] = child
			default:
				out[name] = plain(child, true)
			}
		}
		if isSchema {
			return tidy(out)
		}
		return out
	case []any:
		return slicesx.List(v, func(child any) any { return plain(child, isSchema) })
	case json.Number:
		return number(v)
	}
	return v
}

// tidy removes keywords that say nothing, and the order of unions.
func tidy(s map[string]any) any {
	for _, name := range []string{"required", "properties", "patternProperties"} {
		if n, ok := size(s[name]); ok && n == 0 {
			delete(s, name)
		}
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		if _, ok := s[name]; ok {
			s[name] = sorted(s[name])
		}
	}
	return s
}

func size(v any) (int, bool) {
	switch v := v.(type) {
	case []any:
		return len(v), true
	case map[string]any:
		return len(v), true
	}
	return 0, false
}

// sorted orders a set by its canonical texts; a single type is a set of one.
func sorted(v any) any {
	list, ok := v.([]any)
	if !ok {
		return []any{v}
	}
	type keyed struct {
		key   string
		value any
	}
	rows := slicesx.Map(list, func(child any) keyed { return keyed{valueText(child), child} })
	slices.SortFunc(rows, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
	out := []any{}
	for i, r := range rows {
		if i == 0 || rows[i-1].key != r.key {
			out = append(out, normal(r.value))
		}
	}
	return out
}

// normal is a value with its numbers in one spelling.
func normal(v any) any {
	switch v := v.(type) {
	case json.Number:
		return number(v)
	case []any:
		return slicesx.List(v, normal)
	case map[string]any:
		out := map[string]any{}
		for name, child := range v {
			out[name] = normal(child)
		}
		return out
	}
	return v
}

// number is a number in one spelling: 1.0 and 1 are equal.
func number(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	if f, err := n.Float64(); err == nil {
		return f
	}
	return string(n)
}

// valueText is a JSON value in one spelling.
func valueText(v any) string {
	text, err := json.Marshal(normal(v))
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
