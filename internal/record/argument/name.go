package argument

import "strings"

// maxNameBytes bounds the name that ParameterName makes, in bytes.
const maxNameBytes = 40

// ParameterName returns the name of a parameter for the field of a label: "Unit price" is unit_price. It
// has small letters, digits and _, and begins with a letter. It is "" for a label of which no such name can
// be made: one without Latin letters, or one that begins with a digit.
func ParameterName(label string) string {
	words := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	name := strings.Join(words, "_")
	if name == "" || name[0] <= '9' {
		return ""
	}
	return strings.TrimSuffix(name[:min(len(name), maxNameBytes)], "_")
}
