package template

import (
	"fmt"
	"strings"
)

// Scope resolves names; Lookup returns false for an unknown one.
type Scope interface{ Lookup(name string) (any, bool) }

// Eval evaluates the template. A text that is one placeholder evaluates to that value, and defined
// is false if it is absent. Inside a longer text, an absent value is an error.
func (t *Template) Eval(s Scope) (value any, defined bool, err error) {
	if t.single != nil {
		return t.single.Eval(s)
	}
	var b strings.Builder
	if err := render(&b, t.parts, s); err != nil {
		return nil, false, err
	}
	return b.String(), true, nil
}

func render(b *strings.Builder, parts []part, s Scope) error {
	for _, p := range parts {
		switch {
		case p.cond != nil:
			v, ok, err := p.cond.Eval(s)
			if err != nil {
				return err
			}
			branch := p.elseParts
			if ok && IsTruthy(v) {
				branch = p.thenParts
			}
			if err := render(b, branch, s); err != nil {
				return err
			}
		case p.expr != nil:
			v, ok, err := p.expr.Eval(s)
			if err != nil {
				return err
			}
			if !ok {
				return fmt.Errorf("{{ %s }} has no value here; give it a default", p.expr.Path)
			}
			b.WriteString(Text(v))
		default:
			b.WriteString(p.text)
		}
	}
	return nil
}

// Eval evaluates one expression.
func (e *Expr) Eval(s Scope) (value any, defined bool, err error) {
	value, defined = e.Literal, true
	if e.Path != nil {
		value, defined = e.Path.Find(s)
	}
	for _, f := range e.Filters {
		if f.Name == "default" {
			if !defined || value == nil {
				value, defined = f.Args[0], true
			}
			continue
		}
		if !defined {
			continue
		}
		if value, defined, err = filterByName(f.Name).run(value, f.Args); err != nil {
			return nil, false, fmt.Errorf("{{ %s | %s }}: %w", e.Path, f.Name, err)
		}
	}
	return value, defined, nil
}

// Find resolves the path.
func (p Path) Find(s Scope) (any, bool) {
	v, ok := s.Lookup(p[0].Key)
	for _, seg := range p[1:] {
		if !ok {
			return nil, false
		}
		v, ok = descend(v, seg)
	}
	return v, ok
}

func descend(v any, seg Segment) (any, bool) {
	if seg.IsIndex {
		list, ok := v.([]any)
		i := seg.Index
		if i < 0 {
			i += len(list)
		}
		if !ok || i < 0 || i >= len(list) {
			return nil, false
		}
		return list[i], true
	}
	switch v := v.(type) {
	case map[string]any:
		out, ok := v[seg.Key]
		return out, ok
	case LazyValue:
		return v.Get(seg.Key)
	}
	return nil, false
}

// IsTruthy reports whether a value satisfies {{#if}} and requires: false, zero, empty and absent
// values do not.
func IsTruthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case int64:
		return v != 0
	case float64:
		return v != 0
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}
