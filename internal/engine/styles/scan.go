package styles

import (
	"strings"
	"unicode/utf8"
)

// conditional is a declaration in a rule that stands in a conditional group rule: @media, @supports or
// @container.
type conditional struct {
	selectors  []string // of the rule and those that it is nested in, outermost first
	conditions []string // the conditional at-rules, outermost first
	property   string
	value      string
	at         wireRange
}

// block is an open block of a style sheet.
type block struct {
	selector  string // "" for an at-rule
	condition string // "" for a rule and for other at-rules
	opaque    bool   // its content applies to no element, such as that of @keyframes
}

// maxNesting bounds the open blocks.
const maxNesting = 40

// scanner walks over the text of a style sheet and reports the declarations in conditional rules. It
// reads what every browser skips the same way: strings, comments, brackets and escapes.
type scanner struct {
	text   string
	pos    int
	line   int // of lineAt
	lineAt int // offset at which the line begins
	open   []block
	outer  string // condition of the whole sheet, or ""
	report func(conditional) bool
}

// scanConditional reports the declarations of a style sheet that stand in conditional rules, and all of
// them where the sheet has a condition of its own. It ends when report returns false.
func scanConditional(text, sheetCondition string, report func(conditional) bool) {
	s := scanner{text: text, outer: sheetCondition, report: report}
	for s.pos < len(s.text) {
		start := s.skipSpace()
		end, stop := s.statementEnd()
		statement := strings.TrimSpace(s.text[start:end])
		s.pos = min(end+1, len(s.text))
		switch stop {
		case '{':
			if len(s.open) == maxNesting {
				return
			}
			s.open = append(s.open, newBlock(statement))
			continue
		case ';', '}', 0:
			if !s.declaration(statement, start) {
				return
			}
		}
		if stop == '}' && len(s.open) > 0 {
			s.open = s.open[:len(s.open)-1]
		}
	}
}

func newBlock(prelude string) block {
	prelude = withoutComments(prelude)
	if !strings.HasPrefix(prelude, "@") {
		return block{selector: prelude}
	}
	name, rest, _ := strings.Cut(strings.ToLower(prelude[1:]), " ")
	if at := strings.IndexByte(name, '('); at >= 0 {
		name, rest = name[:at], name[at:]
	}
	switch name {
	case "media", "supports", "container":
		return block{condition: "@" + name + " " + strings.TrimSpace(prelude[len(prelude)-len(rest):])}
	case "layer", "scope", "starting-style":
		return block{}
	}
	return block{opaque: true}
}

// skipSpace passes white space and comments, and returns the offset after them.
func (s *scanner) skipSpace() int {
	for s.pos < len(s.text) {
		switch {
		case strings.ContainsRune(" \t\r\n\f;", rune(s.text[s.pos])):
			s.pos++
		case strings.HasPrefix(s.text[s.pos:], "/*"):
			s.pos = s.commentEnd(s.pos)
		default:
			return s.pos
		}
	}
	return s.pos
}

func (s *scanner) commentEnd(at int) int {
	if i := strings.Index(s.text[at+2:], "*/"); i >= 0 {
		return at + 2 + i + 2
	}
	return len(s.text)
}

// statementEnd returns the offset of the character that ends the statement at the present position,
// and that character; 0 at the end of the text.
func (s *scanner) statementEnd() (int, byte) {
	depth := 0
	for i := s.pos; i < len(s.text); i++ {
		switch c := s.text[i]; c {
		case '\\':
			i++
		case '"', '\'':
			i = s.stringEnd(i)
		case '/':
			if strings.HasPrefix(s.text[i:], "/*") {
				i = s.commentEnd(i) - 1
			}
		case '(', '[':
			depth++
		case ')', ']':
			depth = max(0, depth-1)
		case '{', '}':
			return i, c
		case ';':
			if depth == 0 {
				return i, c
			}
		}
	}
	return len(s.text), 0
}

// stringEnd returns the offset of the quote that closes a string, or of the line break that ends it.
func (s *scanner) stringEnd(at int) int {
	for i := at + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case s.text[at], '\n':
			return i
		}
	}
	return len(s.text)
}

// declaration reports a statement that is a declaration in a conditional rule. It returns false when
// the scan is to end.
func (s *scanner) declaration(statement string, start int) bool {
	name, value, ok := strings.Cut(statement, ":")
	if !ok || strings.HasPrefix(statement, "@") {
		return true
	}
	c := conditional{property: strings.TrimSpace(name), value: strings.TrimSpace(withoutComments(value))}
	if s.outer != "" {
		c.conditions = []string{s.outer}
	}
	for _, b := range s.open {
		if b.opaque {
			return true
		}
		if b.selector != "" {
			c.selectors = append(c.selectors, b.selector)
		}
		if b.condition != "" {
			c.conditions = append(c.conditions, b.condition)
		}
	}
	if len(c.selectors) == 0 || len(c.conditions) == 0 {
		return true
	}
	c.at = s.position(start)
	return s.report(c)
}

// position converts an offset, which must not be before that of an earlier call, to lines and columns
// as the protocol counts them: from 0, in UTF-16 code units.
func (s *scanner) position(offset int) wireRange {
	for {
		i := strings.IndexByte(s.text[s.lineAt:offset], '\n')
		if i < 0 {
			break
		}
		s.line, s.lineAt = s.line+1, s.lineAt+i+1
	}
	column := 0
	for _, r := range s.text[s.lineAt:offset] {
		column++
		if r > 0xffff {
			column++
		}
	}
	return wireRange{StartLine: s.line, StartColumn: column}
}

func withoutComments(text string) string {
	for {
		before, after, ok := strings.Cut(text, "/*")
		if !ok {
			return strings.TrimSpace(strings.ToValidUTF8(text, string(utf8.RuneError)))
		}
		_, rest, _ := strings.Cut(after, "*/")
		text = before + " " + rest
	}
}
