package yamlslip

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/diag"
)

// opening is a bracket or a quote that begins at a byte of a line.
type opening struct {
	line, offset int
	char         byte
}

// unclosed scans the lines up to a fault for the first quote that does not end in its line and for the
// innermost bracket that is open at the fault. Each is nil when there is none.
func (t *Text) unclosed(until int) (quote, bracket *opening) {
	var open []opening
	block := -1 // the indent of the key of a block text
	for n, line := range t.Lines[:min(until, len(t.Lines))] {
		indent := IndentOf(line)
		if indent < 0 || block >= 0 && indent > block {
			continue
		}
		block = -1
		for i, begins := indent, true; i < len(line); i++ {
			c := line[i]
			switch {
			case c == ' ' || c == '\t':
				if strings.HasPrefix(line[i:], " #") {
					i = len(line)
				}
				continue
			case begins && (c == '"' || c == '\''):
				end := quoteEnd(line, i)
				if end < 0 {
					return &opening{n + 1, i, c}, last(open)
				}
				i = end
			case begins && (c == '[' || c == '{') || len(open) > 0 && (c == '[' || c == '{'):
				open = append(open, opening{n + 1, i, c})
				begins = true
				continue
			case len(open) > 0 && (c == ']' || c == '}'):
				open = open[:len(open)-1]
			case begins && len(open) == 0 && (c == '|' || c == '>'):
				block, i = indent, len(line)
			}
			begins = c == ',' && len(open) > 0 || (c == ':' || c == '-' && begins) && (i+1 == len(line) || line[i+1] == ' ')
		}
	}
	return nil, last(open)
}

func last(open []opening) *opening {
	if len(open) == 0 {
		return nil
	}
	return &open[len(open)-1]
}

// quoteEnd is the byte of the quote that ends the one at a byte; -1 when the line has none.
func quoteEnd(line string, from int) int {
	for i := from + 1; i < len(line); i++ {
		switch {
		case line[from] == '"' && line[i] == '\\', line[from] == '\'' && strings.HasPrefix(line[i:], "''"):
			i++
		case line[i] == line[from]:
			return i
		}
	}
	return -1
}

// openQuote finds a quote that does not end in its line.
func (t *Text) openQuote(at diag.Pos, _ string) *explanation {
	quote, _ := t.unclosed(at.Line)
	if quote == nil {
		return nil
	}
	line := strings.TrimRight(t.Lines[quote.line-1], " \t\r")
	e := &explanation{at: t.place(*quote), message: fmt.Sprintf("the text that begins with %c here does not end in this line", quote.char),
		hint: fmt.Sprintf("write %c at its end", quote.char)}
	e.at.Len = utf8.RuneCountInString(line[quote.offset:])
	for end := len(line); end > quote.offset+1; end-- {
		e.candidates = append(e.candidates, map[int]string{quote.line: line[:end] + string(quote.char) + line[end:]})
		if !strings.ContainsRune("]}", rune(line[end-1])) {
			break
		}
	}
	return e
}

// openBracket finds a bracket that is not closed in its line.
func (t *Text) openBracket(at diag.Pos, message string) *explanation {
	if !strings.Contains(message, "must be specified") && !strings.Contains(message, "could not find flow") {
		return nil
	}
	_, bracket := t.unclosed(at.Line - 1)
	if bracket == nil {
		if _, bracket = t.unclosed(at.Line); bracket == nil {
			return nil
		}
	}
	closer := map[byte]string{'[': "]", '{': "}"}[bracket.char]
	line := strings.TrimRight(t.Lines[bracket.line-1], " \t\r")
	code, comment, _ := strings.Cut(line, " #")
	if comment != "" {
		comment = " #" + comment
	}
	code = strings.TrimRight(code, " ")
	return &explanation{at: t.place(*bracket), message: fmt.Sprintf("%q is not closed", string(bracket.char)), hint: fmt.Sprintf("write %q at the end of the line", closer),
		candidates: []map[int]string{{bracket.line: code + closer + comment}}, sure: true}
}

func (t *Text) place(o opening) diag.Pos {
	return diag.Pos{File: t.File, Line: o.line, Col: utf8.RuneCountInString(t.Lines[o.line-1][:o.offset]) + 1, Len: 1}
}
