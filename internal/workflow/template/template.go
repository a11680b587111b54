// Package template is the little language of workflow arguments: {{ path | filter | default }} inside texts, and
// {{#if path}}…{{else}}…{{/if}} around parts of them.
//
// A text that is one placeholder keeps its value's type; any other is text. Nothing is ever converted by how it looks,
// and what a placeholder inserts is not read again. The package must not know what the names mean, nor JSON Schema.
package template

import (
	"fmt"
	"strings"
)

// Template is a parsed text.
type Template struct {
	Source string
	single *Expr // set when the text is one placeholder
	parts  []part
}

// part is literal text, a placeholder or a condition.
type part struct {
	text                 string
	expr                 *Expr
	cond                 *Expr
	thenParts, elseParts []part
}

// Expr is what stands between the braces. At and Len are its place in the source, in bytes.
type Expr struct {
	Path        Path
	Literal     any // instead of a path
	Filters     []Filter
	IsCondition bool // it decides {{#if}}, so that it may be absent
	At, Len     int
}

// Path is a name and the way from there.
type Path []Segment

// Segment is a key or, when IsIndex is set, an index; a negative one counts from the end.
type Segment struct {
	Key     string
	Index   int
	IsIndex bool
	At      int
}

// Filter changes a value. A default has no name.
type Filter struct {
	Name string
	Args []any
	At   int
}

// Error is what is wrong with a template: at byte At of the source, Len bytes long.
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

// Parse reads a text. Its errors are *Error.
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

// singlePlaceholder is the placeholder that a text consists of, white space around it aside.
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

// Single is the placeholder that the text consists of, or nil.
func (t *Template) Single() *Expr { return t.single }

// IsLiteral reports whether there is no placeholder in the text.
func (t *Template) IsLiteral() bool {
	for _, p := range t.parts {
		if p.expr != nil || p.cond != nil {
			return false
		}
	}
	return true
}

// Exprs lists every placeholder and condition, in order.
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

// Default is the value that stands in for an absent one; ok is false when there is none.
func (e *Expr) Default() (value any, ok bool) {
	for _, f := range e.Filters {
		if f.Name == "default" && len(f.Args) == 1 {
			return f.Args[0], true
		}
	}
	return nil, false
}

// String is the path as it is written.
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
