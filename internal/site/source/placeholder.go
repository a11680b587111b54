package source

import (
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

// unnamed begins the names of secrets that a program wrote into a tool. The vault has none of these names: which of its
// secrets is meant, a person says.
const unnamed = "UNNAMED_"

// UnnamedSecret returns the name that a program writes for the secret of a field.
func UnnamedSecret(field string) string { return unnamed + strings.ToUpper(field) }

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
