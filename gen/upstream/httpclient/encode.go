package httpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// pair is a name with a value, both encoded.
type pair struct{ name, value string }

// escape leaves the unreserved characters of RFC 3986, and those of more, as they are.
func escape(s, more string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 || strings.IndexByte(more, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

// reserved are the characters that allowReserved leaves alone, but those that end a value.
const reserved = ":/?[]@!$'()*,;="

// decode reads a value whose numbers keep their digits.
func decode(raw json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// text writes a value as one text: JSON where it is a list or an object.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return ""
	case json.Number:
		return v.String()
	case bool:
		return fmt.Sprint(v)
	}
	return string(marshal(v))
}

// marshal writes JSON whose texts keep "<", ">" and "&".
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // values were decoded from JSON
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// flat lists the items of a list, or the names and values of an object by name.
func flat(v any, write func(string) string) (items []string, members []pair) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			items = append(items, write(text(item)))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			members = append(members, pair{write(name), write(text(v[name]))})
		}
	default:
		items = []string{write(text(v))}
	}
	return items, members
}

// list writes members as a list of names and values, or as names with values.
func list(members []pair, explode bool) []string {
	var out []string
	for _, m := range members {
		if explode {
			out = append(out, m.name+"="+m.value)
		} else {
			out = append(out, m.name, m.value)
		}
	}
	return out
}

// simple writes a value of a path or a header: items between commas.
func simple(v any, explode bool, write func(string) string) string {
	items, members := flat(v, write)
	return strings.Join(append(items, list(members, explode)...), ",")
}

// segment writes a value of a path.
func segment(p Parameter, v any) string {
	write := func(s string) string { return escape(s, "") }
	items, members := flat(v, write)
	name := write(p.Name)
	switch p.Style {
	case "label":
		all := slices.Concat(items, list(members, p.Explode))
		if p.Explode {
			return "." + strings.Join(all, ".")
		}
		return "." + strings.Join(all, ",")
	case "matrix":
		switch {
		case p.Explode && len(members) > 0:
			return ";" + strings.Join(list(members, true), ";")
		case p.Explode:
			var out strings.Builder
			for _, item := range items {
				out.WriteString(";" + name + "=" + item)
			}
			return out.String()
		}
		return ";" + name + "=" + strings.Join(append(items, list(members, false)...), ",")
	case JSONText:
		return write(string(marshal(v)))
	}
	return simple(v, p.Explode, write)
}

// query writes a value of a query or of a urlencoded body. Null and an empty list write nothing.
func query(p Parameter, v any) []pair {
	write := func(s string) string { return escape(s, "") }
	if p.AllowReserved {
		write = func(s string) string { return escape(s, reserved) }
	}
	name := escape(p.Name, "")
	if v == nil {
		return nil
	}
	items, members := flat(v, write)
	switch p.Style {
	case JSONText:
		return []pair{{name, write(string(marshal(v)))}}
	case DeepObject:
		return deep(p.Name, v, write)
	case "spaceDelimited", "pipeDelimited":
		separator := map[string]string{"spaceDelimited": "%20", "pipeDelimited": "%7C"}[p.Style]
		if !p.Explode {
			return joined(name, append(items, list(members, false)...), separator)
		}
	}
	switch {
	case !p.Explode:
		return joined(name, append(items, list(members, false)...), ",")
	case members != nil:
		return members
	}
	var out []pair
	for _, item := range items {
		out = append(out, pair{name, item})
	}
	return out
}

func joined(name string, values []string, separator string) []pair {
	if len(values) == 0 {
		return nil
	}
	return []pair{{name, strings.Join(values, separator)}}
}

// deep writes members as name[member], and what is in them likewise; items have their index, from 0.
func deep(name string, v any, write func(string) string) []pair {
	var out []pair
	switch v := v.(type) {
	case map[string]any:
		for _, member := range slices.Sorted(maps.Keys(v)) {
			out = append(out, deep(name+"["+member+"]", v[member], write)...)
		}
	case []any:
		for i, item := range v {
			out = append(out, deep(fmt.Sprintf("%s[%d]", name, i), item, write)...)
		}
	case nil:
	default:
		out = []pair{{escape(name, "[]"), write(text(v))}}
	}
	return out
}
