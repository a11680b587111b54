package source

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Placeholder is a {name} or a {secret:NAME} in a text.
type Placeholder struct {
	Name    string
	Secret  bool
	At, Len int // bytes
}

// Placeholders lists the placeholders of a text. Braces around anything else are text.
func Placeholders(text string) []Placeholder {
	var out []Placeholder
	for i := 0; i < len(text); {
		open := strings.IndexByte(text[i:], '{')
		if open < 0 {
			break
		}
		i += open
		end := strings.IndexByte(text[i:], '}')
		if end < 0 {
			break
		}
		name, secret := strings.CutPrefix(text[i+1:i+end], "secret:")
		if !isName(name) {
			i++
			continue
		}
		out = append(out, Placeholder{Name: name, Secret: secret, At: i, Len: end + 1})
		i += end + 1
	}
	return out
}

// isName reports whether a text is a letter or _, then letters, digits and _.
func isName(text string) bool {
	for i, r := range text {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) || r >= utf8.RuneSelf {
			return false
		}
	}
	return text != ""
}

// MissingError names a parameter without a value.
type MissingError struct{ Name string }

func (e *MissingError) Error() string { return "parameter " + e.Name + " has no value" }

// Fill replaces the parameters of a text by their values. Secrets stay as they are: the dispatcher
// fills them in. The error is a *MissingError.
func Fill(text string, values map[string]any) (string, error) { return fill(text, values, nil) }

// FillAddress is Fill with values escaped for a path or a query.
func FillAddress(text string, values map[string]any) (string, error) {
	query := strings.IndexByte(text, '?')
	return fill(text, values, func(at int, value string) string {
		if at == 0 {
			return value // a whole address
		}
		if query >= 0 && at > query {
			return url.QueryEscape(value)
		}
		return url.PathEscape(value)
	})
}

func fill(text string, values map[string]any, escape func(at int, value string) string) (string, error) {
	var b strings.Builder
	from := 0
	for _, p := range Placeholders(text) {
		if p.Secret {
			continue
		}
		v, ok := values[p.Name]
		if !ok || v == nil {
			return "", &MissingError{p.Name}
		}
		value := textOf(v)
		if escape != nil {
			value = escape(p.At, value)
		}
		b.WriteString(text[from:p.At])
		b.WriteString(value)
		from = p.At + p.Len
	}
	return b.String() + text[from:], nil
}

// FillJSON replaces the parameters in every text of a JSON value. A text that is one placeholder
// becomes the value with its type. The error is a *MissingError, or about the JSON.
func FillJSON(raw json.RawMessage, values map[string]any) (json.RawMessage, error) {
	if len(raw) == 0 {
		return raw, nil
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("fill in parameters: %w", err)
	}
	v, err := fillValue(v, values)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func fillValue(v any, values map[string]any) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		if p := Placeholders(v); len(p) == 1 && p[0].Len == len(v) && !p[0].Secret {
			if value, ok := values[p[0].Name]; ok && value != nil {
				return value, nil
			}
			return nil, &MissingError{p[0].Name}
		}
		return Fill(v, values)
	case []any:
		for i := range v {
			if v[i], err = fillValue(v[i], values); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for k := range v {
			if v[k], err = fillValue(v[k], values); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// textOf returns a value as it is typed.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}

// Fill returns the element with the parameters of its marks filled in.
func (e *Element) Fill(values map[string]any) (*Element, error) {
	if e == nil {
		return nil, nil
	}
	out := *e
	for _, text := range []*string{&out.Identity.Role, &out.Identity.Name, &out.Identity.TestID, &out.Identity.Text, &out.Identity.Tag,
		&out.Identity.Kind, &out.Identity.Label, &out.Identity.Frame, &out.Has, &out.NotText} {
		var err error
		if *text, err = Fill(*text, values); err != nil {
			return nil, err
		}
	}
	var err error
	if out.CSS, err = fill(out.CSS, values, escapeCSS); err != nil {
		return nil, err
	}
	out.Within, err = e.Within.Fill(values)
	return &out, err
}

// escapeCSS keeps a value inside the quoted text of a selector.
func escapeCSS(_ int, value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `'`, `\'`, "\n", `\a `).Replace(value)
}
