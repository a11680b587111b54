// Package template implements the template language of workflow arguments: {{ path | filter |
// default }} inside texts, and {{#if path}}…{{else}}…{{/if}} around parts of them.
//
// A text that is one placeholder keeps the type of its value; any other text evaluates to a string.
// No value is converted by its looks, and inserted text is not parsed again. The package must not
// know what names mean, nor JSON Schema.
package template

import (
	"fmt"
	"slices"
	"strings"
)

// Template is a parsed text.
type Template struct {
	Source string
	single *Expr // set if the text is one placeholder
	parts  []part
}

// part is literal text, a placeholder or a condition.
type part struct {
	text                 string
	expr                 *Expr
	cond                 *Expr
	thenParts, elseParts []part
}

// Expr is the expression of a placeholder. At and Len are its place in the source, in bytes.
type Expr struct {
	Path        Path
	Literal     any // set if Path is nil
	Filters     []Filter
	IsCondition bool // the condition of {{#if}}; its value may be absent
	At, Len     int
}

// Path is a name followed by keys and indices.
type Path []Segment

// Segment is a key or, if IsIndex is set, an index. A negative index counts from the end.
type Segment struct {
	Key     string
	Index   int
	IsIndex bool
	At      int
}

// Filter transforms a value. A bare literal after | is the filter default.
type Filter struct {
	Name string
	Args []any
	At   int
}

// Error is a syntax error at byte At of the source, Len bytes long.
type Error struct {
	At, Len int
	Problem string
	Hint    string
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Problem
	}
	return e.Problem + "; " + e.Hint
}

// Parse parses a text. Its errors are *Error.
func Parse(text string) (*Template, error) {
	p := &parser{src: text}
	parts, err := p.parts("")
	if err != nil {
		return nil, err
	}
	t := &Template{Source: text, parts: parts}
	t.single = singlePlaceholder(parts)
	return t, nil
}

// singlePlaceholder returns the only placeholder of a text, surrounding white space aside, or nil.
func singlePlaceholder(parts []part) *Expr {
	var found *Expr
	for _, p := range parts {
		switch {
		case p.expr != nil && found == nil:
			found = p.expr
		case p.expr == nil && p.cond == nil && strings.TrimSpace(p.text) == "":
		default:
			return nil
		}
	}
	return found
}

// Single returns the placeholder that the text consists of, or nil.
func (t *Template) Single() *Expr { return t.single }

// IsLiteral reports whether the text has no placeholder.
func (t *Template) IsLiteral() bool {
	return !slices.ContainsFunc(t.parts, func(p part) bool { return p.expr != nil || p.cond != nil })
}

// Exprs lists the expressions of all placeholders and conditions, in order.
func (t *Template) Exprs() []*Expr { return exprs(t.parts, nil) }

func exprs(parts []part, out []*Expr) []*Expr {
	for _, p := range parts {
		if p.expr != nil {
			out = append(out, p.expr)
		}
		if p.cond != nil {
			out = append(out, p.cond)
			out = exprs(p.thenParts, out)
			out = exprs(p.elseParts, out)
		}
	}
	return out
}

// Default returns the value that replaces an absent one; ok is false without a default.
func (e *Expr) Default() (value any, ok bool) {
	for _, f := range e.Filters {
		if f.Name == "default" && len(f.Args) == 1 {
			return f.Args[0], true
		}
	}
	return nil, false
}

// String returns the path in template syntax.
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.IsIndex:
			fmt.Fprintf(&b, "[%d]", s.Index)
		case i > 0:
			b.WriteString("." + s.Key)
		default:
			b.WriteString(s.Key)
		}
	}
	return b.String()
}
