package paramspec

import (
	"errors"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/format"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Text resolves what limits a text: an enum, a format, or lengths and a pattern.
func (r *Resolver) Text(t *param.Type, s *Schema, goName, what string) {
	if s.Enum != nil {
		t.EnumGoName, t.Initialisms = goName, r.Initialisms
		free := r.ident(goName, "the enum of "+what, s.Enum.Key)
		for _, v := range r.enum(s.Enum) {
			t.Enum = append(t.Enum, v.Value)
			if free {
				r.ident(t.EnumConst(v.Value), "value \""+v.Value+"\"", v.Pos)
			}
		}
		return
	}
	if s.Format.Set() {
		if t.Format = param.Format(s.Format.Value); !slices.Contains(format.Names(), s.Format.Value) {
			r.Diags.Unknown(s.Format.Pos, RuleUnknownFormat, "format", s.Format.Value, format.Names())
		}
		return
	}
	t.MinLength, t.MaxLength = r.lengths(s.MinLength, s.MaxLength, "Length")
	if s.Pattern.Set() {
		t.Pattern = r.pattern(s.Pattern)
	}
}

// numbers resolves an enum of integers, each of which has a name.
func (r *Resolver) numbers(t *param.Type, s *Schema, goName, what string) {
	if t.Kind != param.Integer || s.Enum == nil || s.Enum.Names == nil {
		return
	}
	if len(s.Enum.Names) == 0 {
		r.errorf(s.Enum.Key, RuleBadEnum, "the enum is empty")
	}
	t.EnumGoName, t.Initialisms = goName, r.Initialisms
	free := r.ident(goName, "the enum of "+what, s.Enum.Key)
	seen := make(map[float64]yamltree.Text, len(s.Enum.Values))
	for i, v := range s.Enum.Values {
		name := s.Enum.Names[i]
		first, again := seen[v.Number]
		switch {
		case v.Kind != yamltree.NumberLiteral || v.Number != math.Trunc(v.Number) || math.Abs(v.Number) > 1<<53:
			r.errorf(v.Text.Pos, RuleBadEnum, "the value of %q must be a whole number", name.Value)
			continue
		case again:
			d := r.errorf(v.Text.Pos, RuleBadEnum, "%q and %q have the same value", first.Value, name.Value)
			d.Related = &diag.Related{Pos: first.Pos, Message: "first here"}
			continue
		}
		seen[v.Number] = name
		t.Numbers = append(t.Numbers, &param.EnumNumber{Name: name.Value, Value: int(v.Number)})
		if free {
			r.ident(t.EnumConst(name.Value), "value \""+name.Value+"\"", name.Pos)
		}
	}
}

// enum collects an enum's values: texts, each once.
func (r *Resolver) enum(in *Enum) []yamltree.Text {
	if in.Names != nil {
		r.errorf(in.Key, RuleBadEnum, "an enum of texts is a list").Hint = "only an enum of integers names its values"
		return nil
	}
	if len(in.Values) == 0 {
		r.errorf(in.Key, RuleBadEnum, "the enum is empty")
	}
	seen := make(map[string]diag.Pos, len(in.Values))
	var out []yamltree.Text
	for _, v := range in.Values {
		first, again := seen[v.Text.Value]
		switch {
		case v.Kind != yamltree.StringLiteral:
			d := r.errorf(v.Text.Pos, RuleBadEnum, "an enum lists texts, and this is %s", v.Kind)
			d.Hint, d.Fix = quoteIt, quoted(v)
		case v.Text.Value == "":
			r.errorf(v.Text.Pos, RuleBadEnum, "an enum cannot list the empty text")
		case again:
			d := r.errorf(v.Text.Pos, RuleBadEnum, "%q is already in the enum", v.Text.Value)
			d.Hint = "delete one of the two"
			d.Related = &diag.Related{Pos: first, Message: "first here"}
		default:
			seen[v.Text.Value] = v.Text.Pos
			out = append(out, v.Text)
		}
	}
	return out
}

// pattern compiles a pattern and points at the part of it that does not.
func (r *Resolver) pattern(in yamltree.Text) string {
	_, err := regexp.Compile(in.Value)
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return in.Value
	}
	at := in.Pos
	if i := strings.Index(in.Value, bad.Expr); i >= 0 && bad.Expr != "" {
		at = in.At(i, len(bad.Expr))
	}
	r.errorf(at, RuleBadPattern, "the pattern does not compile: %s", bad.Code).Hint = "patterns are RE2"
	return in.Value
}
