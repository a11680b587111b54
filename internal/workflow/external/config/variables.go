package config

import (
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/internal/text"
)

// Text is a string that may contain variables:
//
//	${A}       the value of A, which must be set
//	${A:-d}    d if A is unset or empty
//	${A-d}     d if A is unset
//	${env:A}   the same as ${A}; also ${env:A:-d}
//	$env:A     the same, if it is the whole string
//	\${        a literal ${
//
// Defaults may contain variables. Any other dollar sign is literal.
type Text struct {
	Raw string
	Pos diag.Pos
}

// Lookup returns the value of a variable and whether it is set.
type Lookup func(name string) (string, bool)

// maxNesting bounds variables inside of defaults.
const maxNested = 8

// check reports references that no environment can expand.
func (t Text) check() error {
	_, err := t.expand(func(string) (string, bool) { return "", true }, nil)
	if err != nil {
		return err
	}
	_, err = t.expand(func(string) (string, bool) { return "", false }, nil)
	return err
}

// expand replaces the variables and records in exp the missing names and the used values; exp may
// be nil.
func (t Text) expand(lookup Lookup, exp *expansion) (string, error) {
	if exp == nil {
		exp = &expansion{}
	}
	if name, ok := strings.CutPrefix(t.Raw, "$env:"); ok && isName(name) {
		return exp.value(name, lookup), nil
	}
	return expand(t.Raw, lookup, exp, 0)
}

// expansion records the variables that an expansion met.
type expansion struct {
	missing []string // unset names without a default
	values  []string // values from the environment
}

func (e *expansion) value(name string, lookup Lookup) string {
	value, ok := lookup(name)
	if !ok {
		e.missing = append(e.missing, name)
	} else {
		e.values = append(e.values, value)
	}
	return value
}

func expand(raw string, lookup Lookup, exp *expansion, depth int) (string, error) {
	if depth > maxNested {
		return "", fmt.Errorf("defaults nest more than %d deep", maxNested)
	}
	var b strings.Builder
	for {
		i := strings.Index(raw, "${")
		if i < 0 {
			b.WriteString(raw)
			return b.String(), nil
		}
		if i > 0 && raw[i-1] == '\\' {
			b.WriteString(raw[:i-1] + "${")
			raw = raw[i+2:]
			continue
		}
		b.WriteString(raw[:i])
		body, rest, ok := cutBrace(raw[i+2:])
		if !ok {
			return "", fmt.Errorf("%q is not closed", clip(raw[i:]))
		}
		value, err := expandVariable(body, lookup, exp, depth)
		if err != nil {
			return "", err
		}
		b.WriteString(value)
		raw = rest
	}
}

// expandVariable expands the text between ${ and }.
func expandVariable(body string, lookup Lookup, exp *expansion, depth int) (string, error) {
	ref := strings.TrimPrefix(body, "env:")
	n := 0
	for n < len(ref) && isNameByte(ref[n], n) {
		n++
	}
	name, tail := ref[:n], ref[n:]
	fallback, emptyToo := strings.CutPrefix(tail, ":-")
	if !emptyToo {
		fallback = strings.TrimPrefix(tail, "-")
	}
	switch {
	case name == "" || tail != "" && !emptyToo && tail[0] != '-':
		return "", fmt.Errorf("%q is not a variable; write ${NAME}, ${NAME:-default} or ${env:NAME}, and \\${ for a plain ${", clip("${"+body+"}"))
	case tail == "":
		return exp.value(name, lookup), nil
	}
	if value, set := lookup(name); set && (value != "" || !emptyToo) {
		return exp.value(name, lookup), nil
	}
	return expand(fallback, lookup, exp, depth+1)
}

// cutBrace splits the text after ${ at its closing brace.
func cutBrace(s string) (body, rest string, ok bool) {
	depth := 1
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "${"):
			depth++
			i++
		case s[i] == '}':
			if depth--; depth == 0 {
				return s[:i], s[i+1:], true
			}
		}
	}
	return "", "", false
}

func isName(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i], i) {
			return false
		}
	}
	return s != ""
}

// isNameByte reports whether a byte may stand at index i of a variable name.
func isNameByte(c byte, i int) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || i > 0 && c >= '0' && c <= '9'
}

// clip shortens text that a message repeats.
func clip(s string) string { return text.ClipBytes(s, 60) }
