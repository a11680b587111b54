package remote

import (
	"errors"
	"strings"
)

// splitWords splits a command line at white space. Quotes of both kinds keep white space, and a
// backslash outside of single quotes keeps the next quote, backslash or space.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	inWord, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			if !strings.ContainsRune("\"'\\ \t", r) { // as in a path of Windows
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inWord = r, true
		case strings.ContainsRune(" \t\n", r):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	switch {
	case quote != 0:
		return nil, errors.New("a quote is not closed")
	case escaped:
		word.WriteByte('\\')
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
