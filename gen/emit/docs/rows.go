package docs

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/model"
)

// row is one line of a table of parameters or results. Name and Type are plain, the rest is
// markdown for a cell.
type row struct {
	Name, Type string
	Required   bool
	Default    string
	Limits     string
	Help       string
}

// rows flattens an object: a member of an object follows it as "clip.x", a member of a list's items
// as "users[].url".
func rows(o *model.Object) []row { return appendRows(nil, "", o) }

func appendRows(out []row, prefix string, o *model.Object) []row {
	for _, p := range o.Properties {
		r := row{
			Name: prefix + p.Name, Type: typeName(p.Type), Required: p.Required,
			Limits: strings.Join(limits(p.Type), ", "), Help: strings.Join(help(p), "; "),
		}
		if len(p.FromObject) > 0 {
			r.Type += " or object"
		}
		if p.Default != nil {
			r.Default = tableCode(literal(p.Type.Kind, p.Default))
		}
		out = append(out, r)
		name, inner := r.Name, p.Type
		for inner.Items != nil || inner.Values != nil {
			if inner.Values != nil {
				name, inner = name+"[name]", inner.Values
			} else {
				name, inner = name+"[]", inner.Items
			}
		}
		for _, part := range inner.Parts() {
			if part.Variant != "" {
				out = appendRows(out, name+"("+part.Variant+").", part.Object)
				continue
			}
			out = appendRows(out, name+".", part.Object)
		}
	}
	return out
}

// help describes a parameter, and the other forms in which calls may give it.
func help(p *model.Property) []string {
	var out []string
	if p.Description != "" {
		out = append(out, prose(p.Description))
	}
	if len(p.Was) > 0 {
		out = append(out, "also as "+list(p.Was, tableCode))
	}
	if p.Unlisted {
		out = append(out, "not in lists")
	}
	return out
}

func typeName(t *model.Type) string {
	name := string(t.Kind)
	switch {
	case t.Items != nil:
		name = "array of " + typeName(t.Items)
	case t.Values != nil:
		name = "map of " + typeName(t.Values)
	case t.Union != nil:
		name = "union by " + t.Union.Tag
	}
	if t.Nullable {
		name += " or null"
	}
	return name
}

// literal is a default as JSON writes it, except that a string other than the empty one needs no
// quotes in a column whose neighbour says "string".
func literal(k model.Kind, v *model.Value) string {
	switch k {
	case model.Boolean:
		return strconv.FormatBool(v.Bool)
	case model.Integer, model.Number:
		return number(v.Number)
	}
	if v.String == "" {
		return `""`
	}
	return v.String
}

// limits says each limit of a type as a phrase, those of a list's items last.
func limits(t *model.Type) []string {
	var out []string
	if len(t.Enum) > 0 {
		out = append(out, "one of "+list(t.Enum, tableCode))
	}
	if t.Numbers != nil {
		named := make([]string, len(t.Numbers))
		for i, n := range t.Numbers {
			named[i] = strconv.Itoa(n.Value) + " (" + n.Name + ")"
		}
		out = append(out, "one of "+list(named, tableCode))
	}
	if t.Format != "" {
		out = append(out, "format "+tableCode(string(t.Format)))
	}
	out = appendRange(out, text(t.Minimum), text(t.Maximum), "")
	out = appendRange(out, text(t.MinLength), text(t.MaxLength), "character")
	out = appendRange(out, text(t.MinItems), text(t.MaxItems), "item")
	out = appendRange(out, text(t.MinProperties), text(t.MaxProperties), "member")
	if t.Pattern != "" {
		out = append(out, "matches "+tableCode(t.Pattern))
	}
	if t.NamePattern != "" {
		out = append(out, "names match "+tableCode(t.NamePattern))
	}
	if inner := cmp.Or(t.Items, t.Values); inner != nil {
		for _, l := range limits(inner) {
			out = append(out, "each "+l)
		}
	}
	return out
}

// appendRange says a lower and an upper limit, either of which may be absent: "1 to 50 items", "at
// least 0".
func appendRange(out []string, lo, hi, unit string) []string {
	phrase, last := lo+" to "+hi, hi
	switch {
	case lo == "" && hi == "":
		return out
	case hi == "":
		phrase, last = "at least "+lo, lo
	case lo == "":
		phrase = "at most " + hi
	case lo == hi:
		phrase = "exactly " + lo
	}
	if unit != "" {
		phrase += " " + unit
		if last != "1" {
			phrase += "s"
		}
	}
	return append(out, phrase)
}

// text is a limit, or "" when there is none.
func text[N int | float64](n *N) string {
	if n == nil {
		return ""
	}
	return number(float64(*n))
}

// number avoids exponents as long as a person can count the digits.
func number(f float64) string {
	if math.Abs(f) < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
