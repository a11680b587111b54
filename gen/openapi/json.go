package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pb33f/go-yaml"
)

// object is an object of JSON whose members keep their order.
type object []field

type field struct {
	name  string
	value any // object, []any, json.RawMessage, or what encoding/json writes
}

// appendJSON writes an object, a list or what encoding/json writes.
func appendJSON(b []byte, v any) ([]byte, error) {
	var err error
	switch v := v.(type) {
	case object:
		b = append(b, '{')
		for i, f := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, quote(f.name)...), ':')
			if b, err = appendJSON(b, f.value); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendJSON(b, item); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case json.RawMessage:
		return append(b, v...), nil
	}
	var one bytes.Buffer
	e := json.NewEncoder(&one)
	e.SetEscapeHTML(false)
	err = e.Encode(v)
	return append(b, bytes.TrimSuffix(one.Bytes(), []byte("\n"))...), err
}

func (o object) get(name string) any {
	for _, f := range o {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

// with returns the object with a member set.
func (o object) with(name string, value any) object {
	for i, f := range o {
		if f.name == name {
			o[i].value = value
			return o
		}
	}
	return append(o, field{name, value})
}

// without returns the object less some members, which come second.
func (o object) without(names ...string) (object, object) {
	var out, taken object
	for _, f := range o {
		at := &out
		for _, name := range names {
			if f.name == name {
				at = &taken
			}
		}
		*at = append(*at, f)
	}
	return out, taken
}

func quote(s string) json.RawMessage {
	b, _ := encode(s) // a text always has a form
	return b
}

// encode writes JSON whose texts keep "<", ">" and "&".
func encode(v any) (json.RawMessage, error) { return appendJSON(nil, v) }

// json is a value as JSON, with members in their order.
func (v value) json() (json.RawMessage, error) {
	switch v.node.Kind {
	case yaml.MappingNode:
		out := object{}
		for _, m := range v.members() {
			raw, err := m.json()
			if err != nil {
				return nil, err
			}
			out = append(out, field{m.name, raw})
		}
		return encode(out)
	case yaml.SequenceNode:
		out := []any{}
		for _, item := range v.items() {
			raw, err := item.json()
			if err != nil {
				return nil, err
			}
			out = append(out, raw)
		}
		return encode(out)
	}
	return v.scalar()
}

func (v value) scalar() (json.RawMessage, error) {
	text := v.node.Value
	switch v.node.Tag {
	case "!!null":
		return json.RawMessage("null"), nil
	case "!!bool":
		return json.RawMessage(strings.ToLower(text)), nil
	case "!!int", "!!float":
		if json.Valid([]byte(text)) {
			return json.RawMessage(text), nil
		}
		if n, err := strconv.ParseInt(text, 0, 64); err == nil {
			return json.RawMessage(strconv.FormatInt(n, 10)), nil
		}
		var number float64
		if err := v.node.Decode(&number); err != nil {
			return nil, &problem{v.at, fmt.Sprintf("%q is no number", text)}
		}
		raw, err := encode(number)
		if err != nil {
			return nil, &problem{v.at, fmt.Sprintf("%q is no number of JSON", text)}
		}
		return raw, nil
	}
	return quote(text), nil
}
