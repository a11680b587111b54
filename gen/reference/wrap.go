package reference

import (
	"strings"
	"unicode/utf8"
)

// width is the longest line of the page's prose, in characters.
const width = 116

// wrap breaks a text at spaces into lines of at most width characters, but not inside of code spans. The
// first line begins with first, the others with rest.
func wrap(first, rest, text string) string {
	var out strings.Builder
	line, empty := first, true
	for _, word := range unbroken(text) {
		switch {
		case empty:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			out.WriteString(line + "\n")
			line = rest + word
		default:
			line += " " + word
		}
		empty = false
	}
	return out.String() + line
}

// unbroken returns the words of a text. A code span with the characters that touch it is one word.
func unbroken(text string) []string {
	var out []string
	span := false
	for word := range strings.SplitSeq(text, " ") {
		if span {
			out[len(out)-1] += " " + word
		} else if word != "" {
			out = append(out, word)
		}
		span = span != (strings.Count(word, "`")%2 == 1)
	}
	return out
}
