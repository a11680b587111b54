package yamltree

import (
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/diag"
)

// Text is a text scalar with its place. The zero Text is "not written".
type Text struct {
	Value string
	Pos   diag.Pos

	raw string // as it stands in the file, quotes and all; "" when it spans lines
}

// Set reports whether the author wrote the text.
func (t Text) Set() bool { return !t.Pos.IsZero() }

// At is the place of the length bytes of Value that begin at offset: what a rule about part of a
// text, such as a pattern or a predicate, points at. Where source and value do not match character
// by character (a block scalar, a text over several lines) it is the place of the whole text.
func (t Text) At(offset, length int) diag.Pos {
	if t.raw == "" || offset < 0 || offset > len(t.Value) {
		return t.Pos
	}
	length = max(0, min(length, len(t.Value)-offset))
	begin, ok := t.column(offset)
	end, ok2 := t.column(offset + length)
	if !ok || !ok2 {
		return t.Pos
	}
	at := t.Pos
	at.Col, at.Len = t.Pos.Col+begin, max(1, end-begin)
	return at
}

// column is the number of source characters before byte offset of the value. Each character of the
// value stands for one unit of the source: a character, a doubled quote or an escape.
func (t Text) column(offset int) (int, bool) {
	rest, col := t.raw, 0
	quote := rest[0]
	if quote == '\'' || quote == '"' {
		rest, col = rest[1:], 1
	}
	for i := 0; i < offset; {
		if rest == "" {
			return 0, false
		}
		n := unit(rest, quote)
		col += utf8.RuneCountInString(rest[:n])
		rest = rest[n:]
		_, size := utf8.DecodeRuneInString(t.Value[i:])
		i += size
	}
	return col, true
}

// scalarSource cuts a scalar out of the line it begins on, quotes and all; "" when it goes on in
// the next one. The scanner's own copy of a scalar's text is no help: it has escapes decoded in
// places.
func scalarSource(line string, col int, value string) string {
	for range col - 1 {
		_, size := utf8.DecodeRuneInString(line)
		line = line[size:]
	}
	if line == "" || (line[0] != '\'' && line[0] != '"') {
		if value != "" && strings.HasPrefix(line, value) {
			return value
		}
		return ""
	}
	for i := 1; i < len(line); {
		n := unit(line[i:], line[0])
		if n == 1 && line[i] == line[0] {
			return line[:i+1]
		}
		i += n
	}
	return ""
}

// unit is the length in bytes of the source's first unit.
func unit(raw string, quote byte) int {
	switch {
	case quote == '\'' && strings.HasPrefix(raw, "''"):
		return 2
	case quote == '"' && raw[0] == '\\' && len(raw) > 1:
		n := 2
		switch raw[1] {
		case 'x':
			n = 4
		case 'u':
			n = 6
		case 'U':
			n = 10
		}
		return min(n, len(raw))
	}
	_, size := utf8.DecodeRuneInString(raw)
	return size
}
