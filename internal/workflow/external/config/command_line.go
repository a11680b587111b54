package config

import (
	"errors"
	"strings"
)

// splitCommandLine splits a command line at spaces, with the quotes and backslashes of a shell but
// no expansion.
func splitCommandLine(line string) ([]string, error) {
	var words []string
	var b strings.Builder
	var quote byte
	inWord := false // inside of a word
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, inWord = c, true
		case c == '\\' && quote != '\'' && i+1 < len(line) && strings.IndexByte(`\"' `, line[i+1]) >= 0:
			i++
			b.WriteByte(line[i])
			inWord = true
		case quote == 0 && (c == ' ' || c == '\t'):
			if inWord {
				words = append(words, b.String())
			}
			b.Reset()
			inWord = false
		default:
			b.WriteByte(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("the command has a quote that is not closed")
	}
	if inWord {
		words = append(words, b.String())
	}
	return words, nil
}
