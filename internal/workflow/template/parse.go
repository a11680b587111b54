package template

import (
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/internal/text"
)

// maxDepth bounds the nesting of conditions.
const maxDepth = 16

type parser struct {
	src   string
	pos   int
	depth int
}

func (p *parser) newError(at, length int, problem, hint string) *Error {
	return &Error{At: at, Len: max(1, length), Problem: problem, Hint: hint}
}

// parts parses until the end of the text or, inside a condition, until {{else}} or {{/if}}, which
// stays unread.
func (p *parser) parts(inside string) ([]part, error) {
	var out []part
	for p.pos < len(p.src) {
		open := strings.Index(p.src[p.pos:], "{{")
		if open < 0 {
			out = append(out, part{text: p.src[p.pos:]})
			p.pos = len(p.src)
			break
		}
		if open > 0 {
			out = append(out, part{text: p.src[p.pos : p.pos+open]})
			p.pos += open
		}
		at := p.pos
		end := placeholderEnd(p.src[at+2:])
		if end < 0 {
			return nil, p.newError(at, 2, `"{{" is never closed`, `write {{ "{{" }} for the characters themselves`)
		}
		inner := p.src[at+2 : at+2+end]
		trimmed := strings.TrimSpace(inner)
		if trimmed == "else" || trimmed == "/if" {
			if inside == "" {
				return nil, p.newError(at, end+4, "{{"+trimmed+"}} has no {{#if}}", "")
			}
			return out, nil
		}
		p.pos = at + end + 4
		item, err := p.placeholder(trimmed, at+2+strings.Index(inner, trimmed))
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	if inside != "" {
		return nil, p.newError(0, len(p.src), "{{#if "+inside+"}} is never closed", "add {{/if}}")
	}
	return out, nil
}

// placeholderEnd returns the index of the "}}" that ends a placeholder, outside of quotes, or -1.
func placeholderEnd(s string) int {
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '}' && strings.HasPrefix(s[i:], "}}"):
			return i
		}
	}
	return -1
}

func (p *parser) placeholder(text string, at int) (part, error) {
	if rest, ok := strings.CutPrefix(text, "#if"); ok {
		return p.condition(strings.TrimSpace(rest), at+len(text)-len(strings.TrimLeft(rest, " \t")))
	}
	e, err := p.expr(text, at)
	return part{expr: e}, err
}

func (p *parser) condition(text string, at int) (part, error) {
	if p.depth++; p.depth > maxDepth {
		return part{}, p.newError(at, len(text), "conditions are nested too deeply", "")
	}
	defer func() { p.depth-- }()
	e, err := p.expr(text, at)
	if err != nil {
		return part{}, err
	}
	e.IsCondition = true
	out := part{cond: e}
	if out.thenParts, err = p.parts(text); err != nil {
		return part{}, err
	}
	if p.closingTag() == "else" {
		if out.elseParts, err = p.parts(text); err != nil {
			return part{}, err
		}
		if p.closingTag() == "else" {
			return part{}, p.newError(at, len(text), "{{#if "+text+"}} has two {{else}}", "")
		}
	}
	return out, nil
}

// closingTag reads the tag at which parts stopped.
func (p *parser) closingTag() string {
	end := placeholderEnd(p.src[p.pos+2:])
	name := strings.TrimSpace(p.src[p.pos+2 : p.pos+2+end])
	p.pos += end + 4
	return name
}

// expr parses an expression: a path or a literal, then filters.
func (p *parser) expr(src string, at int) (*Expr, error) {
	s := &scanner{src: src, base: at}
	e := &Expr{At: at, Len: len(src)}
	s.space()
	if value, ok, err := s.literal(); err != nil {
		return nil, err
	} else if ok {
		e.Literal = value
	} else if e.Path, err = s.path(); err != nil {
		return nil, err
	}
	for {
		s.space()
		switch {
		case s.done():
			return e, nil
		case s.take("||"), s.take("|"):
			f, err := s.filter()
			if err != nil {
				return nil, err
			}
			e.Filters = append(e.Filters, f)
		default:
			return nil, p.newError(at+s.i, len(src)-s.i, "expected | or the end, got "+
				strconv.Quote(text.ClipRunes(src[s.i:], 40)),
				"a placeholder is {{ path | filter }}; conditions and sums belong into if: and set:")
		}
	}
}

type scanner struct {
	src  string
	base int // byte offset of src in the template
	i    int
}

func (s *scanner) done() bool { return s.i >= len(s.src) }

func (s *scanner) space() {
	for s.i < len(s.src) && strings.IndexByte(" \t\r\n", s.src[s.i]) >= 0 {
		s.i++
	}
}

func (s *scanner) take(text string) bool {
	if strings.HasPrefix(s.src[s.i:], text) {
		s.i += len(text)
		return true
	}
	return false
}

func (s *scanner) newError(problem, hint string) *Error {
	return &Error{At: s.base + min(s.i, len(s.src)), Len: 1, Problem: problem, Hint: hint}
}

func (s *scanner) word() string {
	from := s.i
	for s.i < len(s.src) {
		c := s.src[s.i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (s.i == from || (c < '0' || c > '9') && c != '-') {
			break
		}
		s.i++
	}
	return s.src[from:s.i]
}

// literal reads true, false, null, a number or a quoted string.
func (s *scanner) literal() (any, bool, error) {
	if s.done() {
		return nil, false, nil
	}
	switch c := s.src[s.i]; {
	case c == '"' || c == '\'':
		text, err := s.quoted(c)
		return text, true, err
	case c >= '0' && c <= '9' || c == '-':
		from := s.i
		for s.i++; s.i < len(s.src) && strings.IndexByte("0123456789.eE+-", s.src[s.i]) >= 0; s.i++ {
		}
		f, err := strconv.ParseFloat(s.src[from:s.i], 64)
		if err != nil {
			return nil, false, s.newError(strconv.Quote(s.src[from:s.i])+" is not a number", "")
		}
		return f, true, nil
	}
	from := s.i
	switch s.word() {
	case "true":
		return true, true, nil
	case "false":
		return false, true, nil
	case "null":
		return nil, true, nil
	}
	s.i = from
	return nil, false, nil
}

// quoted reads a quoted string. A backslash escapes a quote, a backslash, n or t; before any other
// character it stays, so that regular expressions need no second one.
func (s *scanner) quoted(quote byte) (string, error) {
	var b strings.Builder
	for s.i++; s.i < len(s.src); s.i++ {
		c := s.src[s.i]
		switch {
		case c == quote:
			s.i++
			return b.String(), nil
		case c == '\\' && s.i+1 < len(s.src):
			s.i++
			switch e := s.src[s.i]; e {
			case '\\', '"', '\'':
				b.WriteByte(e)
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte('\\')
				b.WriteByte(e)
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", s.newError("the text is never closed", "")
}

// path reads name.key[0]["key"].
func (s *scanner) path() (Path, error) {
	at := s.base + s.i
	name := s.word()
	if name == "" {
		return nil, s.newError("expected a name",
			"a placeholder is {{ name }}, {{ step.text }} or {{ name | default }}")
	}
	out := Path{{Key: name, At: at}}
	for {
		at = s.base + s.i
		switch {
		case s.take("."):
			key := s.word()
			if key == "" {
				return nil, s.newError("expected a key after the dot", "")
			}
			out = append(out, Segment{Key: key, At: at + 1})
		case s.take("["):
			seg := Segment{At: at}
			value, ok, err := s.literal()
			if err != nil {
				return nil, err
			}
			switch v := value.(type) {
			case string:
				seg.Key = v
			case float64:
				seg.Index, seg.IsIndex = int(v), true
				ok = ok && v == float64(int(v))
			default:
				ok = false
			}
			if !ok || !s.take("]") {
				return nil, s.newError("expected an index or a quoted key in [ ]", "")
			}
			out = append(out, seg)
		default:
			return out, nil
		}
	}
}

// filter reads a filter with its arguments. A bare literal is the filter default.
func (s *scanner) filter() (Filter, error) {
	s.space()
	f := Filter{At: s.base + s.i}
	if value, ok, err := s.literal(); err != nil || ok {
		f.Name, f.Args = "default", []any{value}
		return f, err
	}
	f.Name = s.word()
	names := Filters()
	if !slices.Contains(names, f.Name) {
		hint := diag.DidYouMean(f.Name, names)
		if hint == "" {
			hint = "there are " + strings.Join(names, ", ") + "; a default that is text needs quotes"
		}
		return f, &Error{At: f.At, Len: max(1, len(f.Name)), Problem: "unknown filter " + strconv.Quote(f.Name),
			Hint: hint}
	}
	if s.take("(") {
		for {
			s.space()
			if s.take(")") {
				break
			}
			value, ok, err := s.literal()
			if err != nil {
				return f, err
			}
			if !ok {
				return f, s.newError("expected a literal", "")
			}
			f.Args = append(f.Args, value)
			s.space()
			if !s.take(",") && (s.done() || s.src[s.i] != ')') {
				return f, s.newError(`expected "," or ")"`, "")
			}
		}
	}
	return f, checkArgs(f)
}
