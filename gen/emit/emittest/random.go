package emittest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit/format"
)

// text draws what a person might write, including everything that JSON, HTML or markdown could take
// for its own.
func text() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringOf(rapid.SampledFrom([]rune("abc <>&|\\\"'`*_[]#{}\u2028\u00e9\U0001F600"))),
	)
}

// Tool draws a tool with any parameters and output the grammar allows, two levels deep. It has no area, capability or
// scope.
func Tool() *rapid.Generator[*model.Tool] {
	return rapid.Custom(func(t *rapid.T) *model.Tool {
		tool := &model.Tool{
			Name:        rapid.StringMatching(`[a-z][a-z0-9_]{0,20}`).Draw(t, "name"),
			Title:       text().Draw(t, "title"),
			Description: text().Draw(t, "description"),
			Effects: model.Effects{
				ReadOnly:    rapid.Bool().Draw(t, "read only"),
				Destructive: rapid.Bool().Draw(t, "destructive"),
				Idempotent:  rapid.Bool().Draw(t, "idempotent"),
				OpenWorld:   rapid.Bool().Draw(t, "open world"),
			},
			Input: object(t, 2),
		}
		if rapid.Bool().Draw(t, "has output") {
			tool.Output = object(t, 2)
		}
		if rapid.Bool().Draw(t, "is slim") {
			n := rapid.IntRange(0, len(tool.Input.Properties)).Draw(t, "slim parameters")
			tool.Slim = &model.Slim{Description: text().Draw(t, "slim description"), Properties: tool.Input.Properties[:n]}
		}
		return tool
	})
}

func object(t *rapid.T, depth int) *model.Object {
	o := &model.Object{GoName: "Params"}
	for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-z_<&][A-Za-z0-9_]{0,8}`), 0, 5, rapid.ID[string]).Draw(t, "names") {
		p := &model.Property{
			Name: name, Description: text().Draw(t, "help"), Required: rapid.Bool().Draw(t, "required"), Type: typ(t, depth),
		}
		if !p.Required && rapid.Bool().Draw(t, "has default") {
			p.Default = literal(t, p.Type)
		}
		o.Properties = append(o.Properties, p)
	}
	return o
}

func typ(t *rapid.T, depth int) *model.Type {
	kinds := []model.Kind{model.String, model.Integer, model.Number, model.Boolean, model.Free}
	if depth > 0 {
		kinds = append(kinds, model.Array, model.Nested)
	}
	out := &model.Type{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	out.Nullable = out.Kind != model.Free && rapid.IntRange(0, 3).Draw(t, "nullable") == 0
	switch out.Kind {
	case model.String:
		limitString(t, out)
	case model.Integer:
		if rapid.IntRange(0, 3).Draw(t, "named") == 0 {
			for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(-5, 5), 1, 3, rapid.ID[int]).Draw(t, "numbers") {
				out.Numbers = append(out.Numbers, &model.EnumNumber{Name: fmt.Sprintf("n%d", n+5), Value: n})
			}
			return out
		}
		lo := rapid.IntRange(-1000, 1000).Draw(t, "minimum")
		out.Minimum, out.Maximum = limits(t, float64(lo), float64(lo+rapid.IntRange(0, 1000).Draw(t, "span")))
	case model.Number:
		lo := rapid.Float64Range(-1e300, 1e300).Draw(t, "minimum")
		out.Minimum, out.Maximum = limits(t, lo, max(lo, rapid.Float64Range(-1e300, 1e300).Draw(t, "maximum")))
	case model.Array:
		lo := rapid.IntRange(0, 3).Draw(t, "fewest")
		out.MinItems, out.MaxItems = limits(t, lo, lo+rapid.IntRange(0, 3).Draw(t, "span"))
		out.Items = typ(t, depth-1)
	case model.Nested:
		nested(t, out, depth-1)
	}
	return out
}

// nested draws an open object, one with properties, a map or a union.
func nested(t *rapid.T, out *model.Type, depth int) {
	switch rapid.IntRange(0, 5).Draw(t, "form") {
	case 0:
	case 1:
		out.Values, out.NamePattern = typ(t, depth), rapid.SampledFrom([]string{"", "^[a-z]+$"}).Draw(t, "names")
		lo := rapid.IntRange(0, 1).Draw(t, "fewest")
		out.MinProperties, out.MaxProperties = limits(t, lo, lo+rapid.IntRange(0, 2).Draw(t, "span"))
	case 2:
		out.Union = &model.Union{GoName: "Union", Tag: "=tag"}
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,3}`), 2, 3, rapid.ID[string]).Draw(t, "variants") {
			o := object(t, depth)
			o.Properties = append([]*model.Property{{Name: "=tag", GoName: "Tag", Required: true, Type: &model.Type{Kind: model.String, Enum: []string{name}}}}, o.Properties...)
			out.Union.Variants = append(out.Union.Variants, &model.Variant{Name: name, GoName: name, Object: o})
		}
	default:
		out.Object = object(t, depth)
	}
}

// limitString draws at most one kind of limit, so that an instance can be drawn to it.
func limitString(t *rapid.T, out *model.Type) {
	switch rapid.IntRange(0, 4).Draw(t, "limit") {
	case 1:
		lo := rapid.IntRange(0, 3).Draw(t, "shortest")
		out.MinLength, out.MaxLength = limits(t, lo, lo+rapid.IntRange(0, 3).Draw(t, "span"))
	case 2:
		out.Pattern = rapid.SampledFrom([]string{`^[a-z]+$`, `^<[^>]*>$`, `^\d{2,4}&"\\$`}).Draw(t, "pattern")
	case 3:
		out.Enum = rapid.SliceOfNDistinct(text(), 1, 4, rapid.ID[string]).Draw(t, "enum")
	case 4:
		out.Format = model.Format(rapid.SampledFrom(format.Names()).Draw(t, "format"))
	}
}

// limits drops either end, both or none.
func limits[N any](t *rapid.T, lo, hi N) (*N, *N) {
	l, h := &lo, &hi
	if rapid.Bool().Draw(t, "no lower limit") {
		l = nil
	}
	if rapid.Bool().Draw(t, "no upper limit") {
		h = nil
	}
	return l, h
}

// literal draws a default, or none for the kinds that have none.
func literal(t *rapid.T, typ *model.Type) *model.Value {
	if typ.Kind == model.Free {
		return nil
	}
	switch v := Instance(t, typ).(type) {
	case string:
		return &model.Value{String: v}
	case float64:
		return &model.Value{Number: v}
	case bool:
		return &model.Value{Bool: v}
	}
	return nil
}

// Instance draws a value that the type allows, in the form encoding/json decodes into any.
func Instance(t *rapid.T, typ *model.Type) any {
	if typ.Nullable && rapid.IntRange(0, 3).Draw(t, "null") == 0 {
		return nil
	}
	switch typ.Kind {
	case model.String:
		return stringInstance(t, typ)
	case model.Free:
		return rapid.SampledFrom([]any{nil, true, 1.5, "text", []any{nil}, map[string]any{"a": 1.0}}).Draw(t, "anything")
	case model.Integer:
		if typ.Numbers != nil {
			return float64(rapid.SampledFrom(typ.Numbers).Draw(t, "number").Value)
		}
		lo, hi := interval(typ.Minimum, typ.Maximum, 1e6)
		return float64(rapid.IntRange(int(lo), int(hi)).Draw(t, "integer"))
	case model.Number:
		lo, hi := interval(typ.Minimum, typ.Maximum, 1e305)
		return rapid.Float64Range(lo, hi).Draw(t, "number")
	case model.Boolean:
		return rapid.Bool().Draw(t, "boolean")
	case model.Array:
		lo, hi := interval(typ.MinItems, typ.MaxItems, 5)
		items := make([]any, rapid.IntRange(lo, hi).Draw(t, "items"))
		for i := range items {
			items[i] = Instance(t, typ.Items)
		}
		return items
	default:
		if typ.Open() {
			return map[string]any{text().Draw(t, "member"): []any{rapid.Bool().Draw(t, "value"), map[string]any{}}}
		}
		switch {
		case typ.Values != nil:
			return mapInstance(t, typ)
		case typ.Union != nil:
			return ObjectInstance(t, rapid.SampledFrom(typ.Union.Variants).Draw(t, "variant").Object)
		}
		return ObjectInstance(t, typ.Object)
	}
}

func mapInstance(t *rapid.T, typ *model.Type) map[string]any {
	lo, hi := interval(typ.MinProperties, typ.MaxProperties, 3)
	out := map[string]any{}
	for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,4}`), lo, hi, rapid.ID[string]).Draw(t, "members") {
		out[name] = Instance(t, typ.Values)
	}
	return out
}

// ObjectInstance draws an object with every required property and some of the others.
func ObjectInstance(t *rapid.T, o *model.Object) map[string]any {
	out := map[string]any{}
	for _, p := range o.Properties {
		if p.Required || rapid.Bool().Draw(t, "present") {
			out[p.Name] = Instance(t, p.Type)
		}
	}
	return out
}

func stringInstance(t *rapid.T, typ *model.Type) string {
	switch {
	case len(typ.Enum) > 0:
		return rapid.SampledFrom(typ.Enum).Draw(t, "choice")
	case typ.Format != "":
		return format.Example(string(typ.Format))
	case typ.Pattern != "":
		return rapid.StringMatching(typ.Pattern).Draw(t, "match")
	}
	lo, hi := interval(typ.MinLength, typ.MaxLength, 5)
	return strings.Repeat("é", rapid.IntRange(lo, hi).Draw(t, "length"))
}

// interval is the range between two limits; an absent one is zero below, or as far as span from the other.
func interval[N int | float64](lo, hi *N, span N) (N, N) {
	switch {
	case lo == nil && hi == nil:
		return 0, span
	case lo == nil:
		return min(0, *hi), *hi
	case hi == nil:
		return *lo, max(*lo, span)
	}
	return *lo, *hi
}
