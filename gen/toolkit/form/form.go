// Package form makes the JSON Schemas of forms that a client shows to the person behind it: flat
// objects of texts, numbers, switches and choices, as the protocol allows them (SEP-1034 defaults,
// SEP-1330 choices).
//
// It must not know how a form reaches a client (toolkit.Call.Ask sends it).
package form

import (
	"encoding/json"
	"slices"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
)

// Field is a member of a form: Text, Integer, Number, Switch, Choice or Choices.
type Field interface {
	label() Label
	property() map[string]any
}

// Label is the common part of all fields.
type Label struct {
	Name        string // of the value in the answer
	Title       string // for people; "" shows the name
	Description string
	Required    bool
}

func (l Label) label() Label { return l }

// Format is a kind of text that clients can check.
type Format string

// The formats of the protocol.
const (
	Email    Format = "email"
	URI      Format = "uri"
	Date     Format = "date"
	DateTime Format = "date-time"
)

// Text is a line of text.
type Text struct {
	Label
	Default              toolkit.Opt[string]
	Format               Format // "" is any text
	MinLength, MaxLength int    // in characters; 0 does not bound
}

// Integer is a whole number.
type Integer struct {
	Label
	Default, Minimum, Maximum toolkit.Opt[int]
}

// Number is a number.
type Number struct {
	Label
	Default, Minimum, Maximum toolkit.Opt[float64]
}

// Switch is yes or no.
type Switch struct {
	Label
	Default toolkit.Opt[bool]
}

// Choice is one of its options.
type Choice struct {
	Label
	Options []Option
	Default toolkit.Opt[string] // a value
	// EnumNames writes titles for clients of revisions before 2025-11-25, which show no others.
	EnumNames bool
}

// Choices are any number of options.
type Choices struct {
	Label
	Options            []Option
	Default            []string // values; nil is no default
	MinItems, MaxItems int      // 0 does not bound
}

// Option is a value with what people see of it; Title "" shows the value.
type Option struct{ Value, Title string }

// Values makes options without titles.
func Values(values ...string) []Option {
	out := make([]Option, len(values))
	for i, v := range values {
		out[i].Value = v
	}
	return out
}

// Schema returns the JSON Schema of a form of these fields, in their order. Names are unique.
func Schema(fields ...Field) json.RawMessage {
	out := []byte(`{"type":"object","properties":{`)
	required := []string{}
	for i, f := range fields {
		l, property := f.label(), f.property()
		put(property, "title", l.Title)
		put(property, "description", l.Description)
		if l.Required {
			required = append(required, l.Name)
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, encode(l.Name)...), ':'), encode(property)...)
	}
	out = append(out, '}')
	if len(required) > 0 {
		out = append(append(out, `,"required":`...), encode(required)...)
	}
	return append(out, '}')
}

func (f Text) property() map[string]any {
	p := map[string]any{"type": "string"}
	put(p, "format", f.Format)
	put(p, "minLength", f.MinLength)
	put(p, "maxLength", f.MaxLength)
	putOpt(p, "default", f.Default)
	return p
}

func (f Integer) property() map[string]any {
	p := map[string]any{"type": "integer"}
	putOpt(p, "minimum", f.Minimum)
	putOpt(p, "maximum", f.Maximum)
	putOpt(p, "default", f.Default)
	return p
}

func (f Number) property() map[string]any {
	p := map[string]any{"type": "number"}
	putOpt(p, "minimum", f.Minimum)
	putOpt(p, "maximum", f.Maximum)
	putOpt(p, "default", f.Default)
	return p
}

func (f Switch) property() map[string]any {
	p := map[string]any{"type": "boolean"}
	putOpt(p, "default", f.Default)
	return p
}

func (f Choice) property() map[string]any {
	p := map[string]any{"type": "string"}
	switch {
	case !titled(f.Options):
		p["enum"] = values(f.Options)
	case f.EnumNames:
		p["enum"], p["enumNames"] = values(f.Options), titles(f.Options)
	default:
		p["oneOf"] = constants(f.Options)
	}
	putOpt(p, "default", f.Default)
	return p
}

func (f Choices) property() map[string]any {
	items := map[string]any{"anyOf": constants(f.Options)}
	if !titled(f.Options) {
		items = map[string]any{"type": "string", "enum": values(f.Options)}
	}
	p := map[string]any{"type": "array", "items": items}
	put(p, "minItems", f.MinItems)
	put(p, "maxItems", f.MaxItems)
	if f.Default != nil {
		p["default"] = f.Default
	}
	return p
}

func titled(options []Option) bool {
	return slices.ContainsFunc(options, func(o Option) bool { return o.Title != "" })
}

func values(options []Option) []string {
	return slicesx.List(options, func(o Option) string { return o.Value })
}

// titles lists what people see of the options.
func titles(options []Option) []string {
	out := values(options)
	for i, o := range options {
		if o.Title != "" {
			out[i] = o.Title
		}
	}
	return out
}

// constants are the options as schemas with titles.
func constants(options []Option) []map[string]string {
	shown := titles(options)
	out := make([]map[string]string, len(options))
	for i, o := range options {
		out[i] = map[string]string{"const": o.Value, "title": shown[i]}
	}
	return out
}

// put sets a keyword unless its value is zero.
func put[T comparable](p map[string]any, keyword string, value T) {
	var zero T
	if value != zero {
		p[keyword] = value
	}
}

// putOpt sets a keyword that has a value.
func putOpt[T any](p map[string]any, keyword string, value toolkit.Opt[T]) {
	if value.Set {
		p[keyword] = value.Value
	}
}

// encode encodes what always can be: maps and lists of texts, numbers and switches.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) //nolint:forbidigo // a number is infinite or not one, which is a defect of the form
	}
	return text
}
