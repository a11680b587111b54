// Package params decodes the arguments of a tool whose parameters are known only at run time. It
// interprets a resolved object where generated code is compiled from one, with the same rules and
// the same violation messages.
//
// It must not know where the object came from.
package params

import (
	"encoding/json"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/param"
)

// Decoder decodes one object.
type Decoder struct{ root *objectDecoder }

type objectDecoder struct {
	keys  []string
	props []propertyDecoder
}

type propertyDecoder struct {
	required     bool
	defaultValue any // nil without a default
	value        *valueDecoder
}

type valueDecoder struct {
	kind   param.Kind
	text   *toolkit.StringRule
	number *toolkit.NumberRule
	count  *toolkit.CountRule
	items  *valueDecoder
	object *objectDecoder
}

// Compile builds the decoder of an object.
func Compile(o *param.Object) *Decoder { return &Decoder{compileObject(o)} }

// Decode decodes arguments strictly and fills in defaults. An absent optional property has no key.
// Numbers are float64 and integers int64. The error is toolkit.Violations.
func (d *Decoder) Decode(raw []byte) (map[string]any, error) {
	args := toolkit.ReadArgs(raw)
	values := d.root.decode(args)
	return values, args.Done()
}

func compileObject(o *param.Object) *objectDecoder {
	out := &objectDecoder{keys: make([]string, len(o.Properties)), props: make([]propertyDecoder, len(o.Properties))}
	for i, p := range o.Properties {
		out.keys[i] = p.Name
		out.props[i] = propertyDecoder{required: p.Required, value: compileType(p.Type)}
		if p.Default != nil {
			out.props[i].defaultValue = Default(p)
		}
	}
	return out
}

// Default returns the default of a property as Decode fills it in, or nil.
func Default(p *param.Property) any {
	if p.Default == nil {
		return nil
	}
	switch p.Type.Kind {
	case param.String:
		return p.Default.String
	case param.Boolean:
		return p.Default.Bool
	case param.Integer:
		return int64(p.Default.Number)
	case param.Number, param.Array, param.Nested:
	}
	return p.Default.Number
}

func compileType(t *param.Type) *valueDecoder {
	v := &valueDecoder{kind: t.Kind}
	switch t.Kind {
	case param.String:
		if t.Enum != nil || t.Pattern != "" || t.MinLength != nil || t.MaxLength != nil {
			v.text = &toolkit.StringRule{Enum: t.Enum, MinLen: valueOrZero(t.MinLength),
				MaxLen: valueOrZero(t.MaxLength)}
			if t.Pattern != "" {
				v.text.Pattern = toolkit.NewPattern(t.Pattern)
			}
		}
	case param.Integer, param.Number:
		if t.Minimum != nil || t.Maximum != nil {
			v.number = &toolkit.NumberRule{HasMin: t.Minimum != nil, HasMax: t.Maximum != nil}
			if t.Minimum != nil {
				v.number.Min = *t.Minimum
			}
			if t.Maximum != nil {
				v.number.Max = *t.Maximum
			}
		}
	case param.Array:
		if t.MinItems != nil || t.MaxItems != nil {
			v.count = &toolkit.CountRule{Min: valueOrZero(t.MinItems), Max: valueOrZero(t.MaxItems)}
		}
		v.items = compileType(t.Items)
	case param.Nested:
		if !t.Open() {
			v.object = compileObject(t.Object)
		}
	case param.Boolean:
	}
	return v
}

func valueOrZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func (o *objectDecoder) decode(a *toolkit.Args) map[string]any {
	if !a.Object() {
		return nil
	}
	out := make(map[string]any, len(o.props))
	var seen uint64
	for a.Next() {
		i := o.index(a.Key())
		if i < 0 {
			a.Unknown(o.keys)
			continue
		}
		seen = a.Mark(seen, i)
		out[o.keys[i]] = o.props[i].value.decode(a)
	}
	for i, p := range o.props {
		switch {
		case seen&(1<<i) != 0:
		case p.required:
			a.Missing(o.keys[i])
		case p.defaultValue != nil:
			out[o.keys[i]] = p.defaultValue
		}
	}
	return out
}

func (o *objectDecoder) index(key []byte) int {
	for i, k := range o.keys {
		if k == string(key) {
			return i
		}
	}
	return -1
}

func (v *valueDecoder) decode(a *toolkit.Args) any {
	switch v.kind {
	case param.String:
		return a.String(v.text)
	case param.Integer:
		return int64(a.Int(v.number))
	case param.Number:
		return a.Number(v.number)
	case param.Boolean:
		return a.Bool()
	case param.Array:
		out := []any{}
		if a.Array() {
			for a.More() {
				out = append(out, v.items.decode(a))
			}
			if v.count != nil {
				a.Count(len(out), v.count)
			}
		}
		return out
	case param.Nested:
	}
	if v.object == nil {
		var out map[string]any
		if raw := a.Raw(); raw != nil && json.Unmarshal(raw, &out) != nil {
			a.Needs("is no object that can be read")
		}
		return out
	}
	return v.object.decode(a)
}
