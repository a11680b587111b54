package yamltree

import (
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/token"
)

// maxRestored bounds how many bare templates a document may have.
const maxRestored = 512

// place is where a bare template stands: line and column, both from 1.
type place struct{ line, col int }

// maybeBare matches where a bare template could stand. What it misses is only reported as the YAML
// mistake it is.
var maybeBare = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[:,\[{-][ \t]*\{\{`) })

// quoteBare makes a text of every bare template, without moving anything: the outer braces become
// quotes, and the reader puts them back. It is led by the parser's own complaints, so that only
// what YAML refuses is touched.
func quoteBare(data []byte) ([]byte, map[place]string) {
	var bare map[place]string
	if !maybeBare().Match(data) {
		return data, nil
	}
	for range maxRestored {
		_, err := parse(data)
		var at interface{ GetToken() *token.Token }
		if err == nil || !errors.As(err, &at) || at.GetToken() == nil {
			break
		}
		line, col := at.GetToken().Position.Line, at.GetToken().Position.Column-1 // the parser points at the inner brace
		from, to := bareTemplate(data, line, col)
		if from < 0 {
			break
		}
		text := string(data[from:to])
		quote := byte('"')
		if strings.ContainsAny(text, `"\`) {
			quote = '\''
		}
		if quote == '\'' && strings.Contains(text, "'") {
			break
		}
		if bare == nil {
			bare, data = make(map[place]string), append([]byte(nil), data...)
		}
		data[from], data[to-1] = quote, quote
		bare[place{line, col}] = text
	}
	return data, bare
}

// bareTemplate finds the bytes of a {{ … }} that begins at a place; from is -1 when there is none.
func bareTemplate(data []byte, line, col int) (from, to int) {
	rest := string(data)
	for range line - 1 {
		_, after, ok := strings.Cut(rest, "\n")
		if !ok {
			return -1, 0
		}
		rest = after
	}
	from = len(data) - len(rest)
	text, _, _ := strings.Cut(rest, "\n")
	for i := range text {
		if col--; col == 0 {
			end := strings.Index(text[i:], "}}")
			if !strings.HasPrefix(text[i:], "{{") || end < 0 {
				return -1, 0
			}
			return from + i, from + i + end + 2
		}
	}
	return -1, 0
}
