// Package uritemplate matches addresses against URI templates of RFC 6570, as the templates of
// resources are.
//
// It knows simple expressions, {name}, and reserved ones, {+name}, with one variable each: what can
// be matched without ambiguity. It is a leaf: the compiler checks templates with it, and the
// toolkit matches the addresses that clients read.
package uritemplate

import (
	"fmt"
	"net/url"
	"strings"
)

// Template is a parsed template. The zero value matches nothing but "".
type Template struct {
	text  string
	parts []part
}

// part is literal text, or a variable when name is not empty.
type part struct {
	literal, name string
	reserved      bool // the value may have any character
}

// Parse reads a template. Its variables have names of letters, digits and underscores, each name
// stands once, and text separates two variables.
func Parse(text string) (*Template, error) {
	t := &Template{text: text}
	for rest := text; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return nil, fmt.Errorf("%q has a } without a {", text)
		}
		if before != "" {
			t.parts = append(t.parts, part{literal: before})
		}
		if !found {
			break
		}
		inside, tail, closed := strings.Cut(after, "}")
		if !closed {
			return nil, fmt.Errorf("%q has a { without a }", text)
		}
		if err := t.variable(inside); err != nil {
			return nil, err
		}
		rest = tail
	}
	return t, nil
}

// variable adds the expression between two braces.
func (t *Template) variable(inside string) error {
	name, reserved := strings.CutPrefix(inside, "+")
	if !validName(name) {
		return fmt.Errorf("%q has the expression {%s}; {name} and {+name} are known", t.text, inside)
	}
	for _, p := range t.parts {
		if p.name == name {
			return fmt.Errorf("%q has the variable %q twice", t.text, name)
		}
	}
	if n := len(t.parts); n > 0 && t.parts[n-1].name != "" {
		return fmt.Errorf("%q has nothing between {%s} and {%s}", t.text, t.parts[n-1].name, name)
	}
	t.parts = append(t.parts, part{name: name, reserved: reserved})
	return nil
}

// MustParse is Parse for generated code, whose templates the compiler has checked.
func MustParse(text string) *Template {
	t, err := Parse(text)
	if err != nil {
		panic(err) //nolint:forbidigo // the compiler has checked it
	}
	return t
}

// String is the text of the template.
func (t *Template) String() string { return t.text }

// Variables lists the names of the variables, in their order.
func (t *Template) Variables() []string {
	var out []string
	for _, p := range t.parts {
		if p.name != "" {
			out = append(out, p.name)
		}
	}
	return out
}

// Match returns the values of the variables in an address, without their percent-encoding; false
// when the address is not of the template. A value is not empty. A simple variable ends where the
// text after it first stands, and has none of the characters that RFC 6570 would encode.
func (t *Template) Match(uri string) (map[string]string, bool) {
	values := make(map[string]string, len(t.parts))
	rest := uri
	for i, p := range t.parts {
		if p.name == "" {
			tail, ok := strings.CutPrefix(rest, p.literal)
			if !ok {
				return nil, false
			}
			rest = tail
			continue
		}
		end := len(rest)
		if i+1 < len(t.parts) {
			next := t.parts[i+1].literal
			if end = strings.Index(rest, next); p.reserved && i+2 == len(t.parts) {
				end = strings.LastIndex(rest, next)
			}
		}
		if end <= 0 || !p.reserved && strings.ContainsAny(rest[:end], reservedCharacters) {
			return nil, false
		}
		value, err := url.PathUnescape(rest[:end])
		if err != nil {
			return nil, false
		}
		values[p.name], rest = value, rest[end:]
	}
	return values, rest == ""
}

// Expand returns the address with these values, percent-encoded where RFC 6570 says so.
func (t *Template) Expand(values map[string]string) string {
	var b strings.Builder
	for _, p := range t.parts {
		if p.name == "" {
			b.WriteString(p.literal)
		} else {
			encode(&b, values[p.name], p.reserved)
		}
	}
	return b.String()
}

// reservedCharacters are those that a simple expression encodes.
const reservedCharacters = ":/?#[]@!$&'()*+,;="

func encode(b *strings.Builder, value string, reserved bool) {
	for i := range len(value) {
		c := value[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
		if letter || reserved && strings.IndexByte(reservedCharacters, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(b, "%%%02X", c)
	}
}

func validName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return name != ""
}
