package paramspec

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/format"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// defaultOf resolves a default and holds it against everything the property says about its values.
func (r *Resolver) defaultOf(s *Schema, p *param.Property) *param.Value {
	if !s.Default.Set() {
		return nil
	}
	if s.Required.Value {
		d := r.errorf(s.Default.Text.Pos, RuleRequiredDefault, "property %q is required, so its default is never used", p.Name)
		d.Hint = "leave out one of the two"
		d.Related = &diag.Related{Pos: s.Required.Pos, Message: "required here"}
	}
	if !slices.Contains(Kinds(), string(p.Type.Kind)) {
		return nil // reported where the type stands
	}
	if problem, hint := Misfit(s.Default, p.Type); problem != "" {
		d := r.errorf(s.Default.Text.Pos, RuleBadDefault, "the default of %q %s", p.Name, problem)
		d.Hint = hint
		switch {
		case hint == quoteIt:
			d.Fix = quoted(s.Default)
		case hint == leaveQuotes:
			d.Fix = diag.FixBy(hint, diag.Replace(s.Default.Text.Pos, s.Default.Text.Value))
		case len(p.Type.Enum) > 0:
			d.Misspelt(s.Default.Text.Pos, s.Default.Text.Value, p.Type.Enum)
		}
		return nil
	}
	return &param.Value{String: s.Default.Text.Value, Number: s.Default.Number, Bool: s.Default.Bool}
}

// quoteIt is the hint about a text that YAML takes for something else.
const quoteIt = "quote it"

// leaveQuotes is the hint about a number or a boolean that is written as a text.
const leaveQuotes = "leave out the quotes"

// unquoteIt is leaveQuotes where a text in quotes reads as the wanted kind; "" elsewhere.
func unquoteIt(l yamltree.Literal, want yamltree.LiteralKind) string {
	text := l.Text.Value
	_, err := strconv.ParseFloat(text, 64)
	isWanted := want == yamltree.NumberLiteral && err == nil || want == yamltree.BoolLiteral && (text == "true" || text == "false")
	if l.Kind == yamltree.StringLiteral && isWanted && l.Text.Pos.Len == len(text)+2 {
		return leaveQuotes
	}
	return ""
}

// quoted is the fix that puts quotes around a number, a boolean or null; nil where the literal is
// something else or stands otherwise than it reads.
func quoted(l yamltree.Literal) *diag.Fix {
	if l.Kind != yamltree.NumberLiteral && l.Kind != yamltree.BoolLiteral && l.Kind != yamltree.NullLiteral || l.Text.Pos.Len != len(l.Text.Value) {
		return nil
	}
	return diag.FixBy(quoteIt, diag.Replace(l.Text.Pos, `"`+l.Text.Value+`"`))
}

// Misfit says why a literal is not a value of the type, or "".
func Misfit(l yamltree.Literal, t *param.Type) (problem, hint string) {
	want := map[param.Kind]yamltree.LiteralKind{param.String: yamltree.StringLiteral, param.Integer: yamltree.NumberLiteral, param.Number: yamltree.NumberLiteral,
		param.Boolean: yamltree.BoolLiteral}[t.Kind]
	switch {
	case want == "" || t.IsTime():
		return "cannot be written: only texts, numbers and booleans have one", ""
	case l.Kind != want && want == yamltree.StringLiteral:
		return "must be text, not " + string(l.Kind), quoteIt
	case l.Kind != want:
		return "must be " + string(want) + ", not " + string(l.Kind), unquoteIt(l, want)
	case t.Kind == param.Integer && l.Number != math.Trunc(l.Number):
		return "must be whole", ""
	case t.Numbers != nil && !slices.Contains(t.Choices(), strconv.Itoa(int(l.Number))):
		return "is not in its enum: " + l.Text.Value, "it lists " + strings.Join(t.Choices(), ", ")
	case t.Minimum != nil && l.Number < *t.Minimum:
		return "is below the minimum", "write a value within the limits, or other limits"
	case t.Maximum != nil && l.Number > *t.Maximum:
		return "is above the maximum", "write a value within the limits, or other limits"
	case t.Kind == param.String:
		return textMisfit(l.Text.Value, t)
	}
	return "", ""
}

func textMisfit(value string, t *param.Type) (problem, hint string) {
	length := utf8.RuneCountInString(value)
	switch {
	case t.EnumGoName != "" && !slices.Contains(t.Enum, value):
		if hint = diag.DidYouMean(value, t.Enum); hint == "" {
			hint = "it lists " + strings.Join(t.Enum, ", ")
		}
		return "is not in its enum: \"" + value + "\"", hint
	case t.Format != "" && !format.Valid(string(t.Format), value):
		return "is not of its format", string(t.Format) + " is such as " + format.Example(string(t.Format))
	case t.MinLength != nil && length < *t.MinLength:
		return "is shorter than minLength", ""
	case t.MaxLength != nil && length > *t.MaxLength:
		return "is longer than maxLength", ""
	case t.Pattern != "":
		if pattern, err := regexp.Compile(t.Pattern); err == nil && !pattern.MatchString(value) {
			return "does not match the pattern", ""
		}
	}
	return "", ""
}
