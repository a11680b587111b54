package invisible

import "unicode"

// alphabets have letters that look like those of another.
var alphabets = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Cherokee, unicode.Coptic}

// MixedScripts returns the index of the first letter that is of another alphabet than those before it in its word; -1 for none.
func MixedScripts(text string) int {
	var word *unicode.RangeTable
	for i, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			word = nil
			continue
		}
		for _, alphabet := range alphabets {
			switch {
			case !unicode.Is(alphabet, r):
			case word == nil:
				word = alphabet
			case word != alphabet:
				return i
			}
		}
	}
	return -1
}
