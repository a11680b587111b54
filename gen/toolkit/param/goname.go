package param

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialism returns how Go writes a word that is an abbreviation: "id" is ID. The list is closed
// on purpose: a new entry renames identifiers that handlers already use. More are those of the
// manifest.
func initialism(word string, more []string) (string, bool) {
	for _, spelled := range more {
		if strings.EqualFold(word, spelled) {
			return spelled, true
		}
	}
	switch strings.ToLower(word) {
	case "id", "url", "pdf", "json", "http", "html":
		return strings.ToUpper(word), true
	case "ids", "urls":
		return strings.ToUpper(word[:len(word)-1]) + "s", true
	}
	return "", false
}

// GoName turns a name of the manifest into an exported Go identifier: read_mail is ReadMail, userId
// is UserID. Words of more are written as they stand there. The result is empty when the name holds neither letter nor digit.
func GoName(name string, more ...string) string {
	var b strings.Builder
	for _, word := range Words(name) {
		if known, ok := initialism(word, more); ok {
			b.WriteString(known)
			continue
		}
		first, size := utf8.DecodeRuneInString(word)
		b.WriteRune(unicode.ToUpper(first))
		b.WriteString(word[size:])
	}
	return b.String()
}

// Unexported turns an exported Go name into one that is not: URLPath is urlPath.
func Unexported(goName string) string {
	i := 0
	for i < len(goName) && goName[i] >= 'A' && goName[i] <= 'Z' {
		i++
	}
	if i > 1 && i < len(goName) {
		i--
	}
	return strings.ToLower(goName[:i]) + goName[i:]
}

// Words splits a name at everything that is neither letter nor digit, and where camel case begins a
// new word.
func Words(name string) []string {
	var out []string
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		runes, start := []rune(part), 0
		for i := 1; i < len(runes); i++ {
			afterLower := unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1])
			endOfRun := i+1 < len(runes) && unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i]) && unicode.IsLower(runes[i+1])
			if afterLower || endOfRun {
				out, start = append(out, string(runes[start:i])), i
			}
		}
		out = append(out, string(runes[start:]))
	}
	return out
}

// EnumConst is the Go name of one value of an enum: ComputerActionLeftClick. A value without
// letters and digits is spelt by its code points, so that "+" has a name too.
func (t *Type) EnumConst(value string) string {
	if name := GoName(value, t.Initialisms...); name != "" {
		return t.EnumGoName + name
	}
	var b strings.Builder
	for _, r := range value {
		fmt.Fprintf(&b, "U%04X", r)
	}
	return t.EnumGoName + b.String()
}
