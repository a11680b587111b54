package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit/param"
)

// fit makes a value of an answer one of a declared type: members that are not declared are dropped, and optional ones
// that are null. The error says where a value is of another type. Numbers are json.Number, path is the place of the
// value in the property.
func fit(v any, t *param.Type, path string) (any, error) {
	wrong := func(want string) error { return &misfit{path, want, v} }
	if v == nil && t.Nullable {
		return nil, nil
	}
	switch t.Kind {
	case param.String:
		text, ok := v.(string)
		if !ok {
			return nil, wrong("a text")
		}
		if t.Enum != nil && !slices.Contains(t.Enum, text) {
			return nil, wrong("one of " + strings.Join(t.Enum, ", "))
		}
	case param.Integer, param.Number:
		if want := notNumber(v, t.Kind); want != "" {
			return nil, wrong(want)
		}
	case param.Boolean:
		if _, ok := v.(bool); !ok {
			return nil, wrong("true or false")
		}
	case param.Array:
		list, ok := v.([]any)
		if !ok {
			return nil, wrong("a list")
		}
		out := make([]any, len(list))
		for i := range list {
			var err error
			if out[i], err = fit(list[i], t.Items, fmt.Sprintf("%s/%d", path, i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	case param.Nested:
		members, ok := v.(map[string]any)
		if !ok {
			return nil, wrong("an object")
		}
		return fitObject(members, t, path)
	case param.Free:
	}
	return v, nil
}

// notNumber returns the kind of number that v should be, for an error; "" where it is one.
func notNumber(v any, kind param.Kind) (want string) {
	n, ok := v.(json.Number)
	if !ok {
		return "a number"
	}
	switch f, err := n.Float64(); {
	case kind == param.Integer && (err != nil || f != float64(int64(f))):
		return "a whole number"
	case err != nil:
		return "a number that clients can read"
	}
	return ""
}

func fitObject(members map[string]any, t *param.Type, path string) (any, error) {
	out := map[string]any{}
	add := func(name string, of *param.Type) (err error) {
		out[name], err = fit(members[name], of, path+"/"+name)
		return err
	}
	switch {
	case t.Object != nil:
		for _, p := range t.Object.Properties {
			v, has := members[p.Name]
			if !p.Required && (!has || v == nil && !p.Type.Nullable) {
				continue
			}
			if err := add(p.Name, p.Type); err != nil {
				return nil, err
			}
		}
	case t.Values != nil:
		for name := range members {
			if err := add(name, t.Values); err != nil {
				return nil, err
			}
		}
	default:
		return members, nil
	}
	return out, nil
}

// maxShown is the longest value that an error shows, in bytes.
const maxShown = 60

// misfit is a value of another type than the output declares.
type misfit struct {
	path, want string
	value      any
}

func (m *misfit) Error() string {
	found := "nothing"
	switch v := m.value.(type) {
	case nil:
	case string: // not a part of it, in which a secret is not found
		if found = fmt.Sprintf("the text %q", v); len(v) > maxShown {
			found = fmt.Sprintf("a text of %d bytes", len(v))
		}
	case json.Number:
		if found = v.String(); len(found) > maxShown {
			found = fmt.Sprintf("a number of %d digits", len(found))
		}
	case bool:
		found = fmt.Sprint(v)
	case []any:
		found = fmt.Sprintf("a list of %d", len(v))
	default:
		found = "an object"
	}
	if m.path == "" {
		return found + " in place of " + m.want
	}
	return found + " at " + m.path + " in place of " + m.want
}
