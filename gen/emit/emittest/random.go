package emittest

import (
	"strings"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/model"
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
	kinds := []model.Kind{model.String, model.Integer, model.Number, model.Boolean}
	if depth > 0 {
		kinds = append(kinds, model.Array, model.Nested)
	}
	out := &model.Type{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	switch out.Kind {
	case model.String:
		limitString(t, out)
	case model.Integer:
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
		if rapid.IntRange(0, 3).Draw(t, "open") > 0 {
			out.Object = object(t, depth-1)
		}
	}
	return out
}

// limitString draws at most one kind of limit, so that an instance can be drawn to it.
func limitString(t *rapid.T, out *model.Type) {
	switch rapid.IntRange(0, 3).Draw(t, "limit") {
	case 1:
		lo := rapid.IntRange(0, 3).Draw(t, "shortest")
		out.MinLength, out.MaxLength = limits(t, lo, lo+rapid.IntRange(0, 3).Draw(t, "span"))
	case 2:
		out.Pattern = rapid.SampledFrom([]string{`^[a-z]+$`, `^<[^>]*>$`, `^\d{2,4}&"\\$`}).Draw(t, "pattern")
	case 3:
		out.Enum = rapid.SliceOfNDistinct(text(), 1, 4, rapid.ID[string]).Draw(t, "enum")
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
	switch typ.Kind {
	case model.String:
		return stringInstance(t, typ)
	case model.Integer:
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
		return ObjectInstance(t, typ.Object)
	}
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
