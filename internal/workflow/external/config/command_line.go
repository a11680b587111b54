package config

import (
	"errors"
	"strings"
)

// splitCommandLine splits a command line at spaces, as a shell would with nothing but quotes and backslashes.
func splitCommandLine(line string) ([]string, error) {
	var words []string
	var b strings.Builder
	var quote byte
	open := false // a word has begun
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, open = c, true
		case c == '\\' && quote != '\'' && i+1 < len(line) && strings.IndexByte(`\"' `, line[i+1]) >= 0:
			i++
			b.WriteByte(line[i])
			open = true
		case quote == 0 && (c == ' ' || c == '\t'):
			if open {
				words = append(words, b.String())
			}
			b.Reset()
			open = false
		default:
			b.WriteByte(c)
			open = true
		}
	}
	if quote != 0 {
		return nil, errors.New("the command has a quote that is not closed")
	}
	if open {
		words = append(words, b.String())
	}
	return words, nil
}
